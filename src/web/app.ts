import type { FileRecord } from '../api/index.js';
import { createElement } from './dom.js';
import { Actions } from './models/actions.js';
import { createFormatRules, type FormatRules } from './models/formats.js';
import { archivedModelsOf, type Item, latestVersion } from './models/items.js';
import { Library } from './models/library.js';
import type { ChosenFile } from './models/read-dropped-files.js';
import { Retries } from './models/retries.js';
import { type Upload, Uploads } from './models/uploads.js';
import type { OperationTable, SessionReply } from './requests/replies.js';
import { describeError, requestJson } from './requests/requests.js';
import { writeSetting } from './settings.js';
import { fill, texts } from './texts/current.js';
import { createAccountView } from './views/account-view.js';
import { DetailView } from './views/detail.js';
import { acceptDrops, createDropArea } from './views/drop-area.js';
import { createHeader } from './views/frame.js';
import { createItemList } from './views/item-list.js';
import { createServiceView } from './views/service-view.js';

/** Changes are shown at once, but not more often than this. */
const UPDATE_INTERVAL_MS = 16;

/** What the address of the page names: a model, an upload, the service, the account of the user, or nothing. */
interface Route {
  view: (typeof VIEWS)[number] | 'home';
  id: string;
}

const VIEWS = ['file', 'upload', 'service', 'account'] as const;

function readRoute(): Route {
  const [, name, id = ''] = /^#(\w+)(?:\/([\w-]+))?$/.exec(location.hash) ?? [];
  const view = VIEWS.find((each) => each === name);
  return view ? { view, id } : { view: 'home', id: '' };
}

/** Ends the session of this browser, or all sessions of the user. Throws if that failed. */
export interface SignOut {
  here: () => Promise<void>;
  everywhere: () => Promise<void>;
}

/** The page of a user who is signed in. */
export class App {
  readonly element = createElement('div', { className: 'app' });
  readonly #session: SessionReply;
  readonly #table: OperationTable;
  readonly #rules: FormatRules;
  readonly #library: Library;
  readonly #retries = new Retries();
  readonly #uploads: Uploads;
  readonly #actions: Actions;
  readonly #main = createElement('main', { attributes: { id: 'main' } });
  readonly #announcement = createElement('div', { className: 'visually-hidden', attributes: { role: 'status' } });
  readonly #problem = createElement('p', { className: 'problem toast', attributes: { role: 'alert' } });
  readonly #signOut: SignOut;
  #list: ReturnType<typeof createItemList> | undefined;
  #detail: DetailView | undefined;
  #serviceView: ReturnType<typeof createServiceView> | undefined;
  #shownView = '';
  /** The items whose pictures are created, and whose archived models are read, without asking → their unit. */
  readonly #uploaded = new Map<string, string | undefined>();
  #isUpdatePlanned: boolean = false;
  #updatedAt = 0;

