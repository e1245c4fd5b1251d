import type { BlobStore } from './blobs/blob-store.js';
import type { Logger } from './logger.js';
import { isDiskFull } from './service-error.js';
import type { Files } from './store/files.js';
import type { Operations } from './store/operations.js';

/** The dependencies of `reconcileBlobs`. */
export interface ReconcileDependencies {
  blobs: BlobStore;
  files: Pick<Files, 'storedIds' | 'deletedIds'>;
  operations: Pick<Operations, 'unusedOutputIds'>;
  logger: Logger;
}

/** `remove`: the bytes are known to be unused. `keep`: a rerun replaces them. `quarantine`: their origin is unknown. */
type Action = 'remove' | 'keep' | 'quarantine';

/** Returns the function that decides about a blob without a row of a stored file. */
async function createDecision({ files, operations }: ReconcileDependencies): Promise<(id: string) => Action> {
  const deletedIds = await files.deletedIds();
  const unusedOutputIds = await operations.unusedOutputIds();
  return (id) => {
    if (deletedIds.has(id)) return 'remove'; // the service crashed between the row and the blob
    const state = unusedOutputIds.get(id);
    if (state === undefined) return 'quarantine';
    return state === 'completed' ? 'remove' : 'keep';
  };
}

async function quarantineAll(ids: string[], { blobs, logger }: ReconcileDependencies): Promise<void> {
  let count = 0;
  try {
    for (; count < ids.length; count++) await blobs.quarantine(ids[count] ?? '');
  } catch (err) {
    if (!isDiskFull(err)) throw err;
    logger.warn({ err, count: ids.length - count }, 'Files without a row stay where they are: the disk is full');
  }
  if (count === 0) return;
  logger.warn({ count, folder: blobs.quarantineFolder }, 'Moved files without a row to quarantine');
}

/**
 * Makes the blobs agree with the rows after a crash, a restored database or the loss of rows. Deletes temporary files,
 * blobs of deleted files and outputs of unsuccessful operations. Bytes that no row explains are never deleted: they are
 * moved to quarantine. To be called before any worker starts.
 */
export async function reconcileBlobs(dependencies: ReconcileDependencies): Promise<void> {
  const { blobs, files, logger } = dependencies;
  let deletedCount = await blobs.discardAll();
  const storedIds = await files.storedIds();
  const orphanIds = (await blobs.listIds()).filter((id) => !storedIds.has(id));
  if (orphanIds.length > 0) {
    const decide = await createDecision(dependencies);
    const quarantined: string[] = [];
    for (const id of orphanIds) {
      const action = decide(id);
      if (action === 'quarantine') quarantined.push(id);
      if (action !== 'remove') continue;
      await blobs.remove(id);
      deletedCount += 1;
    }
    await quarantineAll(quarantined, dependencies);
  }
  if (deletedCount > 0) logger.info({ deletedCount }, 'Deleted files that an earlier service left behind');
}
