import type { DefectPlace } from '../../api/index.js';
import type { Preview } from '../preview/read-preview.js';
import { DEFECT_COLORS, OTHER_DEFECT_COLOR } from '../scene/colors.js';
import { fillText, type ViewerTexts } from '../texts/viewer-texts.js';
import { createButton } from './controls.js';
import { createElement } from './create-element.js';
import { nameKind } from './describe-model.js';
import type { LengthUnit, NumberFormat } from './measures.js';

/** What happens in the list of defects. */
export interface DefectListOptions {
  texts: ViewerTexts;
  numbers: NumberFormat;
  onSelect: (place: number) => void;
  /** Called when the defects of a kind are switched on or off. */
  onShowKind: (kind: string, isVisible: boolean) => void;
}

/** The kinds of defect of a model with their counts, and its places with the numbers of the pins. */
export interface DefectList {
  element: HTMLElement;
  show(preview: Preview, unit: LengthUnit, hiddenKinds: ReadonlySet<string>): void;
  /** Marks a place as selected, and makes it visible in the list. */
  select(place: number | undefined): void;
}

/** Creates an empty list. */
export function createDefectList(options: DefectListOptions): DefectList {
  const { texts, numbers, onSelect } = options;
  const kinds = createElement('ul', { className: 'kinds' });
  const note = createElement('p', { className: 'note' });
  const places = createElement('ol', { className: 'places', attributes: { 'aria-label': texts.defects } });
  const heading = createElement('h3', { text: texts.defects });
  const element = createElement('div', { className: 'defects', children: [heading, kinds, note, places] });
  let entries: HTMLButtonElement[] = [];
  return {
    element,
    show({ report, defects }, unit, hiddenKinds) {
      kinds.replaceChildren(...defects.map((each) => createKind(each, hiddenKinds, options)));
      entries = report.places.map((place, i) =>
        createButton(describePlace(place, i, unit, options), () => onSelect(i)),
      );
      places.replaceChildren(...entries.map((entry) => createElement('li', { children: [entry] })));
      const count = defects.reduce((sum, each) => sum + each.count, 0);
      note.textContent = describeListed(entries.length, count, texts, numbers);
    },
    select(place) {
      for (const [i, entry] of entries.entries()) {
        if (i === place) entry.setAttribute('aria-current', 'true');
        else entry.removeAttribute('aria-current');
      }
      if (place !== undefined) scrollTo(places, entries[place]);
    },
  };
}

function describeListed(shown: number, count: number, texts: ViewerTexts, numbers: NumberFormat): string {
  if (count === 0) return texts.noDefects;
  const values = { shown: numbers.count(shown), count: numbers.count(count) };
  return shown < count ? fillText(texts.placesPart, values) : '';
}

/** Returns the text of a place in the list. */
export function describePlace(
  { defect, x, y, z }: DefectPlace,
  index: number,
  unit: LengthUnit,
  { texts, numbers }: Pick<DefectListOptions, 'texts' | 'numbers'>,
): string {
  const [px, py, pz] = [x, y, z].map((value) => numbers.length(value, unit));
  const values = { number: index + 1, kind: nameKind(defect, 1, texts), x: px ?? '', y: py ?? '', z: pz ?? '', unit };
  return fillText(texts.place, values);
}

/** Scrolls the list only: `scrollIntoView` would scroll the page, too. */
function scrollTo(list: HTMLElement, entry: HTMLElement | undefined): void {
  if (!entry) return;
  const [outer, inner] = [list.getBoundingClientRect(), entry.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}

function createKind(
  { kind, count, countShown }: Preview['defects'][number],
  hiddenKinds: ReadonlySet<string>,
  { texts, numbers, onShowKind }: DefectListOptions,
): HTMLElement {
  const box = createElement('input', { attributes: { type: 'checkbox' } });
  box.checked = !hiddenKinds.has(kind);
  box.addEventListener('change', () => onShowKind(kind, box.checked));
  const swatch = createElement('span', { className: 'swatch' });
  swatch.style.backgroundColor = `#${(DEFECT_COLORS[kind] ?? OTHER_DEFECT_COLOR).toString(16).padStart(6, '0')}`;
  const shown = countShown < count ? ` (${fillText(texts.kindShown, { shown: numbers.count(countShown) })})` : '';
  const text = `${numbers.count(count)} ${nameKind(kind, count, texts)}${shown}`;
  const label = createElement('label', { children: [box, swatch, text] });
  return createElement('li', { children: [label] });
}
