import type { DefectPlace } from '../../api/index.js';
import { fillText, type ViewerTexts } from '../texts/viewer-texts.js';
import { createElement } from './create-element.js';
import { nameKind } from './describe-model.js';

/** Pins that are closer than this to another one join it, in CSS pixels. */
const GROUP_DISTANCE = 30;
/** At most this many pins are shown; those with the lowest numbers. */
const MAX_PINS = 30;

/** Projects a place to the picture, in CSS pixels. */
export type PlaceProjector = (place: DefectPlace) => { x: number; y: number } | undefined;

interface PinGroup {
  x: number;
  y: number;
  /** Indices of places. */
  members: number[];
}

/** Groups the places that are in the area, in the order of their numbers. */
export function groupPlaces(
  places: readonly DefectPlace[],
  project: PlaceProjector,
  isVisible: (point: { x: number; y: number }) => boolean,
): PinGroup[] {
  const groups: PinGroup[] = [];
  for (const [index, place] of places.entries()) {
    const point = project(place);
    if (!point || !isVisible(point)) continue;
    const near = groups.find(({ x, y }) => Math.hypot(x - point.x, y - point.y) < GROUP_DISTANCE);
    if (near) near.members.push(index);
    else if (groups.length < MAX_PINS) groups.push({ ...point, members: [index] });
  }
  return groups;
}

/** The numbered pins over the picture. */
export interface Pins {
  element: HTMLElement;
  /** Places the pins. `selected` is the index of a place. */
  update(groups: readonly PinGroup[], places: readonly DefectPlace[], selected: number | undefined): void;
}

/**
 * Creates the pins. They are for the mouse and touch; the list of defects has the same functions for the keyboard.
 * `onSelect` gets the index of the first place of a pin.
 */
export function createPins(texts: ViewerTexts, onSelect: (place: number) => void): Pins {
  const element = createElement('div', { className: 'pins' });
  const buttons = Array.from({ length: MAX_PINS }, () => {
    const button = createElement('button', { className: 'pin', attributes: { type: 'button', tabindex: '-1' } });
    button.addEventListener('click', () => onSelect(Number(button.dataset.place)));
    button.hidden = true;
    return button;
  });
  element.append(...buttons);
  return {
    element,
    update(groups, places, selected) {
      for (const [i, button] of buttons.entries()) {
        const group = groups[i];
        button.hidden = !group;
        if (group) placePin(button, group, places, { texts, selected });
      }
    },
  };
}

function placePin(
  button: HTMLButtonElement,
  { x, y, members }: PinGroup,
  places: readonly DefectPlace[],
  { texts, selected }: { texts: ViewerTexts; selected: number | undefined },
): void {
  const [first = 0] = members;
  const isSelected = selected !== undefined && members.includes(selected);
  const number = isSelected ? selected + 1 : first + 1;
  const text = members.length > 1 ? `${number}+` : String(number);
  if (button.textContent !== text) button.textContent = text;
  button.dataset.place = String(number - 1);
  button.classList.toggle('selected', isSelected);
  button.style.translate = `calc(${x}px - 50%) ${y}px`;
  const kind = nameKind(places[number - 1]?.defect ?? '', 1, texts);
  const label = fillText(members.length > 1 ? texts.pinGroup : texts.pin, { number, count: members.length, kind });
  if (button.title !== label) {
    button.title = label;
    button.setAttribute('aria-label', label);
  }
}
