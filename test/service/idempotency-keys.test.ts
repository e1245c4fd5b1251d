import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import should from 'should';
import { copyStore } from '../../src/service/data-folder/copy-store.js';
import { openDataFolder } from '../../src/service/data-folder/data-folder.js';
import { recover } from '../../src/service/recovery/recover.js';
import type { RunningService, ServeOptions } from '../../src/service/serve.js';
import { createFiles } from '../../src/service/store/files.js';
import { eventually } from '../helpers/processes.js';
import type { Calls, Reply } from './support/account.js';
import { useFolder } from './support/data-folder.js';
import { CUBE } from './support/models.js';
import { serializeUpload } from './support/raw-requests.js';
import { hangs } from './support/run-jobs.js';
import { startService } from './support/running.js';
import { addToken, addUser, signIn, tokenOf, withStore } from './support/users.js';

const DAY = 24 * 3_600_000;

describe('a request with an idempotency key', () => {
  let folder: string;
  let service: RunningService;
  let ann: Calls;
  let bob: Calls;
  let annId: string;
  let elapsedMs: number;

  const withKey = (key: string) => ({ 'idempotency-key': key });
  const start = async (options: Partial<ServeOptions> = {}): Promise<void> => {
    service = await startService(folder, { runJob: hangs, monotonicNow: () => elapsedMs, ...options });
  };
  const count = (table: 'operation' | 'file' | 'idempotency_key'): Promise<number> =>
    withStore(folder, async (store) => (await store.selectFrom(table).select('created_at').execute()).length);
  const upload = async (calls: Calls, text = CUBE): Promise<string> =>
    (await calls.upload(text, 'cube.stl')).body.fileId;
  const shouldBeReused = ({ status, body }: Reply): void => {
    should([status, body.errors[0].code]).deepEqual([422, 42218]);
  };
  /** Deletes a file as an eviction does. */
  const evict = (id: string) => withStore(folder, (store) => createFiles(store).markDeleted(id, Number.MAX_VALUE, 1));

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    elapsedMs = 0;
    await start();
    annId = await addUser(folder, 'ann');
    await addUser(folder, 'bob');
    [ann, bob] = [await signIn(folder, 'ann'), await signIn(folder, 'bob')];
  });

  afterEach(() => service.close());

  describe('that starts an operation', () => {
    it('starts it once, and gets the same reply when it is repeated', async () => {
      const body = { fileId: await upload(ann) };
      const first = await ann.post('import', body, withKey('a'));
      should(first.status).equal(200);
      for (let repeat = 0; repeat < 3; repeat++) {
        should((await ann.post('import', body, withKey('a'))).body).deepEqual(first.body);
      }
      should(await count('operation')).equal(1);
    });

    it('starts it once if it is sent many times at the same time', async () => {
      const body = { fileId: await upload(ann) };
      const replies = await Promise.all(Array.from({ length: 20 }, () => ann.post('import', body, withKey('a'))));
      should(new Set(replies.map((reply) => `${reply.status} ${reply.body.operationId}`)).size).equal(1);
      should(await count('operation')).equal(1);
    });

    it('is the same however its content is written', async () => {
      const fileId = await upload(ann);
      const { body } = await ann.post('import', { fileId, measurementUnits: 'mm' }, withKey('a'));
      for (const same of [
        { fileId: fileId.toUpperCase(), measurementUnits: 'mm' },
        { fileId, measurementUnits: 'MM' },
        { callbackUrl: null, accuracyMm: null, measurementUnits: 'Mm', fileId },
      ]) {
        should((await ann.post('import', same, withKey('a'))).body).deepEqual(body);
      }
    });

    it('is refused with other content', async () => {
      const fileId = await upload(ann);
      await ann.post('import', { fileId }, withKey('a'));
      for (const other of [
        { fileId: await upload(ann) },
        { fileId, measurementUnits: 'inch' },
        { fileId, callbackUrl: 'http://127.0.0.1:9/' },
      ]) {
        shouldBeReused(await ann.post('import', other, withKey('a')));
      }
      should(await count('operation')).equal(1);
    });

    it('shares its key neither with another user nor with another route', async () => {
      const [fileId, other] = [await upload(ann), await upload(bob)];
      const replies = [
        await ann.post('import', { fileId }, withKey('a')),
        await bob.post('import', { fileId: other }, withKey('a')),
        await ann.upload(CUBE, 'cube.stl', withKey('a')),
        await bob.upload(CUBE, 'cube.stl', withKey('a')),
      ];
      should(replies.map(({ status }) => status)).deepEqual([200, 200, 200, 200]);
      should(new Set(replies.map(({ body }) => body.operationId ?? body.fileId)).size).equal(4);
      should((await bob.post('import', { fileId }, withKey('b'))).status).equal(404);
      should((await bob.post('import', { fileId }, withKey('a'))).status).equal(422); // bob's key, not ann's
    });

    it('gets the same reply after its input has expired', async () => {
      const body = { fileId: await upload(ann) };
      const first = await ann.post('import', body, withKey('a'));
      await withStore(folder, (store) => createFiles(store).setDeleted(body.fileId, 1));
      should((await ann.post('import', body, withKey('a'))).body).deepEqual(first.body);
      should((await ann.post('import', body, withKey('b'))).status).equal(410);
    });

    it('gets the same reply although the queue is full', async () => {
      await service.close();
      await start({ limits: { maxQueuedPerUser: 1 } });
      ann = await signIn(folder, 'ann');
      const body = { fileId: await upload(ann) };
      const first = await ann.post('import', body, withKey('a'));
      const more = [1, 2, 3].map((index) => ann.post('import', body, withKey(`more-${index}`)));
      should((await Promise.all(more)).map(({ status }) => status)).containEql(429);
      should((await ann.post('import', body, withKey('a'))).body).deepEqual(first.body);
    });

    it('leaves its key free if it is refused', async () => {
      const fileId = randomUUID();
      should((await ann.post('import', { fileId }, withKey('a'))).status).equal(404);
      should((await ann.post('import', { fileId: await upload(ann) }, withKey('a'))).status).equal(200);
    });

    it('gets the same reply after a restart, and starts a new operation after a day', async () => {
      const body = { fileId: await upload(ann) };
      const first = await ann.post('import', body, withKey('a'));
      await service.close();
      await start();
      elapsedMs = DAY - 60_000;
      ann = await signIn(folder, 'ann');
      should((await ann.post('import', body, withKey('a'))).body).deepEqual(first.body);
      elapsedMs = DAY + 60_000;
      const later = await ann.post('import', body, withKey('a'));
      should(later.status).equal(200);
      should(later.body).not.deepEqual(first.body);
      should((await ann.post('import', body, withKey('a'))).body).deepEqual(later.body);
    });

    it('gets the same reply after a recovery of the database', async () => {
      const body = { fileId: await upload(ann) };
      const first = await ann.post('import', body, withKey('a'));
      await service.close();
      const dataFolder = await openDataFolder(folder);
      await recover(dataFolder, true, 5 * DAY);
      dataFolder.release();
      await start();
      await addToken(folder, 'ann', annId); // a recovered database has none
      ann = await signIn(folder, 'ann');
      should((await ann.post('import', body, withKey('a'))).body).deepEqual(first.body);
      should(await count('operation')).equal(1);
    });

    it('gets the same reply from a restored backup', async () => {
      const body = { fileId: await upload(ann) };
      const first = await ann.post('import', body, withKey('a'));
      const backup = path.join(folder, 'backup');
      await withStore(folder, (store) => copyStore(store, folder, backup));
      await service.close();
      await start({ dataFolder: backup });
      ann = await signIn(backup, 'ann');
      should((await ann.post('import', body, withKey('a'))).body).deepEqual(first.body);
    });

    it('has its key deleted by the regular sweep after a day', async () => {
      await ann.post('import', { fileId: await upload(ann) }, withKey('a'));
      await service.close();
      await start(); // sweeps
      should(await count('idempotency_key')).equal(1);
      await service.close();
      elapsedMs = 2 * DAY;
      let monotonicMs = 0;
      await start({
        monotonicNow: () => {
          const time = monotonicMs;
          monotonicMs = 2 * DAY; // the time after the start of the clock
          return time;
        },
      });
      should(await count('idempotency_key')).equal(0);
    });
  });

  describe('that uploads a file', () => {
    const blobNames = async (): Promise<string[]> =>
      (await readdir(folder, { recursive: true })).filter((name) => /[0-9a-f]{8}-.*(?<!json)$/.test(name));

    it('stores it once, and gets the same reply when it is repeated', async () => {
      const first = await ann.upload(CUBE, 'cube.stl', withKey('a'));
      should(first.status).equal(200);
      const repeated = await ann.upload(CUBE, 'cube.stl', withKey('a'));
      should([repeated.status, repeated.body]).deepEqual([200, first.body]);
      should([await count('file'), (await blobNames()).length]).deepEqual([1, 1]);
    });

    it('stores it once if it is sent many times at the same time', async () => {
      const replies = await Promise.all(Array.from({ length: 10 }, () => ann.upload(CUBE, 'cube.stl', withKey('a'))));
      should(new Set(replies.map(({ status, body }) => `${status} ${body.fileId}`)).size).equal(1);
      should([await count('file'), (await blobNames()).length]).deepEqual([1, 1]);
    });

    it('is refused with other bytes or another filename, and nothing is stored', async () => {
      await ann.upload(CUBE, 'cube.stl', withKey('a'));
      shouldBeReused(await ann.upload(`${CUBE}\n`, 'cube.stl', withKey('a')));
      shouldBeReused(await ann.upload(CUBE, 'box.stl', withKey('a')));
      should([await count('file'), (await blobNames()).length]).deepEqual([1, 1]);
    });

    it('keeps the first of different files that are sent at the same time', async () => {
      const texts = Array.from({ length: 6 }, (_, index) => `${CUBE}${' '.repeat(index)}`);
      const replies = await Promise.all(texts.map((text) => ann.upload(text, 'cube.stl', withKey('a'))));
      const isFirst = ({ status }: Reply): boolean => status === 200;
      should(replies.filter(isFirst).length).equal(1);
      for (const reply of replies) if (!isFirst(reply)) shouldBeReused(reply);
      const text = texts[replies.findIndex(isFirst)];
      should((await ann.get(`file/${replies.find(isFirst)?.body.fileId}`)).body).equal(text);
      should([await count('file'), (await blobNames()).length]).deepEqual([1, 1]);
    });

    it('gets the id of its repetition that was completed first', async () => {
      const bytes = serializeUpload(CUBE, 'cube.stl', { token: tokenOf('ann'), key: 'a' });
      const socket = net.connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
      socket.write(bytes.subarray(0, 700));
      await eventually('the upload is running', async () => (await readdir(path.join(folder, 'temp'))).length > 0);
      const { body } = await ann.upload(CUBE, 'cube.stl', withKey('a'));
      socket.write(bytes.subarray(700));
      const [reply] = await once(socket, 'data');
      socket.destroy();
      should(String(reply)).match(/^HTTP\/1.1 200 /);
      should(String(reply)).containEql(body.fileId);
      should([await count('file'), (await blobNames()).length]).deepEqual([1, 1]);
    });

    it('gets 410 if the first file is deleted while it is repeated', async () => {
      const { fileId } = (await ann.upload(CUBE, 'cube.stl', withKey('a'))).body;
      const bytes = serializeUpload(CUBE, 'cube.stl', { token: tokenOf('ann'), key: 'a', isWaiting: true });
      const bodyStart = bytes.indexOf('\r\n\r\n') + 4;
      const socket = net.connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
      socket.write(bytes.subarray(0, bodyStart));
      should(String((await once(socket, 'data'))[0])).match(/^HTTP\/1.1 100 /);
      await evict(fileId);
      socket.write(bytes.subarray(bodyStart));
      should(String((await once(socket, 'data'))[0])).match(/^HTTP\/1.1 410 .*41000/s);
      socket.destroy();
      should((await ann.upload(CUBE, 'cube.stl', withKey('a'))).body.fileId).not.equal(fileId);
    });

    it('gets the same reply after a recovery without the database', async () => {
      const { body } = await ann.upload(CUBE, 'cube.stl', withKey('a'));
      await service.close();
      for (const suffix of ['', '-wal', '-shm']) await rm(path.join(folder, `service.db${suffix}`), { force: true });
      const dataFolder = await openDataFolder(folder);
      await recover(dataFolder, true, 5 * DAY);
      dataFolder.release();
      await start();
      await addToken(folder, 'ann', annId);
      ann = await signIn(folder, 'ann');
      should((await ann.upload(CUBE, 'cube.stl', withKey('a'))).body.fileId).equal(body.fileId);
      shouldBeReused(await ann.upload('other', 'cube.stl', withKey('a')));
      should(await count('file')).equal(1);
    });

    it('needs no room when it is repeated', async () => {
      const first = await ann.upload(CUBE, 'cube.stl', withKey('a'));
      await service.close();
      await start({ quotaBytes: CUBE.length + 100 });
      ann = await signIn(folder, 'ann');
      should((await ann.upload(CUBE, 'cube.stl', withKey('a'))).body.fileId).equal(first.body.fileId);
      should((await ann.upload(CUBE, 'cube.stl', withKey('b'))).status).equal(507);
    });

    it('stores a new file once its user has deleted the first one', async () => {
      const { fileId } = (await ann.upload(CUBE, 'cube.stl', withKey('a'))).body;
      const headers = { authorization: `Bearer ${ann.token}` };
      await fetch(`${ann.baseUrl}/web-api/operation/file/${fileId}`, { method: 'DELETE', headers });
      const second = await ann.upload('other', 'other.stl', withKey('a'));
      should(second.status).equal(200);
      should(second.body.fileId).not.equal(fileId);
    });

    it('stores a new file once the first one was evicted or is damaged', async () => {
      const ids = [await ann.upload(CUBE, 'cube.stl', withKey('a'))].map(({ body }) => body.fileId);
      await evict(ids[0]);
      ids.push((await ann.upload(CUBE, 'cube.stl', withKey('a'))).body.fileId);
      await withStore(folder, (store) => createFiles(store).setDamaged(ids[1], 1));
      ids.push((await ann.upload('other', 'other.stl', withKey('a'))).body.fileId);
      should(new Set(ids).size).equal(3);
      should((await ann.upload('other', 'other.stl', withKey('a'))).body.fileId).equal(ids[2]);
    });
  });

  it('is refused with an invalid key', async () => {
    const fileId = await upload(ann);
    for (const key of [
      '',
      ' ',
      'a b',
      '"',
      '""',
      '"a',
      '"a"b',
      '"a\\b"',
      'ä',
      '"a", "b"',
      'x'.repeat(256),
      `"${'x'.repeat(256)}"`,
    ]) {
      for (const reply of [
        await ann.post('import', { fileId }, withKey(key)),
        await ann.upload(CUBE, 'a.stl', withKey(key)),
      ]) {
        should([key, reply.status, reply.body.errors[0].code]).deepEqual([key, 400, 40001]);
        should(reply.body.errors[0].message).match(/Idempotency-Key/);
      }
    }
  });

  it('has the same key with quotes and without', async () => {
    const body = { fileId: await upload(ann) };
    for (const [quoted, bare] of [
      ['"a"', 'a'],
      ['"a\\"\\\\"', 'a"\\'],
      [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
    ] as const) {
      const first = await ann.post('import', body, withKey(quoted));
      should(first.status).equal(200);
      should((await ann.post('import', body, withKey(bare))).body).deepEqual(first.body);
    }
    should(await count('operation')).equal(3);
  });
});
