import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import type { ServeOptions } from '../../src/service/serve.js';
import { eventually } from '../helpers/processes.js';
import type { Calls } from './support/account.js';
import { sphere } from './support/models.js';
import { bodySize, startUpload } from './support/partial-upload.js';
import { addSignedInUser } from './support/users.js';
import { withServiceOfEachTest } from './support/with-service.js';

const MB = 1_000_000;
const HOUR_MS = 60 * 60 * 1000;

describe('the disk quota of two users', () => {
  let folder: string;
  let now: number;
  let ann: Calls;
  let bob: Calls;

  const startService = withServiceOfEachTest((bench) => ({ folder, api: ann } = bench), {
    now: () => now,
    monotonicNow: () => now,
    limits: { accessTokenMs: 1e12 },
  });

  const start = async (options: Partial<ServeOptions>): Promise<void> => {
    now = Date.now();
    await startService(options);
    bob = await addSignedInUser(folder, 'bob');
  };

  const upload = async (user: Calls, bytes: number): Promise<string> => {
    const { status, body } = await user.upload(new Uint8Array(bytes), 'a.stl');
    status.should.equal(200, JSON.stringify(body));
    return body.fileId;
  };

  const uploadEach = async (user: Calls, count: number, bytes: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) ids.push(await upload(user, bytes));
    return ids;
  };

  /** Returns which of these files are stored. Reads none of them, since that protects a file from eviction. */
  const areStored = (ids: string[]): boolean[] =>
    ids.map((id) => existsSync(path.join(folder, 'blobs', id.slice(0, 2), id)));

  const temporaryFiles = (): Promise<string[]> => readdir(path.join(folder, 'temp'));

  const untilUploading = (): Promise<unknown> =>
    eventually('the upload began', async () => (await temporaryFiles()).length > 0);

  const untilNoTemporaryFile = (): Promise<unknown> =>
    eventually('the temporary file is gone', async () => (await temporaryFiles()).length === 0);

  /** Uploads once the reservation of an upload is released, which follows the deletion of its temporary file. */
  const untilUploaded = (user: Calls, bytes: number): Promise<unknown> =>
    eventually('the upload fits', async () => (await user.upload(new Uint8Array(bytes), 'a.stl')).status === 200);

  const temporaryBytes = async (): Promise<number> => {
    const [name = ''] = await temporaryFiles();
    return (await stat(path.join(folder, 'temp', name))).size;
  };

  for (const announced of [19 * MB, 9 * MB]) {
    it(`is not taken by an upload that announces ${announced / MB} MB and sends 5 bytes`, async () => {
      await start({ quotaBytes: 20 * MB });
      const ids = await uploadEach(ann, 3, 4 * MB);
      now += 2 * HOUR_MS;
      const partial = startUpload(bob, announced);
      partial.send('solid');
      if (announced < 10 * MB) await untilUploading();
      else should(await partial.untilClosed()).match(/^HTTP\/1.1 507 .*"code":50701/s);
      ids.push(await upload(ann, 4 * MB));
      should(areStored(ids)).deepEqual([true, true, true, true]);
      partial.hangUp();
      await untilNoTemporaryFile();
      ids.push(await upload(ann, 3 * MB));
      should(areStored(ids)).deepEqual([true, true, true, true, true]);
    });
  }

  it('is taken from the user above an equal share, while the bytes of another one arrive', async () => {
    await start({ quotaBytes: 20 * MB });
    const ids = await uploadEach(ann, 4, 4 * MB);
    now += 2 * HOUR_MS;
    const file = 7 * MB;
    const partial = startUpload(bob, bodySize(file));
    partial.send(new Uint8Array(2 * MB));
    await untilUploading();
    should(areStored(ids)).deepEqual([true, true, true, true]);
    partial.send(new Uint8Array(file - 2 * MB));
    partial.end();
    should(await partial.untilClosed()).match(/^HTTP\/1.1 200 /);
    should(areStored(ids).filter(Boolean)).have.length(3);
  });

  it('keeps the files of a user within an equal share from one above it', async () => {
    await start({ quotaBytes: 20 * MB + 1000 });
    const older = await uploadEach(bob, 2, 4 * MB);
    const ids = await uploadEach(ann, 2, 4 * MB);
    now += 2 * HOUR_MS;
    for (let count = 0; count < 2; count++) ids.push(await upload(ann, 4 * MB));
    should(areStored(ids)).deepEqual([false, true, true, true]);
    should((await ann.upload(new Uint8Array(9 * MB), 'a.stl')).body.errors[0].code).equal(50701);
    should(areStored(older)).deepEqual([true, true]);
  });

  it('counts the output of an operation to its owner', async () => {
    await start({ quotaBytes: 20 * MB, userQuotaBytes: 8000 });
    const text = sphere(8, 10);
    const { fileId } = (await bob.upload(text, 'sphere.stl')).body;
    const { status } = await bob.run('import', { fileId });
    status.body.should.match({ isSuccessful: false, error: { code: 50702 } });
    should(await temporaryFiles()).be.empty();
  });

  describe('with a quota of each user', () => {
    it('refuses what exceeds it with 50702 before the body is sent, and stays open to others', async () => {
      await start({ quotaBytes: 100 * MB, userQuotaBytes: 10 * MB });
      const ids = await uploadEach(bob, 2, 4 * MB);
      const partial = startUpload(bob, 5 * MB);
      should(await partial.untilClosed()).match(/^HTTP\/1.1 507 .*"code":50702/s);
      should(areStored(ids).filter(Boolean)).have.length(2);
      await upload(ann, 9 * MB);
    });

    it('evicts own files within it, and never those of others', async () => {
      await start({ quotaBytes: 100 * MB, userQuotaBytes: 10 * MB });
      const others = await uploadEach(ann, 2, 4 * MB);
      const ids = await uploadEach(bob, 2, 4 * MB);
      now += 2 * HOUR_MS;
      ids.push(await upload(bob, 5 * MB));
      should(areStored(ids)).deepEqual([false, true, true]);
      should(areStored(others)).deepEqual([true, true]);
    });
  });

  describe('when an upload ends early', () => {
    it('is free again after the client hung up midway', async () => {
      await start({ quotaBytes: 20 * MB });
      const partial = startUpload(bob, 18 * MB);
      partial.send(new Uint8Array(17 * MB));
      await eventually('most of it is on the disk', async () => (await temporaryBytes()) > 15 * MB);
      should((await ann.upload(new Uint8Array(4 * MB), 'a.stl')).status).equal(507);
      partial.hangUp();
      await untilNoTemporaryFile();
      await untilUploaded(ann, 18 * MB);
    });

    it('is free again after an upload found no more space midway', async () => {
      await start({ quotaBytes: 20 * MB });
      const partial = startUpload(bob, 18 * MB);
      partial.send(new Uint8Array(2 * MB));
      await untilUploading();
      await upload(ann, 10 * MB);
      partial.send(new Uint8Array(15 * MB));
      should(await partial.untilClosed()).match(/^HTTP\/1.1 507 .*"code":50701/s);
      await untilNoTemporaryFile();
      await untilUploaded(ann, 9 * MB);
    });

    it('is not exceeded by a body that is longer than announced', async () => {
      await start({ quotaBytes: 20 * MB });
      const partial = startUpload(bob, MB);
      partial.send(new Uint8Array(3 * MB));
      partial.end();
      should(await partial.untilClosed()).match(/^HTTP\/1.1 400 /);
      await untilNoTemporaryFile();
      await untilUploaded(ann, 19 * MB);
    });
  });

  it('is shared by uploads at the same time, of which those that do not fit get 507', async () => {
    await start({ quotaBytes: 20 * MB });
    const users = [ann, bob, ann, bob, ann, bob];
    const replies = await Promise.all(users.map((user) => user.upload(new Uint8Array(6 * MB), 'a.stl')));
    const statuses = replies.map(({ status }) => status);
    should(new Set(statuses)).deepEqual(new Set([200, 507]));
    should(statuses.filter((status) => status === 200).length).be.within(1, 3);
    await untilNoTemporaryFile();
  });
});
