import { createElement, createField } from '../dom.js';
import { describeError, requestJson } from '../requests/requests.js';
import { texts } from '../texts/current.js';
import { createLanguageChoice } from './language-choice.js';

/** Creates the form to sign in. `message` says why, if a session has ended; `onSignedIn` is called after it succeeded. */
export function createSignIn(message: string | undefined, onSignedIn: () => void, onLanguage: () => void): HTMLElement {
  const { signIn, title, tagline } = texts();
  const username = createElement('input', {
    attributes: {
      name: 'username',
      autocomplete: 'username',
      required: true,
      autocapitalize: 'none',
      spellcheck: 'false',
    },
  });
  const password = createElement('input', {
    attributes: { name: 'password', type: 'password', autocomplete: 'current-password', required: true },
  });
  const submit = createElement('button', { className: 'primary', attributes: { type: 'submit' } }, signIn.submit);
  const problem = createElement('p', { className: 'problem', attributes: { role: 'alert' } }, message ?? '');

  const send = async (): Promise<void> => {
    submit.disabled = true;
    submit.textContent = signIn.working;
    try {
      await requestJson('session', { method: 'POST', body: { username: username.value, password: password.value } });
      onSignedIn();
    } catch (error) {
      problem.textContent = describeError(error);
      password.select();
    } finally {
      submit.disabled = false;
      submit.textContent = signIn.submit;
    }
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    void send();
  };
  const form = createElement(
    'form',
    { on: { submit: onSubmit } },
    createField(signIn.username, username),
    createField(signIn.password, password),
    problem,
    submit,
  );
  const icon = createElement('img', { attributes: { src: 'ui/icon.svg', alt: '', width: 48, height: 48 } });
  const heading = createElement('h1', {}, title);
  const lead = createElement('p', { className: 'muted' }, tagline);
  return createElement('main', { className: 'card' }, icon, heading, lead, form, createLanguageChoice(onLanguage));
}
