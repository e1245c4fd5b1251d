import { createButton, createElement } from '../dom.js';
import type { SessionReply } from '../requests/replies.js';
import { texts } from '../texts/current.js';
import { createLanguageChoice } from './language-choice.js';
import { displayName } from './service-view.js';

/** What the controls of the frame call. */
export interface FrameListeners {
  onSignOut: () => void;
  onLanguage: () => void;
}

/** Creates the header of the page: its name, the language, and who is signed in. */
export function createHeader(
  { username, isOwner }: SessionReply,
  { onSignOut, onLanguage }: FrameListeners,
): HTMLElement {
  const { title, signIn, service, account } = texts();
  const icon = createElement('img', { attributes: { src: 'ui/icon.svg', alt: '', width: 28, height: 28 } });
  const home = createElement(
    'a',
    { className: 'home', attributes: { href: '#', 'aria-label': title } },
    icon,
    createElement('span', {}, title),
  );
  return createElement(
    'header',
    { className: 'top' },
    home,
    isOwner && createElement('a', { className: 'button quiet', attributes: { href: '#service' } }, service.title),
    createElement(
      'a',
      { className: 'user', attributes: { href: '#account', title: account.title } },
      displayName(username),
    ),
    createLanguageChoice(onLanguage),
    createButton(signIn.signOut, onSignOut, { className: 'quiet' }),
  );
}
