import { fillText, type ViewerTexts } from '../texts/viewer-texts.js';
import { createElement } from './create-element.js';

/** Creates what is shown instead of the 3D view: the reason, and pictures of the model, if there are any. */
export function createFallback(reason: string, pictures: readonly string[], texts: ViewerTexts): HTMLElement[] {
  const images = pictures.map((src, i) =>
    createElement('img', { attributes: { src, alt: fillText(texts.picture, { number: i + 1 }) } }),
  );
  const message = createElement('p', { className: 'message', text: reason, attributes: { role: 'alert' } });
  return [message, createElement('div', { className: 'pictures', children: images })];
}
