import { createButton, createElement, createField, createSlot } from '../dom.js';
import type { ListedUser, ServiceReply } from '../requests/replies.js';
import { describeError, requestJson } from '../requests/requests.js';
import { fill, formatBytes, formatNumber, formatTime, texts } from '../texts/current.js';
import { confirmAction } from './confirm.js';
import { askForText } from './prompt.js';

/** As sizes are shown: decimal. */
const BYTES_PER_GB = 1e9;
export const MIN_PASSWORD_LENGTH = 8;

/** Returns the name of a user for people: the one that the service created for its owner has a random name. */
export function displayName(username: string): string {
  return /^local-[0-9a-f-]{36}$/.test(username) ? texts().signIn.owner : username;
}

function createTable(heads: readonly string[], rows: readonly (readonly (Node | string)[])[]): HTMLElement {
  const head = createElement(
    'tr',
    {},
    ...heads.map((name) => createElement('th', { attributes: { scope: 'col' } }, name)),
  );
  const body = rows.map((cells) =>
    createElement(
      'tr',
      {},
      ...cells.map((cell, index) => createElement('td', { attributes: { 'data-label': heads[index] } }, cell)),
    ),
  );
  const table = createElement('table', {}, createElement('thead', {}, head), createElement('tbody', {}, ...body));
  return createElement(
    'div',
    { className: 'table', attributes: { tabindex: 0, role: 'region', 'aria-label': heads[0] ?? '' } },
    table,
  );
}

/** Returns the quota of a field in GB; null for the default. Throws if it is no number. */
function readQuota(text: string): number | null {
  if (text.trim() === '') return null;
  const gigabytes = Number(text.replace(',', '.'));
  if (Number.isFinite(gigabytes) && gigabytes > 0) return Math.round(gigabytes * BYTES_PER_GB);
  throw new Error(texts().service.invalidQuota);
}

