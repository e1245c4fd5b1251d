import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { sendRaw } from '../contract/support/raw-http.js';
import { countOf } from '../helpers/counts.js';
import { useFolder } from './support/data-folder.js';
import { type Program, startServe } from './support/program.js';
import { type BreakMoment, sendAndLoseReply, serializeStart, serializeUpload } from './support/raw-requests.js';
import { hangs } from './support/run-jobs.js';
import { startService } from './support/running.js';
import { copyTemplate } from './support/template-folder.js';
import { addUser, signIn, tokenOf, withStore } from './support/users.js';

const USERS = ['ann', 'bob'];
const STARTS = countOf('starts whose replies are lost');
const UPLOADS = countOf('uploads whose replies are lost');
const CONCURRENT = 16;

/** A request that is repeated until it gets a reply. */
interface Attempted {
  username: string;
  bytes: Buffer;
}

/** Calls `work` for each item, several at a time. */
async function forEachConcurrently<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>) {
  const entries = items.entries();
  const workRest = async (): Promise<void> => {
    for (const [index, item] of entries) await work(item, index);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, workRest));
}

function createUploads(count: number): Attempted[] {
  return Array.from({ length: count }, (_, index) => {
    const username = USERS[index % 2] ?? '';
    const request = { token: tokenOf(username), key: `upload ${index}`.replace(' ', '-') };
    return { username, bytes: serializeUpload(`solid ${index}\nendsolid\n`, `${index}.stl`, request) };
  });
}

/** Creates starts of imports. `fileIds`: the input of each user. */
function createStarts(count: number, fileIds: Map<string, string>): Attempted[] {
  return Array.from({ length: count }, (_, index) => {
    const username = USERS[index % 2] ?? '';
    const request = { token: tokenOf(username), key: `start-${index}` };
    return { username, bytes: serializeStart('import', { fileId: fileIds.get(username) }, request) };
  });
}

function momentOf(index: number): BreakMoment {
  return index % 4 < 2 ? 'sent' : 'replied';
}

describe('requests whose replies are lost', function () {
  this.timeout(900_000);
  let folder: string;

  /** Uploads a file for each user. */
  const uploadInputs = async (): Promise<Map<string, string>> => {
    const entries = USERS.map(async (username): Promise<[string, string]> => {
      const reply = await (await signIn(folder, username)).upload('solid input', 'input.stl');
      return [username, reply.body.fileId];
    });
    return new Map(await Promise.all(entries));
  };

  /** Sends each request once more. Resolves with the ids in the replies, in their order. */
  const repeatAll = async (baseUrl: string, requests: readonly Attempted[]): Promise<string[]> => {
    const ids: string[] = [];
    await forEachConcurrently(requests, async ({ bytes }, index) => {
      const { status, body } = await sendRaw(baseUrl, bytes);
      should(status).equal(200, body);
      const { operationId, fileId } = JSON.parse(body);
      ids[index] = operationId ?? fileId;
    });
    return ids;
  };

  /** Expects that the ids of the replies are exactly those in a table, each of the user who sent the request. */
  const assertRows = async (table: 'operation' | 'file', ids: string[], requests: Attempted[], others: string[]) => {
    const rows = await withStore(folder, (store) => store.selectFrom(table).select(['id', 'owner']).execute());
    const users = await withStore(folder, (store) => store.selectFrom('user').select(['id', 'username']).execute());
    const names = new Map(users.map(({ id, username }) => [id, username]));
    const owners = new Map(rows.map(({ id, owner }) => [id, names.get(owner)]));
    should(rows.length).equal(requests.length + others.length);
    should(new Set(ids).size).equal(requests.length);
    should(ids.map((id) => owners.get(id))).deepEqual(requests.map(({ username }) => username));
  };

  useFolder((created) => (folder = created));

  describe('by broken connections', () => {
    let service: RunningService;
    let port: number;

    beforeEach(async () => {
      service = await startService(folder, { runJob: hangs });
      port = Number(new URL(service.baseUrl).port);
      for (const name of USERS) await addUser(folder, name);
    });

    afterEach(() => service.close());

    const loseAll = (requests: readonly Attempted[]): Promise<void> =>
      forEachConcurrently(requests, ({ bytes }, index) => sendAndLoseReply(port, bytes, momentOf(index)));

    it(`start exactly ${STARTS} operations when ${STARTS} starts are repeated with their keys`, async () => {
      const fileIds = await uploadInputs();
      const starts = createStarts(STARTS, fileIds);
      await loseAll(starts);
      await loseAll(starts.toReversed());
      await assertRows('operation', await repeatAll(service.baseUrl, starts), starts, []);
    });

    it(`store exactly ${UPLOADS} files when ${UPLOADS} uploads are repeated with their keys`, async () => {
      const uploads = createUploads(UPLOADS);
      await loseAll(uploads);
      await loseAll(uploads.toReversed());
      await assertRows('file', await repeatAll(service.baseUrl, uploads), uploads, []);
    });
  });

  it('take effect once although the service is killed again and again', async () => {
    await copyTemplate(folder);
    let service: Program & { baseUrl: string } = await startServe(folder, ['--workers', '1']);
    try {
      for (const name of USERS) await addUser(folder, name);
      const fileIds = await uploadInputs();
      const [starts, uploads] = [createStarts(60, fileIds), createUploads(60)];
      const requests = starts.flatMap((start, index) => [start, ...uploads.slice(index, index + 1)]);
      for (let kill = 1; kill <= 5; kill++) {
        const port = Number(new URL(service.baseUrl).port);
        let sent = 0;
        await forEachConcurrently(requests, async ({ bytes }, index) => {
          await sendAndLoseReply(port, bytes, momentOf(index));
          sent += 1;
          if (sent === kill * 20) service.child.kill('SIGKILL');
        });
        await service.ended;
        service = await startServe(folder, ['--workers', '1']);
      }
      const operationIds = await repeatAll(service.baseUrl, starts);
      const ids = await repeatAll(service.baseUrl, uploads);
      await assertRows('operation', operationIds, starts, []);
      await assertRows('file', ids, uploads, [...fileIds.values()]);
    } finally {
      service.child.kill('SIGKILL');
      await service.ended;
    }
  });
});
