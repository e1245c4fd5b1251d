import { rm, writeFile } from 'node:fs/promises';
import should from 'should';
import type { BlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { createDamageRecorder } from '../../../src/service/integrity/damage-recorder.js';
import { type Verdict, verifyFile } from '../../../src/service/integrity/verify-file.js';
import { createLogger } from '../../../src/service/logger.js';
import type { Store } from '../../../src/service/store/database.js';
import type { Files } from '../../../src/service/store/files.js';
import type { FileRow } from '../../../src/service/store/schema.js';
import { deletingAtWrite, registerFileBench } from '../support/file-bench.js';
import { recordOf } from '../support/records.js';

describe('verifyFile', () => {
  let store: Store;
  let files: Files;
  let blobs: BlobFolder;
  const bench = registerFileBench((opened) => ({ store, files, blobs } = opened));

  const storeFile = (bytes: string): Promise<string> => bench.storeFile(bytes, { operationId: 'the operation' });

  const verify = async (id: string, signal = new AbortController().signal): Promise<Verdict> => {
    const row = await files.find(id, 'me');
    if (!row) throw new Error(`No row ${id}.`);
    return verifyRow(row, signal);
  };

  const verifyRow = (row: FileRow, signal = new AbortController().signal, target = blobs): Promise<Verdict> => {
    const damage = createDamageRecorder({ files, blobs, now: () => 9, logger: createLogger('silent') });
    return verifyFile(row, { files, blobs: target, damage }, signal);
  };

  const SOUND: Verdict = { state: 'sound', isRestored: false, isRecordRebuilt: false };

  it('finds a file with its bytes and its record sound', async () => {
    for (const bytes of ['bytes', '']) should(await verify(await storeFile(bytes))).deepEqual(SOUND);
  });

  it('marks a file whose bytes are altered, cut off or missing, and takes the mark off once they are back', async () => {
    const [altered, cut, missing] = [await storeFile('bytes'), await storeFile('bytes'), await storeFile('bytes')];
    await writeFile(blobs.pathOf(altered), 'BYTES');
    await writeFile(blobs.pathOf(cut), 'byte');
    await rm(blobs.pathOf(missing));
    for (const id of [altered, cut, missing]) {
      should(await verify(id)).match({ state: 'damaged' });
      should(await files.find(id, 'me')).match({ damaged_at: 9 });
      await writeFile(blobs.pathOf(id), 'bytes');
      should(await verify(id)).deepEqual({ ...SOUND, isRestored: true });
      should(await files.find(id, 'me')).match({ damaged_at: null });
    }
  });

  it('finds bytes whose block checksums are right but whose SHA-256 is not', async () => {
    const id = await storeFile('bytes');
    await store
      .updateTable('file')
      .set({ sha256: '0'.repeat(64) })
      .execute();
    should(await verify(id)).match({ state: 'damaged', reason: /SHA-256/ });
  });

  it('writes a record again that is missing, damaged or different', async () => {
    const id = await storeFile('bytes');
    const file = `${blobs.pathOf(id)}.json`;
    await rm(file);
    should(await verify(id)).deepEqual({ ...SOUND, isRecordRebuilt: true });
    await writeFile(file, 'damaged');
    should(await verify(id)).deepEqual({ ...SOUND, isRecordRebuilt: true });
    await blobs.writeRecord(recordOf(id, 'bytes', { owner: 'other', operationId: 'the operation' }));
    should(await verify(id)).deepEqual({ ...SOUND, isRecordRebuilt: true });
    should(await blobs.readRecord(id)).deepEqual(recordOf(id, 'bytes', { operationId: 'the operation' }));
    should(await verify(id)).deepEqual(SOUND);
  });

  it('keeps the idempotency key in the record of an upload', async () => {
    const request = { key: 'a', fingerprint: 'f' };
    const id = await bench.storeFile('bytes', { request });
    should(await verify(id)).deepEqual(SOUND);
    await blobs.writeRecord(recordOf(id, 'bytes', { filename: 'b.stl', request }));
    should(await verify(id)).deepEqual({ ...SOUND, isRecordRebuilt: true });
    should(await blobs.readRecord(id)).deepEqual(recordOf(id, 'bytes', { request }));
  });

  it('does not know files without a digest, and reports nothing for those that were deleted meanwhile', async () => {
    const [old, deleted] = [await storeFile('bytes'), await storeFile('bytes')];
    await store.updateTable('file').set({ sha256: null, block_crcs: null }).where('id', '=', old).execute();
    await files.setDeleted(deleted, 5);
    await blobs.remove([deleted]);
    should(await verify(old)).deepEqual({ state: 'unknown' });
    should(await verify(deleted)).deepEqual({ state: 'deleted' });
  });

  it('writes no record of a file that was deleted while it was read', async () => {
    const id = await storeFile('bytes');
    const file = await files.findStored(id);
    await files.setDeleted(id, 5);
    await rm(`${blobs.pathOf(id)}.json`);
    should(file && (await verifyRow(file))).deepEqual({ state: 'deleted' });
    should(await blobs.readRecord(id)).equal(undefined);
  });

  it('leaves no record of a file that is deleted while its record is written', async () => {
    const id = await storeFile('bytes');
    const file = await files.findStored(id);
    await rm(`${blobs.pathOf(id)}.json`);
    const { signal } = new AbortController();
    should(file && (await verifyRow(file, signal, deletingAtWrite(blobs, files)))).deepEqual({ state: 'deleted' });
    should(await blobs.listIds()).deepEqual({ blobs: new Set(), records: new Set() });
  });

  it('ends when it is aborted', async () => {
    const id = await storeFile('bytes');
    await verify(id, AbortSignal.abort(new Error('stopped'))).should.be.rejectedWith('stopped');
    should(await files.find(id, 'me')).match({ damaged_at: null });
  });
});
