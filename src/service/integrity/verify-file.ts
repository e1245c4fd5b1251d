import { createHash } from 'node:crypto';
import { BlobDamagedError, isBlobDamaged } from '../blobs/blob-damage.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { BlobDigest } from '../blobs/digest.js';
import { findDigest } from '../store/file-row.js';
import type { Files } from '../store/files.js';
import type { FileRow } from '../store/schema.js';
import type { DamageRecorder } from './damage-recorder.js';
import { rebuildRecord } from './rebuild-record.js';

/** The dependencies of `verifyFile`. */
export interface VerifyDependencies {
  blobs: BlobStore;
  files: Pick<Files, 'findStored' | 'setDamaged'>;
  damage: DamageRecorder;
}

/**
 * The outcome of checking a stored file.
 * - `sound`: its bytes have the stored digest. `isRestored`: it was marked as damaged before. `isRecordRebuilt`: its record
 *   was missing, damaged or different.
 * - `damaged`: its bytes are missing or were altered, for this reason.
 * - `unknown`: it is from an earlier version, and has no digest yet.
 * - `deleted`: it was deleted meanwhile.
 */
export type Verdict =
  | { state: 'sound'; isRestored: boolean; isRecordRebuilt: boolean }
  | { state: 'damaged'; reason: string }
  | { state: 'unknown' }
  | { state: 'deleted' };

/** Called after each block of a file. */
export type Pause = () => Promise<void>;

async function checkBytes(id: string, digest: BlobDigest, blobs: BlobStore, signal: AbortSignal, pause: Pause) {
  const sha256 = createHash('sha256');
  for await (const block of blobs.readVerified(id, 0, digest.size - 1, digest)) {
    sha256.update(block);
    await pause();
    signal.throwIfAborted();
  }
  if (sha256.digest('hex') !== digest.sha256) throw new BlobDamagedError('The SHA-256 is wrong.');
}

/**
 * Checks all bytes of a stored file and its record. Marks it as damaged, or removes the mark of an earlier check, and
 * writes a damaged record again. Throws the abort reason of `signal`, or the error of the disk.
 */
export async function verifyFile(
  file: FileRow,
  { blobs, files, damage }: VerifyDependencies,
  signal: AbortSignal,
  pause: Pause = () => Promise.resolve(),
): Promise<Verdict> {
  const { id } = file;
  const digest = findDigest(file);
  if (!digest) return { state: 'unknown' };
  try {
    await checkBytes(id, digest, blobs, signal, pause);
  } catch (error) {
    if (!isBlobDamaged(error)) throw error;
    if (!(await files.findStored(id))) return { state: 'deleted' };
    await damage.record(file, error);
    return { state: 'damaged', reason: error instanceof Error ? error.message : String(error) };
  }
  if (!(await files.findStored(id))) return { state: 'deleted' };
  const isRestored = file.damaged_at !== null && (await files.setDamaged(id, null));
  const isRecordRebuilt = await rebuildRecord(file, digest, { blobs, files });
  return isRecordRebuilt === 'deleted' ? { state: 'deleted' } : { state: 'sound', isRestored, isRecordRebuilt };
}
