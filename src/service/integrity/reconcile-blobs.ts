import type { BlobFolder, StoredIds } from '../blobs/blob-folder.js';
import type { BlobRecord } from '../blobs/blob-record.js';
import type { Logger } from '../logger.js';
import type { RetentionClock } from '../retention-clock.js';
import { isDiskFull } from '../service-error.js';
import { createFileRow, findClaim } from '../store/file-row.js';
import type { Files } from '../store/files.js';
import type { IdempotencyKeys } from '../store/idempotency-keys.js';
import type { Operations } from '../store/operations.js';

/** The dependencies of `reconcileBlobs`. */
export interface ReconcileDependencies {
  blobs: BlobFolder;
  files: Pick<Files, 'find' | 'storedIds' | 'deletedIds' | 'idsWithoutDigest' | 'restore' | 'markLost' | 'setDamaged'>;
  keys: Pick<IdempotencyKeys, 'find'>;
  operations: Pick<Operations, 'unusedOutputIds'>;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
  logger: Logger;
}

/**
 * `remove`: the bytes are known to be unused. `keep`: a rerun replaces them. `restore`: a sound record tells whose they
 * are, or nothing does and they are kept aside.
 */
type Action = 'remove' | 'keep' | 'restore';

/** Returns the function that decides about a blob without a row of a stored file. */
async function createDecision({ files, operations }: ReconcileDependencies): Promise<(id: string) => Action> {
  const deletedIds = await files.deletedIds();
  const unusedOutputIds = await operations.unusedOutputIds();
  return (id) => {
    if (deletedIds.has(id)) return 'remove'; // the service crashed between the row and the blob
    const state = unusedOutputIds.get(id);
    if (state === undefined) return 'restore';
    return state === 'completed' ? 'remove' : 'keep';
  };
}

/** Calls `work` for each id, until the disk is full. Resolves with the number of those for which it returned true. */
async function countEach(ids: string[], work: (id: string) => Promise<boolean>, { logger }: ReconcileDependencies) {
  let done = 0;
  let count = 0;
  try {
    for (; done < ids.length; done++) count += Number(await work(ids[done] ?? ''));
  } catch (err) {
    if (!isDiskFull(err)) throw err;
    logger.warn({ err, count: ids.length - done }, 'Files without a row stay where they are: the disk is full');
  }
  return count;
}

/**
 * Returns whether a blob is the repetition of an upload whose file is stored with the same content, so that a crash
 * prevented its removal. A lost file, which has a row, is none: its user may know its id.
 */
async function isRepetition(record: BlobRecord, storedIds: Set<string>, { files, keys }: ReconcileDependencies) {
  const claim = findClaim(record, 0);
  const first = claim && (await keys.find(claim, 0));
  if (!first || first.fingerprint !== claim.fingerprint || !storedIds.has(first.resource_id)) return false;
  return (await files.find(record.id, record.owner)) === undefined;
}

/**
 * Inserts the rows of blobs with a sound record, deletes repeated uploads, and moves the others to quarantine. Resolves
 * with the number of deleted ones.
 */
async function restoreAll(ids: string[], storedIds: Set<string>, dependencies: ReconcileDependencies): Promise<number> {
  const { blobs, files, clock, logger } = dependencies;
  const [unknownIds, repeatedIds]: [string[], string[]] = [[], []];
  const restore = async (id: string): Promise<boolean> => {
    const record = await blobs.readRecord(id);
    if (!record) unknownIds.push(id);
    else if (await isRepetition(record, storedIds, dependencies)) repeatedIds.push(id);
    else {
      await files.restore(createFileRow(record, clock.now()), findClaim(record, clock.now()));
      return true;
    }
    return false;
  };
  const restoredCount = await countEach(ids, restore, dependencies);
  if (restoredCount > 0) logger.warn({ count: restoredCount }, 'Restored files that had no row from their records');
  const quarantine = (id: string): Promise<boolean> => blobs.quarantine(id).then(() => true);
  const count = await countEach(unknownIds, quarantine, dependencies);
  if (count > 0) logger.warn({ count, folder: blobs.quarantineFolder }, 'Moved files without a row to quarantine');
  await blobs.remove(repeatedIds);
  return repeatedIds.length;
}

/**
 * Marks the rows whose blob is missing: with a record they are damaged, without one they are lost. A later start finds
 * both again if they come back, for example with a folder that was not mounted.
 */
async function markMissing(ids: string[], records: Set<string>, dependencies: ReconcileDependencies): Promise<void> {
  const { files, clock, now } = dependencies;
  const mark = async (id: string): Promise<boolean> => {
    if (records.has(id)) await files.setDamaged(id, now());
    else await files.markLost(id, clock.now(), now());
    return true;
  };
  const count = await countEach(ids, mark, dependencies);
  if (count > 0) dependencies.logger.warn({ count, ids: ids.slice(0, 10) }, 'The content of stored files is missing');
}

/** Deletes what is known to be unused. Resolves with the number of files. */
async function removeUnused(ids: StoredIds, storedIds: Set<string>, dependencies: ReconcileDependencies) {
  const orphanIds = [...ids.blobs].filter((id) => !storedIds.has(id));
  const decide = await createDecision(dependencies);
  const idsFor = (action: Action): string[] => orphanIds.filter((id) => decide(id) === action);
  // A record is written before its blob is committed, and deleted before it.
  const unfinished = [...ids.records].filter((id) => !ids.blobs.has(id) && !storedIds.has(id));
  const removed = [...idsFor('remove'), ...unfinished];
  await dependencies.blobs.remove(removed);
  const repeatedCount = await restoreAll(idsFor('restore'), storedIds, dependencies);
  return removed.length + repeatedCount;
}

/**
 * Makes blobs, records and rows agree after a crash, a restored database or the loss of rows. Deletes temporary files,
 * blobs of deleted files, outputs of unsuccessful operations and repeated uploads. A blob without row gets it back from its record. Bytes
 * that neither a row nor a record explains are never deleted: they are moved to quarantine. To be called before any
 * worker starts. Resolves with the ids of the stored files that still need a record or a digest.
 */
export async function reconcileBlobs(dependencies: ReconcileDependencies): Promise<string[]> {
  const { blobs, files, logger } = dependencies;
  const temporaryCount = await blobs.discardAll();
  const storedIds = await files.storedIds();
  const ids = await blobs.listIds();
  const missingIds = [...storedIds].filter((id) => !ids.blobs.has(id));
  await markMissing(missingIds, ids.records, dependencies); // frees their keys
  const deletedCount = temporaryCount + (await removeUnused(ids, storedIds, dependencies));
  if (deletedCount > 0) logger.info({ deletedCount }, 'Deleted files that an earlier service left behind');
  const unrecorded = [...storedIds].filter((id) => ids.blobs.has(id) && !ids.records.has(id));
  return [...new Set([...unrecorded, ...(await files.idsWithoutDigest())])];
}