  constructor(session: SessionReply, table: OperationTable, signOut: SignOut) {
    this.#session = session;
    this.#table = table;
    this.#signOut = signOut;
    this.#rules = createFormatRules(table);
    const onChange = (): void => this.#planUpdate();
    this.#library = new Library(onChange, () => !this.#uploads.isFull);
    this.#actions = new Actions(this.#library, this.#retries);
    this.#uploads = new Uploads(this.#rules, this.#retries, onChange, this.#onStored);
    addEventListener('hashchange', () => this.#update(true));
    addEventListener('beforeunload', (event) => {
      if (this.#uploads.isActive) event.preventDefault();
    });
    acceptDrops(table.units, this.#addFiles);
    this.build();
  }

  /** Creates everything that is shown again, for example in another language. */
  build = (): void => {
    const onSignOut = (): void => this.#attempt(this.#signOut.here);
    this.#detail?.clear();
    const dependencies = { library: this.#library, uploads: this.#uploads, actions: this.#actions };
    const detailDependencies = {
      ...dependencies,
      rules: this.#rules,
      table: this.#table,
      announce: this.#announce,
      attempt: this.#attempt,
      readEntries: this.#readEntries,
    };
    this.#list = createItemList(dependencies);
    this.#detail = new DetailView(detailDependencies);
    this.#serviceView = undefined;
    this.#shownView = '';
    document.documentElement.lang = texts().language;
    const drop = createDropArea({ rules: this.#rules, units: this.#table.units, onFiles: this.#addFiles });
    const skip = createElement('a', { className: 'skip', attributes: { href: '#main' } }, texts().skip);
    skip.addEventListener('click', (event) => {
      event.preventDefault();
      this.#main.querySelector<HTMLElement>('h1, button')?.focus();
    });
    const side = createElement('div', { className: 'browse' }, drop, this.#list.element);
    this.element.replaceChildren(
      skip,
      createHeader(this.#session, { onSignOut, onLanguage: this.build }),
      createElement('div', { className: 'panes' }, side, this.#main),
      this.#problem,
      this.#announcement,
    );
    this.#update(false);
  };

  /** Polls the service, and sends what waits. */
  start(): void {
    this.#library.start();
    this.#retries.resume();
    this.#uploads.resume();
  }

  /** Sends nothing more until `start`. */
  pause(): void {
    this.#library.stop();
    this.#retries.pause();
  }

  #announce = (text: string): void => {
    this.#announcement.textContent = text;
  };

  #attempt = (work: () => Promise<unknown>): void => {
    this.#problem.textContent = '';
    work().catch(this.#showProblem);
  };

  #showProblem = (error: unknown): void => {
    this.#problem.textContent = describeError(error);
  };

  #onStored = (file: FileRecord, { id, unit }: Upload): void => {
    this.#library.addFile(file);
    if (file.kind !== 'file') return;
    if (location.hash === `#upload/${id}`) history.replaceState(null, '', `#file/${file.fileId}`);
    this.#uploaded.set(file.fileId, unit);
    this.#actions.importUpload({ id: file.fileId, filename: file.filename }, unit).catch(this.#showProblem);
  };

  #addFiles = (chosen: readonly ChosenFile[], unit: string): void => {
    writeSetting('unit', unit);
    const isFolder = chosen.some(({ file, filename }) => file.name !== filename);
    const files = isFolder ? chosen.filter(({ filename }) => this.#rules.isSupported(filename)) : chosen;
    const skippedCount = chosen.length - files.length;
    this.#problem.textContent = skippedCount > 0 ? fill(texts().drop.skipped, { count: skippedCount }) : '';
    const [upload, ...more] = this.#uploads.add(files, unit);
    if (upload && more.length === 0 && upload.state !== 'failed') {
      // It may be stored already.
      location.hash = upload.fileId === undefined ? `#upload/${upload.id}` : `#file/${upload.fileId}`;
    } else if (files.length > 0) location.hash = '';
  };

  #planUpdate(): void {
    if (this.#isUpdatePlanned) return;
    this.#isUpdatePlanned = true;
    // Not by animation frames: a page in the background has none, and finishes its work.
    const delayMs = Math.max(0, this.#updatedAt + UPDATE_INTERVAL_MS - performance.now());
    setTimeout(() => {
      this.#isUpdatePlanned = false;
      this.#update(false);
      this.#updatedAt = performance.now();
    }, delayMs);
  }

  #update(isNavigation: boolean): void {
    const { view, id } = readRoute();
    const hasEntries = this.#library.items.length + this.#uploads.all.length > 0;
    this.element.dataset.view = view;
    this.element.dataset.state = hasEntries ? 'filled' : 'empty';
    this.#list?.update(id);
    this.#continueUploads();
    this.#showMain(view, id);
    if (isNavigation) this.#main.querySelector<HTMLElement>('h1')?.focus();
  }

  /** Has pictures created of the models that were uploaded here, for the list, and reads each model of an archive. */
  #continueUploads(): void {
    for (const [id, unit] of this.#uploaded) {
      const item = this.#library.find(id);
      const version = item && latestVersion(item);
      const entries = item ? archivedModelsOf(item) : [];
      if (version) this.#actions.ensure('thumbnail', version.modelId, item.filename);
      else if (item && entries.length > 0) this.#readEntries(item, entries, unit);
      else continue;
      this.#uploaded.delete(id);
    }
  }

  #readEntries = (item: Item, entries: readonly string[], unit: string | undefined): void => {
    this.#attempt(async () => {
      for (const id of await this.#actions.importEntries(item, entries, unit)) this.#uploaded.set(id, unit);
      this.#planUpdate();
    });
  };

  #showMain(view: Route['view'], id: string): void {
    const item = view === 'file' ? this.#library.find(id) : undefined;
    const upload = view === 'upload' ? this.#uploads.find(id) : undefined;
    if (item && this.#detail) {
      this.#detail.update(item);
      this.#replaceMain(`file ${id}`, this.#detail.element);
      return;
    }
    if (view !== 'file') this.#detail?.clear();
    if (view === 'service' && this.#session.isOwner) {
      this.#showService();
      return;
    }
    if (upload) {
      const title = createElement('h1', { attributes: { tabindex: -1 } }, upload.filename);
      this.#replaceMain(`upload ${id}`, createElement('div', { className: 'hint' }, title));
      return;
    }
    if (view === 'account') {
      this.#showAccount();
      return;
    }
    if (view === 'upload') location.replace('#'); // it was removed
    this.#replaceMain('', createElement('p', { className: 'hint muted' }, texts().detail.choose));
  }

  #showService(): void {
    this.#serviceView ??= createServiceView(this.#session.username);
    if (this.#shownView !== 'service') void this.#serviceView.refresh();
    this.#replaceMain('service', this.#serviceView.element);
  }

  #showAccount(): void {
    if (this.#shownView === 'account') return;
    // While the session is replaced, a request with the old one would be refused.
    const changePassword = async (body: object): Promise<void> => {
      this.pause();
      await requestJson('session/password', { method: 'PUT', body }).finally(() => this.start());
    };
    const actions = { changePassword, signOutEverywhere: this.#signOut.everywhere };
    this.#replaceMain('account', createAccountView(this.#session.username, actions));
  }

  #replaceMain(view: string, element: HTMLElement): void {
    if (this.#shownView === view && this.#main.firstChild) return;
    this.#shownView = view;
    this.#main.replaceChildren(element);
  }
}

/** Resolves with the page of the user of the session. Throws `RequestError`, with status 401 if nobody is signed in. */
export async function openApp(signOut: SignOut): Promise<{ app: App; session: SessionReply }> {
  const [session, table] = await Promise.all([
    requestJson<SessionReply>('session'),
    requestJson<OperationTable>('ui/operations.json'),
  ]);
  return { app: new App(session, table, signOut), session };
}
