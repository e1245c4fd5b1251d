import { createButton, createElement } from '../dom.js';
import { texts } from '../texts/current.js';

/** Asks whether to do something that cannot be undone. Resolves with whether the person agreed. */
export function confirmAction(question: string, actionLabel: string): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (isAgreed: boolean): void => {
      dialog.close();
      dialog.remove();
      resolve(isAgreed);
    };
    const dialog = createElement(
      'dialog',
      { className: 'confirm', attributes: { 'aria-label': question } },
      createElement('p', {}, question),
      createElement(
        'div',
        { className: 'buttons' },
        createButton(texts().cancel, () => answer(false)),
        createButton(actionLabel, () => answer(true), { className: 'danger' }),
      ),
    );
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      answer(false);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
