import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import should from 'should';
import type { BlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { markDeleted } from '../../../src/service/blobs/mark-deleted.js';
import { createCancellations } from '../../../src/service/store/cancellations.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import type { Files } from '../../../src/service/store/files.js';
import { registerFileBench } from '../support/file-bench.js';
import { recordOf } from '../support/records.js';

const MINE = '00000000-0000-4000-8000-000000000001';
const YOURS = '00000000-0000-4000-8000-000000000002';

function errorWith(code: string): Error {
  return Object.assign(new Error('the write failed'), { code });
}

describe('markDeleted', () => {
  let store: Store;
  let files: Files;
  let blobs: BlobFolder;

  registerFileBench((bench) => ({ store, files, blobs } = bench));

  beforeEach(async () => {
    for (const [id, owner] of [
      [MINE, 'me'],
      [YOURS, 'you'],
    ] as const) {
      const record = recordOf(id, 'bytes', { owner });
      const scratch = blobs.scratchPath();
      await writeFile(scratch, 'bytes');
      await blobs.fromScratch(scratch, record);
      await files.add(createFileRow(record, 1));
    }
  });

  /** The two marks: of a user who deletes a file, and of an eviction. */
  const marks = {
    'a deletion': async (id: string, owner: string) =>
      (await createCancellations(store).deleteFile(id, owner, { now: 3, retainedFrom: 3 })) !== undefined,
    'an eviction': (id: string) => files.markDeleted(id, 2, 3),
  };

  for (const [name, mark] of Object.entries(marks)) {
    it(`leaves the bytes until the mark of ${name} is written`, async () => {
      should(await markDeleted(MINE, () => mark(MINE, 'me'), blobs)).be.true();
      existsSync(blobs.pathOf(MINE)).should.be.true();
    });

    it(`removes the bytes of this file only if the disk is full for the mark of ${name}`, async () => {
      const failing = async (): Promise<boolean> => {
        if (existsSync(blobs.pathOf(MINE))) throw errorWith('SQLITE_FULL');
        return mark(MINE, 'me');
      };
      should(await markDeleted(MINE, failing, blobs)).be.true();
      should((await files.find(MINE, 'me'))?.deleted_at).equal(3);
      should((await files.find(YOURS, 'you'))?.deleted_at).equal(null);
      existsSync(blobs.pathOf(YOURS)).should.be.true();
    });
  }

  it('keeps the bytes if the mark fails for another reason', async () => {
    const failing = (): Promise<boolean> => Promise.reject(errorWith('SQLITE_IOERR'));
    await markDeleted(MINE, failing, blobs).should.be.rejectedWith({ code: 'SQLITE_IOERR' });
    existsSync(blobs.pathOf(MINE)).should.be.true();
  });
});
