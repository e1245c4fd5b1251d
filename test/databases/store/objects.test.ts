import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import should from 'should';
import type { BlobRecord } from '../../../src/service/blobs/blob-record.js';
import { createObjectKey, createRecordKey } from '../../../src/service/blobs/s3/object-keys.js';
import { createCancellations } from '../../../src/service/store/cancellations.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { createFiles } from '../../../src/service/store/files.js';
import { insertFile } from '../../../src/service/store/insert-file.js';
import { eventually } from '../../helpers/processes.js';
import { recordOf } from '../../service/support/records.js';
import { type ObjectBench, registerObjectBench } from '../blobs/support/object-bench.js';

describe('the rows of objects', () => {
  let bench: ObjectBench;
  registerObjectBench((opened) => (bench = opened));

  /** Adds a file with an object of its own. */
  async function addFile(): Promise<{ record: BlobRecord; key: string }> {
    const record = recordOf(randomUUID(), 'bytes');
    const key = createObjectKey(record.id, randomUUID());
    await bench.rows.open(key, 'me');
    await bench.addFile(record, key);
    return { record, key };
  }

  /** Opens the record of a file that shares an object. */
  async function openShare(key: string): Promise<{ record: BlobRecord; recordKey: string }> {
    const record = recordOf(randomUUID(), 'bytes');
    const recordKey = createRecordKey(record.id, key);
    await bench.rows.open(recordKey, 'me');
    return { record, recordKey };
  }

  it('confirms an object that is open in the transaction of its file', async () => {
    const { record, key } = await addFile();
    should(await bench.readStates()).deepEqual({ [key]: 'confirmed' });
    should(await bench.rows.isConfirmed(key)).be.true();
    const { size, sha256, blockCrcs } = record;
    should(await bench.rows.findFile(record.id)).deepEqual({ key, digest: { size, sha256, blockCrcs } });
  });

  for (const state of ['confirmed', 'deleting', 'none'] as const) {
    it(`adds no file whose object has the state ${state}`, async () => {
      const record = recordOf(randomUUID(), 'bytes');
      const key = createObjectKey(record.id, randomUUID());
      if (state !== 'none') await bench.rows.open(key, 'me');
      if (state === 'deleting') await bench.rows.discard(key);
      if (state === 'confirmed') await bench.store.updateTable('object').set({ state }).execute();
      await should(bench.addFile(record, key)).be.rejectedWith({ code: 'STORAGE_UNAVAILABLE' });
      should(await bench.rows.findFile(record.id)).be.undefined();
    });
  }

  it('touches the objects that are open only', async () => {
    const { key: confirmed } = await addFile();
    await bench.rows.open('open', 'me');
    await bench.rows.open('discarded', 'me');
    await bench.rows.discard('discarded');
    should(await bench.rows.touch([confirmed, 'open', 'discarded', 'none'])).deepEqual(['open']);
    bench.time += 10;
    await bench.rows.touch(['open']);
    await bench.rows.discardStale(bench.time);
    should(await bench.readStates()).match({ open: 'open' });
    await bench.rows.discardStale(bench.time + 1);
    should(await bench.readStates()).deepEqual({ [confirmed]: 'confirmed', open: 'deleting', discarded: 'deleting' });
  });

  it('opens an object again while it is open, but not while it is confirmed or to be deleted', async () => {
    const { key: confirmed } = await addFile();
    should(await bench.rows.open('key', 'me')).be.true();
    should(await bench.rows.open('key', 'me')).be.true();
    await bench.rows.discard('key');
    should(await bench.rows.open('key', 'me')).be.false();
    should(await bench.rows.open(confirmed, 'me')).be.false();
  });

  it('does not discard an object that is confirmed', async () => {
    const { key } = await addFile();
    await bench.rows.discard(key);
    await bench.rows.discardStale(bench.time + 1);
    should(await bench.readStates()).deepEqual({ [key]: 'confirmed' });
  });

  it('keeps the object of a file that is not deleted', async () => {
    const { record, key } = await addFile();
    await bench.rows.release([record.id]);
    should(await bench.readStates()).deepEqual({ [key]: 'confirmed' });
  });

  for (const [name, remove] of Object.entries({
    deletion: (id: string, now: number) =>
      createCancellations(bench.store).deleteFile(id, 'me', { now, retainedFrom: now }),
    eviction: (id: string, now: number) => createFiles(bench.store).markDeleted(id, now + 1, now),
  })) {
    it(`gives up the object in the transaction of the ${name}, after which the process may end`, async () => {
      const { record: first, key } = await addFile();
      const { record: second, recordKey } = await openShare(key);
      await bench.addFile(second, key);
      should(await remove(second.id, bench.time)).be.ok();
      should(await bench.readStates()).deepEqual({ [key]: 'confirmed', [recordKey]: 'deleting' });
      should(await remove(first.id, bench.time)).be.ok();
      should(await bench.readStates()).deepEqual({ [key]: 'deleting', [recordKey]: 'deleting' });
    });
  }

  it('releases more files at once than a statement has parameters', async () => {
    const { record, key } = await addFile();
    await bench.deleteFile(record.id);
    await bench.rows.release([...Array.from({ length: 70_000 }, () => randomUUID()), record.id]);
    should(await bench.readStates()).deepEqual({ [key]: 'deleting' });
  });

  it('keeps a shared object until its last file is deleted, but not the records', async () => {
    const { record: first, key } = await addFile();
    const { record: second, recordKey } = await openShare(key);
    await bench.addFile(second, key);
    should(await bench.readStates()).deepEqual({ [key]: 'confirmed' });

    await bench.deleteFile(first.id);
    await bench.rows.release([first.id]);
    const firstRecord = createRecordKey(first.id, key);
    should(await bench.readStates()).deepEqual({ [key]: 'confirmed', [firstRecord]: 'deleting' });
    should(await bench.rows.isRecordNeeded(first.id, firstRecord)).be.false();
    should(await bench.rows.isRecordNeeded(second.id, recordKey)).be.true();

    await bench.deleteFile(second.id);
    await bench.rows.release([second.id]);
    const deleting = { [key]: 'deleting', [firstRecord]: 'deleting', [recordKey]: 'deleting' };
    should(await bench.readStates()).deepEqual(deleting);
    should(new Set(await bench.rows.findDeleting(10))).deepEqual(new Set(Object.keys(deleting)));
    for (const each of await bench.rows.findDeleting(10)) await bench.rows.forget(each);
    await bench.rows.release([first.id]);
    should(await bench.readStates()).deepEqual({});
  });

  it('adds no file that shares an object whose last file was deleted', async () => {
    const { record: first, key } = await addFile();
    const { record: second } = await openShare(key);
    await bench.deleteFile(first.id);
    await bench.rows.release([first.id]);
    await should(bench.addFile(second, key)).be.rejectedWith({ code: 'STORAGE_UNAVAILABLE' });
  });

  it('keeps an object that a transaction shares while the bytes of its last file are released', async () => {
    const { record: first, key } = await addFile();
    const { record: second } = await openShare(key);
    await bench.deleteFile(first.id);
    let released: Promise<void> = Promise.resolve();
    await bench.store.transaction().execute(async (transaction) => {
      await insertFile(transaction, createFileRow(second, bench.time, key));
      released = bench.rows.release([first.id]);
      await untilOneWaits();
    });
    await released;
    should(await bench.readStates()).match({ [key]: 'confirmed' });
  });

  it('marks an object whose two last files are deleted at the same time', async () => {
    for (let round = 0; round < 20; round++) {
      const { record: first, key } = await addFile();
      const { record: second } = await openShare(key);
      await bench.addFile(second, key);
      const remove = async ({ id }: BlobRecord): Promise<void> => {
        await bench.deleteFile(id);
        await bench.rows.release([id]);
      };
      await Promise.all([remove(first), remove(second)]);
      should((await bench.readStates())[key]).equal('deleting');
    }
  });

  /** Resolves when a transaction waits for the lock of another one. */
  async function untilOneWaits(): Promise<void> {
    await eventually('a transaction waits for a lock', async () => {
      const { rows } = await sql`select 1 from pg_locks where not granted`.execute(bench.store);
      return rows.length > 0;
    });
  }
});
