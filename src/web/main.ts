import { type App, openApp } from './app.js';
import { createButton, createElement } from './dom.js';
import type { SessionReply } from './requests/replies.js';
import {
  describeError,
  RequestError,
  requestJson,
  setRequestUser,
  setSessionEndedListener,
} from './requests/requests.js';
import { onSettingChanged, writeSetting } from './settings.js';
import { fill, texts } from './texts/current.js';
import { createSignIn } from './views/sign-in.js';

const root = document.getElementById('app') ?? document.body;

let app: App | undefined;
let user = '';
/** Whether the form to sign in is shown over a page that is kept. */
let isEnded = false;

/** Shows the form to sign in. `message`: why, if a person did not ask for it. */
function showSignIn(message: string | undefined): void {
  document.documentElement.lang = texts().language;
  document.title = texts().title;
  const form = createSignIn(
    message,
    () => void open(),
    () => showSignIn(message),
  );
  root.replaceChildren(form);
  form.querySelector('input')?.focus();
}

function showProblem(error: unknown): void {
  const text = createElement('p', { className: 'problem', attributes: { role: 'alert' } }, describeError(error));
  root.replaceChildren(
    createElement(
      'main',
      { className: 'card' },
      text,
      createButton(texts().detail.retry, () => void open()),
    ),
  );
}

/** The session has ended, or somebody else has signed in in another tab. The page is kept for the same user. */
function onSessionEnded(): void {
  if (isEnded || !app) return;
  isEnded = true;
  app.pause();
  setRequestUser('');
  showSignIn(texts().signIn.ended);
}

/** Ends the session, or all of the user. Throws if that failed: whoever comes next could still use it. */
async function signOut(path: 'session' | 'sessions'): Promise<void> {
  await requestJson(path, { method: 'DELETE' }).catch((error: unknown) => {
    throw new Error(fill(texts().signIn.signOutFailed, { reason: describeError(error) }));
  });
  writeSetting('user', '');
  location.replace(location.pathname); // forgets everything
}

function show(opened: App, { userId }: SessionReply): void {
  app = opened;
  user = userId;
  isEnded = false;
  setRequestUser(userId);
  writeSetting('user', userId);
  root.replaceChildren(opened.element);
  opened.start();
}

/** Shows the page of the user of the session, or the form to sign in. */
async function open(message?: string): Promise<void> {
  try {
    if (!app) {
      const { app: opened, session } = await openApp({
        here: () => signOut('session'),
        everywhere: () => signOut('sessions'),
      });
      show(opened, session);
      return;
    }
    const session = await requestJson<SessionReply>('session');
    if (session.userId === user) show(app, session);
    else location.reload(); // the page of somebody else
  } catch (error) {
    if (error instanceof RequestError && error.status === 401) showSignIn(message);
    else showProblem(error);
  }
}

const CODE = /^#code=([\w-]+)$/;

/** Signs in with the code of a sign-in link, and removes it from the address. Resolves with why that failed. */
async function redeemCode(): Promise<string | undefined> {
  const code = CODE.exec(location.hash)?.[1];
  if (code === undefined) return undefined;
  history.replaceState(null, '', location.pathname);
  return requestJson('session', { method: 'POST', body: { code } }).then(
    () => undefined,
    (error: unknown) => describeError(error),
  );
}

setSessionEndedListener(onSessionEnded);
onSettingChanged('user', (id) => {
  if (app && id !== user) onSessionEnded();
});
addEventListener('hashchange', () => {
  if (CODE.test(location.hash)) location.reload(); // a sign-in link was opened in this tab
});
void redeemCode().then(open);