/** Creates the view with which owners manage the service. `ownName`: the user who is signed in. */
export function createServiceView(ownName: string) {
  const { service } = texts();
  const message = createElement('p', { className: 'problem', attributes: { role: 'alert' } });
  const status = createElement('p', { attributes: { role: 'status' } });
  const content = createSlot(createElement('div', {}));

  /** Runs a change, and shows the service after it. */
  const change = async (work: () => Promise<unknown>): Promise<boolean> => {
    message.textContent = '';
    status.textContent = '';
    try {
      await work();
      await refresh();
      return true;
    } catch (error) {
      message.textContent = describeError(error);
      return false;
    }
  };
  const userPath = (name: string): string => `ui/users/${encodeURIComponent(name)}`;
  const patchUser = (name: string, createBody: () => object): Promise<boolean> =>
    change(async () => requestJson(userPath(name), { method: 'PATCH', body: createBody() })).then((isSaved) => {
      if (isSaved) status.textContent = service.saved;
      return isSaved;
    });
  const remove = async (name: string, path: string): Promise<void> => {
    if (!(await confirmAction(fill(service.removeConfirm, { name }), service.remove))) return;
    await change(() => requestJson(path, { method: 'DELETE' }));
  };
  const setPassword = async (name: string): Promise<void> => {
    const attributes = {
      type: 'password',
      autocomplete: 'new-password',
      minlength: MIN_PASSWORD_LENGTH,
      required: true,
    };
    const password = await askForText(`${service.setPassword}: ${displayName(name)}`, service.setPassword, attributes);
    if (password !== undefined) await patchUser(name, () => ({ password }));
  };
  const setQuota = async ({ username, quotaBytes }: ListedUser): Promise<void> => {
    const value = quotaBytes === null ? '' : String(quotaBytes / BYTES_PER_GB);
    const attributes = { inputmode: 'decimal', value };
    const text = await askForText(`${service.setQuota}: ${displayName(username)}`, service.quotaGb, attributes);
    if (text !== undefined) await patchUser(username, () => ({ quotaBytes: readQuota(text) }));
  };

  const createUserRow = (user: ListedUser): (Node | string)[] => {
    const { username, usedBytes, quotaBytes, isOwner, createdAt } = user;
    const shown = displayName(username);
    const isNamedOwner = shown !== username;
    const marks = [
      ...(isOwner && !isNamedOwner ? [service.owner] : []),
      ...(username === ownName ? [service.you] : []),
    ].join(', ');
    const button = (label: string, onClick: () => Promise<void>): HTMLButtonElement =>
      createButton(label, () => void onClick(), { description: `${label}: ${shown}`, key: `${label} ${username}` });
    const buttons = [
      button(service.setPassword, () => setPassword(username)),
      button(service.setQuota, () => setQuota(user)),
      ...(username === ownName ? [] : [button(service.remove, () => remove(username, userPath(username)))]),
    ];
    return [
      createElement('span', {}, shown, marks !== '' && createElement('small', { className: 'muted' }, ` (${marks})`)),
      formatBytes(usedBytes),
      quotaBytes === null ? service.noQuota : formatBytes(quotaBytes),
      formatTime(new Date(createdAt)),
      createElement('span', { className: 'buttons' }, ...buttons),
    ];
  };

  const createFacts = ({ version, queue, storage }: ServiceReply): HTMLElement => {
    const used = formatBytes(storage.usedBytes);
    const storageText =
      storage.quotaBytes === null
        ? fill(service.storageFree, { used })
        : fill(service.storageText, { used, quota: formatBytes(storage.quotaBytes) });
    const counts = { running: formatNumber(queue.running), queued: formatNumber(queue.queued) };
    const facts: (readonly [string, string])[] = [
      [service.queue, fill(service.queueText, counts)],
      [service.storage, storageText],
      ...(storage.freeBytes === null ? [] : ([[service.disk, formatBytes(storage.freeBytes)]] as const)),
      ['Model Processing', fill(service.version, { version })],
    ];
    const rows = facts.map(([name, value]) =>
      createElement('div', {}, createElement('dt', {}, name), createElement('dd', {}, value)),
    );
    return createElement('dl', { className: 'facts tiles' }, ...rows);
  };

  const show = (reply: ServiceReply): void => {
    content.update(reply, () => [
      createFacts(reply),
      createElement('h2', {}, service.users),
      createTable(
        [service.name, service.used, service.quota, service.created, service.actions],
        reply.users.map(createUserRow),
      ),
      createElement('h2', {}, service.clients),
      createTable(
        [service.name, service.created, service.actions],
        reply.clients.map(({ clientId, createdAt }) => [
          createElement('code', {}, clientId),
          formatTime(new Date(createdAt)),
          createButton(service.remove, () => void remove(clientId, `ui/clients/${encodeURIComponent(clientId)}`), {
            description: `${service.remove}: ${clientId}`,
          }),
        ]),
      ),
    ]);
  };
  const refresh = async (): Promise<void> => show(await requestJson<ServiceReply>('ui/service'));

  const createUserForm = (): HTMLElement => {
    const name = createElement('input', {
      attributes: { required: true, maxlength: 200, autocomplete: 'off', autocapitalize: 'none' },
    });
    const password = createElement('input', {
      attributes: { type: 'password', required: true, minlength: MIN_PASSWORD_LENGTH, autocomplete: 'new-password' },
    });
    const quota = createElement('input', { attributes: { inputmode: 'decimal' } });
    const fields = [
      createField(texts().signIn.username, name),
      createField(texts().signIn.password, password),
      createField(service.quotaGb, quota),
    ];
    const form = createElement(
      'form',
      { className: 'inline-form' },
      ...fields,
      createElement('button', { attributes: { type: 'submit' } }, service.add),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const add = async (): Promise<void> => {
        const body = { username: name.value, password: password.value, quotaBytes: readQuota(quota.value) };
        await requestJson('ui/users', { method: 'POST', body });
      };
      void change(add).then((isAdded) => isAdded && form.reset());
    });
    return form;
  };
  const createClientForm = (): HTMLElement => {
    const id = createElement('input', {
      attributes: { required: true, maxlength: 200, autocomplete: 'off', autocapitalize: 'none' },
    });
    const form = createElement(
      'form',
      { className: 'inline-form' },
      createField(service.clientId, id),
      createElement('button', { attributes: { type: 'submit' } }, service.add),
    );
    const add = async (): Promise<void> => {
      const { clientId, clientSecret } = await requestJson<{ clientId: string; clientSecret: string }>('ui/clients', {
        method: 'POST',
        body: { clientId: id.value },
      });
      form.reset();
      secret.replaceChildren(fill(service.secret, { name: clientId }), ' ', createElement('code', {}, clientSecret));
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void change(add);
    });
    return form;
  };
  const secret = createElement('p', { attributes: { role: 'status' } });
  const forms = [
    createElement('details', {}, createElement('summary', {}, service.addUser), createUserForm()),
    createElement('details', {}, createElement('summary', {}, service.addClient), createClientForm()),
  ];
  const heading = createElement('h1', { attributes: { tabindex: -1 } }, service.title);
  const element = createElement(
    'article',
    { className: 'service' },
    heading,
    message,
    status,
    content.element,
    ...forms,
    secret,
  );
  return { element, refresh: (): Promise<boolean> => change(() => Promise.resolve()) };
}
