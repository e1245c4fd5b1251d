import { rm } from 'node:fs/promises';
import should from 'should';
import type { BlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { findFiles } from '../../../src/service/recovery/find-files.js';
import type { Files } from '../../../src/service/store/files.js';
import type { FileRow } from '../../../src/service/store/schema.js';
import { registerFileBench } from '../support/file-bench.js';

describe('findFiles', () => {
  let blobs: BlobFolder;
  let files: Files;
  const bench = registerFileBench((opened) => ({ blobs, files } = opened));

  const readRow = async (id: string): Promise<FileRow> => {
    const row = await files.findStored(id);
    if (!row) throw new Error(`No row of ${id}.`);
    return row;
  };

  const find = async (row: FileRow): Promise<FileRow | undefined> => {
    const table = { rows: [row], isComplete: () => true };
    return (await findFiles(blobs, table, 100)).rows.get(row.id);
  };

  it('marks a file without bytes and record as lost, so that a later start restores it if they come back', async () => {
    const row = await readRow(await bench.storeFile('bytes'));
    await rm(blobs.pathOf(row.id));
    await rm(`${blobs.pathOf(row.id)}.json`);
    const found = await find(row);
    should([found?.deleted_at, found?.damaged_at]).deepEqual([100, 100]);
  });

  it('keeps a deleted file deleted, also if its bytes and its record are left', async () => {
    for (const isRemoved of [true, false]) {
      const row = await readRow(await bench.storeFile('bytes'));
      if (isRemoved) await blobs.remove([row.id]);
      const found = await find({ ...row, deleted_at: 5 });
      should([found?.deleted_at, found?.damaged_at]).deepEqual([100, null]);
    }
  });

  it('finds the keys of uploads, those of the newest first, and none of deleted files', async () => {
    const request = { key: 'a', fingerprint: 'f' };
    const [old, recent] = [
      await bench.storeFile('bytes', { request, createdAt: 1 }),
      await bench.storeFile('bytes', { request, createdAt: 2 }),
    ];
    const deleted = await readRow(await bench.storeFile('bytes', { request, createdAt: 3 }));
    await bench.storeFile('bytes');
    const table = { rows: [{ ...deleted, deleted_at: 5 }], isComplete: () => true };
    const { claims } = await findFiles(blobs, table, 100);
    const claim = { owner: 'me', route: 'file', ...request, created_at: 100, expiredBefore: 0 };
    should([...claims]).deepEqual([
      [recent, claim],
      [old, claim],
    ]);
  });

  it('keeps a file whose deletion is before its creation: the column was altered', async () => {
    const row = await readRow(await bench.storeFile('bytes'));
    should(await find({ ...row, deleted_at: row.retained_from - 1 })).match({ deleted_at: null });
  });

  it('finds a lost file again whose bytes and record are back', async () => {
    const row = await readRow(await bench.storeFile('bytes'));
    should(await find({ ...row, deleted_at: 5, damaged_at: 5 })).match({ deleted_at: null });
  });
});
