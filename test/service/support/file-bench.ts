import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BlobFolder, openBlobFolder } from '../../../src/service/blobs/blob-folder.js';
import type { BlobRecord } from '../../../src/service/blobs/blob-record.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { createFiles, type Files } from '../../../src/service/store/files.js';
import { createOperations, type Operations } from '../../../src/service/store/operations.js';
import { useFolder } from './data-folder.js';
import { openStore } from './open-store.js';
import { recordOf } from './records.js';

/** A data folder with its database and its files. */
export interface FileBench {
  folder: string;
  /** The database. */
  file: string;
  store: Store;
  operations: Operations;
  files: Files;
  blobs: BlobFolder;
}

/** Functions that store files in the bench of this test. The bytes are those of an upload of the owner `me`. */
interface FileFunctions {
  /** Stores bytes and their record, without a row in the database. Resolves with the id. */
  storeBlob: (bytes: string, more?: Partial<BlobRecord>) => Promise<string>;
  /** Stores bytes, their record, and the row with `retained_from` 3. Resolves with the id. */
  storeFile: (bytes: string, more?: Partial<BlobRecord>) => Promise<string>;
}

/** Registers hooks that open an empty bench before each test and remove it afterwards. `assign` receives the bench. */
export function registerFileBench(assign: (bench: FileBench) => void): FileFunctions {
  let bench: FileBench;
  let folder: string;
  useFolder((created) => (folder = created));

  beforeEach(async () => {
    const file = path.join(folder, 'service.db');
    const store = await openStore(file);
    const stores = { operations: createOperations(store), files: createFiles(store) };
    bench = { folder, file, store, ...stores, blobs: await openBlobFolder(folder) };
    assign(bench);
  });

  afterEach(() => bench.store.destroy());

  const addBlob = async (bytes: string, more: Partial<BlobRecord> = {}): Promise<BlobRecord> => {
    const record = recordOf(randomUUID(), bytes, more);
    const scratch = bench.blobs.scratchPath();
    await writeFile(scratch, bytes);
    await bench.blobs.fromScratch(scratch, record);
    return record;
  };

  return {
    storeBlob: async (bytes, more) => (await addBlob(bytes, more)).id,
    storeFile: async (bytes, more) => {
      const record = await addBlob(bytes, more);
      await bench.files.add(createFileRow(record, 3));
      return record.id;
    },
  };
}

/** Returns a store that deletes each file, as a request does, before it writes its record. */
export function deletingAtWrite(blobs: BlobFolder, files: Files): BlobFolder {
  return {
    ...blobs,
    async writeRecord(record) {
      await files.setDeleted(record.id, 5);
      await blobs.remove([record.id]);
      await blobs.writeRecord(record);
    },
  };
}
