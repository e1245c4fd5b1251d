import { createHash } from 'node:crypto';
import should from 'should';
import { askForToken, type Calls, callsWith } from './account.js';
import { CUBE } from './models.js';
import { startService } from './running.js';
import { copyTemplate } from './template-folder.js';
import { addUserWithPassword } from './users.js';

const USERS = ['ann', 'bob', 'cleo'];

/** A stored file or model, and the SHA-256 of the file or of the export of the model. */
export interface StoredItem {
  id: string;
  owner: string;
  isModel: boolean;
  sha256: string;
}

/** What the services on a data folder accepted. */
export interface FilledFolder {
  items: StoredItem[];
  /** The ids of successful operations, by their owners. */
  operations: { id: string; owner: string }[];
}

/** A cube with edges of `10 + index` mm as ASCII STL. */
function cube(index: number): string {
  return CUBE.replaceAll('10', String(10 + index));
}

async function signIn(folder: string, baseUrl: string): Promise<Map<string, Calls>> {
  const calls = new Map<string, Calls>();
  for (const username of USERS) {
    const { body } = await askForToken(folder, {
      grant_type: 'password',
      username,
      password: `password of ${username}`,
    });
    calls.set(username, callsWith(baseUrl, body.access_token));
  }
  return calls;
}

/** Downloads a file as it is stored. Resolves with the status and the SHA-256 of the bytes. */
async function download({ baseUrl, token }: Calls, id: string): Promise<{ status: number; sha256: string }> {
  const url = `${baseUrl}/web-api/operation/file/${id}`;
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const bytes = new Uint8Array(await reply.arrayBuffer());
  return { status: reply.status, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function exportModel(calls: Calls, inputId: string) {
  const { operationId, result } = await calls.run('export', { inputId, exportToFormat: 'stl' });
  should(result.status).equal(200);
  return { operationId, fileId: String(result.body.fileId) };
}

/** Adds three users to a new folder, and stores files and models of each. */
export async function fillFolder(
  folder: string,
  { files, models }: { files: number; models: number },
): Promise<FilledFolder> {
  const filled: FilledFolder = { items: [], operations: [] };
  await copyTemplate(folder);
  for (const username of USERS) await addUserWithPassword(folder, username, `password of ${username}`);
  const service = await startService(folder);
  const users = [...(await signIn(folder, service.baseUrl))];
  for (let index = 0; index < files; index++) {
    const user = users[index % users.length];
    if (!user) throw new Error('There are no users.');
    const [owner, calls] = user;
    const { body } = await calls.upload(cube(index), `cube-${index}.stl`);
    const { sha256 } = await download(calls, body.fileId);
    filled.items.push({ id: body.fileId, owner, isModel: false, sha256 });
    if (index >= models) continue;
    const { operationId, result } = await calls.run('import', { fileId: body.fileId });
    const exported = await exportModel(calls, result.body.resultId);
    const exportHash = (await download(calls, exported.fileId)).sha256;
    filled.items.push({ id: result.body.resultId, owner, isModel: true, sha256: exportHash });
    filled.items.push({ id: exported.fileId, owner, isModel: false, sha256: exportHash });
    filled.operations.push({ id: operationId, owner }, { id: exported.operationId, owner });
  }
  await service.close();
  return filled;
}

/** Expects that each owner gets an item with the same bytes, and nobody else gets it. */
async function assertItem(item: StoredItem, users: Map<string, Calls>): Promise<void> {
  for (const [username, calls] of users) {
    if (username !== item.owner) {
      const path = item.isModel ? calls.post('export', { inputId: item.id, exportToFormat: 'stl' }) : undefined;
      should((await (path ?? calls.get(`file/${item.id}`))).status).equal(404);
      continue;
    }
    const fileId = item.isModel ? (await exportModel(calls, item.id)).fileId : item.id;
    should(await download(calls, fileId)).deepEqual({ status: 200, sha256: item.sha256 });
  }
}

/** Starts a service, and expects that it serves all files, models and operations to their owners only. */
export async function assertServed(folder: string, { items, operations }: FilledFolder): Promise<void> {
  const service = await startService(folder);
  try {
    const users = await signIn(folder, service.baseUrl);
    for (const item of items) await assertItem(item, users);
    for (const { id, owner } of operations) {
      const status = await users.get(owner)?.get(`${id}/status`);
      should(status?.body).match({ isCompleted: true, isSuccessful: true });
    }
  } finally {
    await service.close();
  }
}
