import { createButton, createElement, createProgress, createSlot, type Slot } from '../dom.js';
import type { Actions } from '../models/actions.js';
import { findShownFile, type Item, isItemStored, lastOperation, latestVersion } from '../models/items.js';
import type { Library } from '../models/library.js';
import type { Upload, Uploads } from '../models/uploads.js';
import { filePath } from '../requests/requests.js';
import { fill, formatBytes, formatNumber, formatTime, operationName, texts } from '../texts/current.js';
import { createBadge } from './verdict.js';

/** What the list shows and calls. */
export interface ListDependencies {
  library: Library;
  uploads: Uploads;
  actions: Actions;
}

/** The number of entries that are added when the end of the list is reached. */
const PART = 40;

interface Row {
  id: string;
  state: unknown;
  create: () => HTMLElement[];
}

function createRowContent(href: string, isCurrent: boolean, picture: HTMLElement, title: string, lines: HTMLElement[]) {
  const attributes = { href, title, 'data-key': href, 'aria-current': isCurrent ? 'true' : undefined };
  const text = createElement('span', { className: 'row-text' }, createElement('strong', {}, title), ...lines);
  return createElement('a', { className: 'row', attributes }, picture, text);
}

function createPicture(fileId: string | undefined): HTMLElement {
  if (fileId === undefined)
    return createElement('span', { className: 'no-picture', attributes: { 'aria-hidden': 'true' } });
  return createElement('img', {
    attributes: { src: filePath(fileId), alt: '', loading: 'lazy', width: 64, height: 48 },
  });
}

function describeUpload({ state, sentBytes, file, describeProblem }: Upload): string {
  const { list } = texts();
  if (describeProblem && state === 'failed') return describeProblem();
  if (state === 'waiting') return list.waiting;
  if (state === 'reconnecting') return list.reconnecting;
  const percent = `${formatNumber((100 * sentBytes) / Math.max(1, file.size))} %`;
  return fill(list.uploading, { percent });
}

/** Describes the state of an item in a few words, if it has no verdict. */
export function describeItem(item: Item): string | undefined {
  const { list } = texts();
  if (!isItemStored(item)) return list.expired;
  const operation = lastOperation(item);
  if (!operation) return list.notRead;
  const name = operationName(operation.operation ?? '');
  if (!operation.isCompleted) {
    return operation.startedAt === undefined ? list.queued : fill(list.working, { operation: name });
  }
  if (operation.isSuccessful) return undefined;
  return fill(operation.error?.code === 42217 ? list.cancelled : list.failed, { operation: name });
}

function createUploadRow(upload: Upload, selectedId: string, uploads: Uploads): Row {
  const { id, filename, state, sentBytes, file, describeProblem, canRetry } = upload;
  const { detail } = texts();
  const create = (): HTMLElement[] => {
    const text = describeUpload(upload);
    const line = createElement('span', { className: state === 'failed' ? 'problem' : 'muted' }, text);
    const lines = [
      line,
      ...(state === 'sending' ? [createProgress(sentBytes / Math.max(1, file.size), filename)] : []),
    ];
    const row = createRowContent(`#upload/${id}`, id === selectedId, createPicture(undefined), filename, lines);
    const retry = createButton(detail.retry, () => uploads.retry(upload), {
      key: `retry-${id}`,
      description: `${detail.retry}: ${filename}`,
    });
    const removeLabel = state === 'failed' ? detail.remove : detail.cancel;
    const remove = createButton(removeLabel, () => uploads.remove(upload), {
      key: `remove-${id}`,
      description: `${removeLabel}: ${filename}`,
    });
    const buttons = [...(state === 'failed' && canRetry ? [retry] : []), remove];
    return [row, createElement('span', { className: 'row-buttons' }, ...buttons)];
  };
  return {
    id,
    state: [
      state,
      describeProblem?.(),
      canRetry,
      Math.round((200 * sentBytes) / Math.max(1, file.size)),
      id === selectedId,
    ],
    create,
  };
}

function createItemRow(item: Item, selectedId: string, { library }: ListDependencies): Row {
  const version = latestVersion(item);
  const picture = version && findShownFile(item, version.modelId, 'thumbnail', library.isStored);
  const report = version && library.requestReport(version.operation.operationId);
  const description = describeItem(item);
  const operation = lastOperation(item);
  const facts = [
    ...(item.file && item.file.size > 0 ? [formatBytes(item.file.size)] : []),
    formatTime(new Date(item.createdAt)),
  ];
  const create = (): HTMLElement[] => {
    const state = createElement(
      'span',
      { className: 'row-state' },
      report && isItemStored(item) && createBadge(report.verdict.level),
      description !== undefined && createElement('span', { className: 'muted' }, description),
    );
    const isWorking = operation !== undefined && !operation.isCompleted;
    const progress = isWorking ? [createProgress(operation.progress, description ?? '')] : [];
    const lines = [state, ...progress, createElement('small', { className: 'muted' }, facts.join(' · '))];
    return [createRowContent(`#file/${item.id}`, item.id === selectedId, createPicture(picture), item.filename, lines)];
  };
  const state = [item.filename, description, operation?.progress, picture, report?.verdict.level, facts];
  return { id: item.id, state: [...state, item.id === selectedId, isItemStored(item)], create };
}

/** Creates the list of uploads and items, newest first. It has elements for those only that were scrolled to. */
export function createItemList(dependencies: ListDependencies) {
  const { library, uploads } = dependencies;
  const list = createElement('ul', { className: 'rows' });
  const end = createElement('div', { className: 'list-end', attributes: { 'aria-hidden': 'true' } });
  const message = createElement('p', { className: 'muted list-message', attributes: { role: 'status' } });
  const slots = new Map<string, Slot>();
  let shownCount: number = PART;
  let selectedId: string = '';

  const update = (): void => {
    const items = library.items;
    const all: (() => Row)[] = [
      ...uploads.all.map((upload) => () => createUploadRow(upload, selectedId, uploads)),
      ...items.map((item) => () => createItemRow(item, selectedId, dependencies)),
    ];
    const rows = all.slice(0, shownCount).map((create) => create());
    const shown = new Set(rows.map(({ id }) => id));
    for (const [id, { element }] of slots) {
      if (shown.has(id)) continue;
      element.remove();
      slots.delete(id);
    }
    rows.forEach((row, index) => {
      const slot = slots.get(row.id) ?? createSlot(createElement('li', {}));
      slots.set(row.id, slot);
      slot.update([texts().language, row.state], row.create);
      if (list.children[index] !== slot.element) list.insertBefore(slot.element, list.children[index] ?? null);
    });
    end.hidden = all.length <= shownCount;
    const isEmpty = library.isLoaded && all.length === 0;
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
