import { fillText, type ViewerTexts } from '../texts/viewer-texts.js';
import { createElement } from './create-element.js';

/** Creates the reason why there is no 3D view. */
export function createReason(reason: string): HTMLElement {
  return createElement('p', { className: 'message', text: reason, attributes: { role: 'alert' } });
}

/** Creates a picture of a model that is shown instead of the 3D view, from its URL. `number`: counts from 1. */
export function createPicture(src: string, number: number, texts: ViewerTexts): HTMLElement {
  return createElement('img', { attributes: { src, alt: fillText(texts.picture, { number }) } });
}
