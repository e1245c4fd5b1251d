import { isBlobDamaged } from '../blobs/blob-damage.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { type BlobDigest, Digester } from '../blobs/digest.js';
import type { Logger } from '../logger.js';
import { isDiskFull } from '../service-error.js';
import { findDigest } from '../store/file-row.js';
import type { Files } from '../store/files.js';
import type { FileRow } from '../store/schema.js';
import { rebuildRecord } from './rebuild-record.js';
import { type VerifyDependencies, verifyFile } from './verify-file.js';

/** The dependencies of `completeRecords`. */
export interface CompleteRecordsDependencies extends VerifyDependencies {
  files: Pick<Files, 'findStored' | 'setDamaged' | 'setDigest'>;
  logger: Logger;
}

/** Computes the digest of a file without blocking. */
async function computeDigest({ id, size }: FileRow, blobs: BlobStore, signal: AbortSignal): Promise<BlobDigest> {
  const digester = new Digester();
  for await (const chunk of blobs.read(id, 0, size - 1)) {
    signal.throwIfAborted();
    digester.update(chunk);
  }
  return digester.finish();
}

/**
 * Writes the missing records of stored files: those of an earlier version, whose digests are computed now, and those
 * that were lost. A file whose bytes do not match its row is marked as damaged instead. Reads one file at a time, in the
 * background. Ends when `signal` is aborted, and on a full disk: the next start goes on.
 */
export async function completeRecords(
  ids: readonly string[],
  dependencies: CompleteRecordsDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { blobs, files, damage, logger } = dependencies;
  const addDigest = async (file: FileRow): Promise<void> => {
    const digest = await computeDigest(file, blobs, signal).catch(async (error: unknown) => {
      if (!isBlobDamaged(error)) throw error;
      await damage.record(file, error);
      return undefined;
    });
    if (!digest || !(await files.findStored(file.id))) return; // damaged, or deleted meanwhile
    if ((await rebuildRecord(file, digest, dependencies)) !== 'deleted') await files.setDigest(file.id, digest);
  };
  try {
    for (const id of ids) {
      if (signal.aborted) return;
      const file = await files.findStored(id);
      if (file) await (findDigest(file) ? verifyFile(file, dependencies, signal) : addDigest(file));
    }
    if (ids.length > 0) logger.info({ count: ids.length }, 'Completed the records of stored files');
  } catch (err) {
    if (signal.aborted) return;
    if (isDiskFull(err)) logger.warn({ err }, 'Records of stored files are missing: the disk is full');
    else logger.error({ err }, 'Could not complete the records of stored files');
  }
}
