import { createElement, createSlot, type Slot } from '../dom.js';
import type { Library } from '../models/library.js';
import type { Uploads } from '../models/uploads.js';
import { texts } from '../texts/current.js';
import { createItemRow, createUploadRow, type Row } from './rows.js';

/** What the list shows and calls. */
export interface ListDependencies {
  library: Library;
  uploads: Uploads;
}

/** The number of entries that are added when the end of the list is reached. */
const PART = 50;

/** An entry that has an element. */
interface ShownRow {
  slot: Slot;
  basis: readonly unknown[];
}

/** Shows an entry, unless it depends on the same values as before. */
function showRow(shown: ShownRow, { basis, describe }: Row): void {
  if (basis.every((value, index) => value === shown.basis[index])) return;
  shown.basis = basis;
  const { state, create } = describe();
  shown.slot.update(state, create);
}

/** Creates the list of uploads and items, newest first. It has elements for those only that were scrolled to. */
export function createItemList({ library, uploads }: ListDependencies) {
  const list = createElement('ul', { className: 'rows' });
  const end = createElement('div', { className: 'list-end', attributes: { 'aria-hidden': 'true' } });
  const message = createElement('p', { className: 'muted list-message', attributes: { role: 'status' } });
  const shownRows = new Map<string, ShownRow>();
  let shownCount: number = PART;
  let selectedId: string = '';

  const createRows = (): Row[] => {
    const today = new Date().toDateString();
    const sent = uploads.all.slice(0, shownCount);
    const items = library.items.slice(0, shownCount - sent.length);
    return [
      ...sent.map((upload) => createUploadRow(upload, selectedId, uploads)),
      ...items.map((item) => createItemRow(item, selectedId, library, today)),
    ];
  };

  const update = (): void => {
    const rows = createRows();
    const ids = new Set(rows.map(({ id }) => id));
    for (const [id, { slot }] of shownRows) {
      if (ids.has(id)) continue;
      slot.element.remove();
      shownRows.delete(id);
    }
    let next = list.firstElementChild;
    for (const row of rows) {
      const shown = shownRows.get(row.id) ?? { slot: createSlot(createElement('li', {})), basis: [] };
      shownRows.set(row.id, shown);
      showRow(shown, row);
      if (next === shown.slot.element) next = next.nextElementSibling;
      else list.insertBefore(shown.slot.element, next);
    }
    const count = uploads.all.length + library.items.length;
    end.hidden = count <= shownCount;
    const isEmpty = library.isLoaded && count === 0;
    message.textContent = library.problem === undefined ? (isEmpty ? texts().list.empty : '') : texts().list.offline;
  };

  new IntersectionObserver((entries) => {
    if (end.hidden || !entries.some(({ isIntersecting }) => isIntersecting)) return;
    shownCount += PART;
    update();
  }).observe(end);

  const heading = createElement('h2', {}, texts().list.title);
  return {
    element: createElement(
      'nav',
      { className: 'list', attributes: { 'aria-label': texts().list.title } },
      heading,
      message,
      list,
      end,
    ),
    /** Shows the current state; `selected`: the id of the entry that the page shows. */
    update(selected: string): void {
      selectedId = selected;
      update();
    },
  };
}
