import { isBlobDamaged } from '../blobs/blob-damage.js';
import type { BlobStore, OpenBlob } from '../blobs/blob-store.js';
import type { BlockBuffers } from '../blobs/block-buffers.js';
import type { BorrowedChunks } from '../blobs/read-double-buffered.js';
import type { DamageRecorder } from '../integrity/damage-recorder.js';
import type { RetentionClock } from '../retention-clock.js';
import { type Files, READ_RECORD_INTERVAL_MS } from '../store/files.js';
import type { FileRow } from '../store/schema.js';
import { fileDamagedError } from './find-input.js';

interface ReaderDependencies {
  blobs: BlobStore;
  clock: Pick<RetentionClock, 'now'>;
  damage: DamageRecorder;
  files: Files;
}

/** Reads a stored file for one download. Keeps it open, so that its deletion does not interrupt the download. */
export interface StoredFileReader {
  /**
   * Reads from an offset. Each block is checked, except those of a file from an earlier version that has no digest yet.
   * Throws `FILE_DAMAGED` for missing or altered bytes, and records that.
   */
  readFrom: (offset: number) => BorrowedChunks;
  close(): Promise<void>;
}

/**
 * Creates a reader of a stored file up to the byte at `end`, inclusive. The caller has recorded the read access. A later
 * `readFrom` records another one, which protects the file from eviction.
 */
export function createStoredFileReader(
  file: FileRow,
  end: number,
  { blobs, clock, damage, files }: ReaderDependencies,
  buffers: BlockBuffers,
): StoredFileReader {
  const { id, size, block_crcs: blockCrcs } = file;
  let blob: OpenBlob | undefined;
  let recordedAt = clock.now();

  const recordRead = async (): Promise<void> => {
    const now = clock.now();
    if (now - recordedAt <= READ_RECORD_INTERVAL_MS) return; // slow downloads read again many times a second
    recordedAt = now;
    await files.recordRead(file, now);
  };

  async function* readFrom(offset: number): BorrowedChunks {
    try {
      await recordRead();
      blob ??= await blobs.open(id);
      yield* blockCrcs === null
        ? blob.read(offset, end, buffers)
        : blob.readVerified(offset, end, { size, blockCrcs }, buffers);
    } catch (error) {
      if (!isBlobDamaged(error)) throw error;
      await damage.record(file, error);
      throw fileDamagedError(file);
    }
  }

  return {
    readFrom,
    async close() {
      await blob?.close();
    },
  };
}
