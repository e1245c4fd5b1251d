import type { ViewerTexts } from '../texts/viewer-texts.js';
import { createSlider } from './controls.js';
import { createElement } from './create-element.js';

/** The width of the thumb of the slider in the style sheet, in CSS pixels. */
const THUMB_WIDTH = 28;
/** Where the border leaves the middle of the picture to the model before. */
const RIGHT_OF_MIDDLE = 0.7;

/** The border between the models before and after, with a slider, and their captions. */
export interface SplitView {
  elements: readonly HTMLElement[];
  /** Shows or hides all of it. */
  setVisible(isVisible: boolean): void;
  /** Moves the border to the right of the middle of the picture if it is not there: a chosen defect is in the middle. */
  clearMiddle(): void;
  /** Places the border, and returns its position as a fraction of the width. */
  place(width: number): number;
}

/** Creates the border. `onMove` is called when it was moved. */
export function createSplitView(texts: ViewerTexts, onMove: () => void): SplitView {
  const slider = createSlider(texts.splitPosition, onMove);
  slider.className = 'split';
  const divider = createElement('div', { className: 'border' });
  const before = createElement('span', { className: 'caption left', text: texts.before });
  const after = createElement('span', { className: 'caption right', text: texts.after });
  const elements = [divider, before, after, slider];
  return {
    elements,
    setVisible(isVisible) {
      for (const element of elements) element.hidden = !isVisible;
    },
    clearMiddle() {
      slider.valueAsNumber = Math.max(slider.valueAsNumber, RIGHT_OF_MIDDLE);
    },
    place(width) {
      // The center of the thumb does not reach the ends of the slider.
      const x = Math.round(THUMB_WIDTH / 2 + slider.valueAsNumber * (width - THUMB_WIDTH));
      divider.style.translate = `${x}px 0`;
      return width > 0 ? x / width : 0.5;
    },
  };
}
