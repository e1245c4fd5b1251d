import { createButton, createElement, createField } from '../dom.js';
import { describeError } from '../requests/requests.js';
import { texts } from '../texts/current.js';
import { confirmAction } from './confirm.js';
import { displayName, MIN_PASSWORD_LENGTH } from './service-view.js';

/** What the controls of the view call. The promises are rejected if it failed. */
export interface AccountActions {
  changePassword: (passwords: { password: string; newPassword: string }) => Promise<void>;
  signOutEverywhere: () => Promise<void>;
}

/** Creates the view in which users change their password and sign out everywhere. */
export function createAccountView(
  username: string,
  { changePassword, signOutEverywhere }: AccountActions,
): HTMLElement {
  const { account, signIn, service } = texts();
  const problem = createElement('p', { className: 'problem', attributes: { role: 'alert' } });
  const status = createElement('p', { className: 'muted', attributes: { role: 'status' } });
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    [problem.textContent, status.textContent] = ['', ''];
    await work().catch((error: unknown) => {
      problem.textContent = describeError(error);
    });
  };

  const createPasswordForm = (): HTMLElement => {
    const createInput = (autocomplete: string, minlength: number): HTMLInputElement =>
      createElement('input', { attributes: { type: 'password', required: true, autocomplete, minlength } });
    const password = createInput('current-password', 1);
    const newPassword = createInput('new-password', MIN_PASSWORD_LENGTH);
    const form = createElement(
      'form',
      { className: 'inline-form' },
      // Password managers need to know whose password it is.
      createElement('input', { attributes: { value: username, autocomplete: 'username', hidden: true } }),
      createField(account.currentPassword, password),
      createField(service.setPassword, newPassword),
      createElement('button', { attributes: { type: 'submit' } }, service.save),
    );
    const change = async (): Promise<void> => {
      await changePassword({ password: password.value, newPassword: newPassword.value });
      form.reset();
      status.textContent = account.passwordChanged;
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void attempt(change);
    });
    return form;
  };

  const onEverywhere = async (): Promise<void> => {
    if (await confirmAction(account.everywhereConfirm, account.everywhere)) await attempt(signOutEverywhere);
  };
  return createElement(
    'div',
    { className: 'service' },
    createElement('h1', { attributes: { tabindex: -1 } }, displayName(username)),
    problem,
    status,
    createElement('h2', {}, signIn.password),
    createPasswordForm(),
    createElement('h2', {}, account.sessions),
    createElement('p', {}, account.everywhereHint),
    createElement(
      'div',
      {},
      createButton(account.everywhere, () => void onEverywhere(), { className: 'danger' }),
    ),
  );
}
