import { STANDARD_VIEWS, type ViewName } from '../stage/camera.js';

/** What can be done by keyboard while the picture has the focus. */
export interface KeyboardActions {
  /** By angles in degrees. */
  orbit(right: number, up: number): void;
  /** By fractions of the height of the picture. */
  pan(right: number, up: number): void;
  zoom(factor: number): void;
  fit(): void;
  showView(name: ViewName): void;
  /** Goes to the next (1) or the previous (-1) defect. */
  step(by: 1 | -1): void;
}

const ORBIT_DEGREES = 10;
const PAN_FRACTION = 0.08;
const ZOOM_FACTOR = 0.85;

const ARROWS: Readonly<Record<string, readonly [right: number, up: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** Connects the keys of an element with their actions. */
export function listenToKeys(element: HTMLElement, actions: KeyboardActions): void {
  element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (runAction(event.key, event.shiftKey, actions)) event.preventDefault();
  });
}

/** Returns whether the key has an action. */
function runAction(key: string, isShifted: boolean, actions: KeyboardActions): boolean {
  const arrow = ARROWS[key];
  if (arrow) {
    const [right, up] = arrow;
    if (isShifted) actions.pan(right * PAN_FRACTION, up * PAN_FRACTION);
    else actions.orbit(right * ORBIT_DEGREES, up * ORBIT_DEGREES);
    return true;
  }
  const view = STANDARD_VIEWS[Number(key) - 1];
  if (view) actions.showView(view);
  else if (key === '+' || key === '=') actions.zoom(ZOOM_FACTOR);
  else if (key === '-') actions.zoom(1 / ZOOM_FACTOR);
  else if (/^f$/i.test(key)) actions.fit();
  else if (/^n$/i.test(key)) actions.step(1);
  else if (/^p$/i.test(key)) actions.step(-1);
  else return false;
  return true;
}
