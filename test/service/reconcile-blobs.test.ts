import { randomUUID } from 'node:crypto';
import { access, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type BlobStore, openBlobStore } from '../../src/service/blobs/blob-store.js';
import { createLogger } from '../../src/service/logger.js';
import { reconcileBlobs } from '../../src/service/reconcile-blobs.js';
import type { OperationRow } from '../../src/service/store/schema.js';
import { createFolder, removeFolder } from './support/data-folder.js';

describe('reconcileBlobs', () => {
  let folder: string;
  let blobs: BlobStore;
  let lines: { level: string; count?: number; deletedCount?: number }[];

  beforeEach(async () => {
    folder = await createFolder();
    blobs = await openBlobStore(folder);
    lines = [];
  });

  afterEach(() => removeFolder(folder));

  const storeBlob = async (): Promise<string> => {
    const id = randomUUID();
    await writeFile(blobs.temporaryPath(id), 'bytes');
    await blobs.commit(id);
    return id;
  };

  const exists = (id: string): Promise<boolean> =>
    access(blobs.pathOf(id)).then(
      () => true,
      () => false,
    );

  const reconcile = (stored: string[], deleted: string[], outputs: [string, OperationRow['state']][]): Promise<void> =>
    reconcileBlobs({
      blobs,
      files: { storedIds: async () => new Set(stored), deletedIds: async () => new Set(deleted) },
      operations: { unusedOutputIds: async () => new Map(outputs) },
      logger: createLogger('info', { write: (line) => lines.push(JSON.parse(line)) }),
    });

  it('keeps stored files and outputs of unfinished operations, and logs nothing', async () => {
    const [stored, queued, running] = [await storeBlob(), await storeBlob(), await storeBlob()];
    await reconcile(
      [stored],
      [],
      [
        [queued, 'queued'],
        [running, 'running'],
      ],
    );
    should(await Promise.all([stored, queued, running].map(exists))).deepEqual([true, true, true]);
    should(lines).be.empty();
  });

  it('deletes temporary files, blobs of deleted files and outputs of failed operations', async () => {
    const [deleted, failed] = [await storeBlob(), await storeBlob()];
    await writeFile(blobs.temporaryPath(randomUUID()), 'part');
    await reconcile([], [deleted], [[failed, 'completed']]);
    should(await blobs.listIds()).be.empty();
    should(await readdir(path.join(folder, 'temp'))).be.empty();
    should(await readdir(folder)).not.containEql('quarantine');
    should(lines).match([{ level: 'info', deletedCount: 3 }]);
  });

  it('moves all other blobs to quarantine, with one warning', async () => {
    const unknown = [await storeBlob(), await storeBlob()];
    await reconcile([], [], []);
    should(await blobs.listIds()).be.empty();
    should(new Set(await readdir(path.join(folder, 'quarantine')))).deepEqual(new Set(unknown));
    should(lines).match([{ level: 'warn', count: 2 }]);
  });
});
