import { createButton, createElement, createField, type ElementOptions } from '../dom.js';
import { texts } from '../texts/current.js';

/** Asks for a text in a dialog. Resolves with `undefined` if the person cancels. */
export function askForText(
  title: string,
  label: string,
  attributes: NonNullable<ElementOptions['attributes']>,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const close = (text: string | undefined): void => {
      dialog.close();
      dialog.remove();
      resolve(text);
    };
    const input = createElement('input', { attributes });
    const buttons = createElement(
      'div',
      { className: 'buttons' },
      createButton(texts().cancel, () => close(undefined)),
      createElement('button', { className: 'primary', attributes: { type: 'submit' } }, texts().service.save),
    );
    const form = createElement('form', {}, createElement('h2', {}, title), createField(label, input), buttons);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      close(input.value);
    });
    const dialog = createElement('dialog', { className: 'confirm', attributes: { 'aria-label': title } }, form);
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      close(undefined);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
