import { type FileHandle, open } from 'node:fs/promises';
import { type BlobDigest, Digester } from '../blobs/digest.js';

// A socket delivers 64 KiB at a time: fewer, larger writes are twice as fast. At most two batches are in memory.
const BATCH_BYTES = 1024 * 1024;
const BATCH_CHUNKS = 512;
// Written data is synced early, so that the final sync before the file is committed has little left to write.
const SYNC_BYTES = 64 * 1024 * 1024;

/** Reserves the space for a file of `size` bytes in total, of which some may be written already. */
export type SpaceReserver = (size: number) => Promise<void>;

/** Writes a new file in chunks, and computes its digest. */
export interface FileWriter {
  /** The number of bytes passed to `write`. */
  readonly size: number;
  /** Queues bytes, which are not copied: the caller must not change them afterwards. */
  write(bytes: Buffer): void;
  /**
   * Resolves when less than one batch is queued. To be awaited after writes. Throws an earlier write error, or that of
   * `reserve`.
   */
  drained(): Promise<void>;
  /**
   * Writes the queued bytes. Does not sync the whole file: the caller syncs it when it is committed. Resolves with the
   * digest of all bytes.
   */
  finish(): Promise<BlobDigest>;
  /** Closes the file, complete or not. Does not delete it. */
  close(): Promise<void>;
}

async function writeAll(handle: FileHandle, chunks: Buffer[], length: number): Promise<void> {
  const { bytesWritten } = await handle.writev(chunks);
  if (bytesWritten === length) return;
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  for (let offset = 0; offset < rest.length; ) offset += (await handle.write(rest, offset)).bytesWritten;
}

class Writer implements FileWriter {
  size = 0;
  readonly #handle: FileHandle;
  readonly #reserve: SpaceReserver;
  readonly #digester = new Digester();
  #chunks: Buffer[] = [];
  #length = 0;
  #writing: Promise<void> = Promise.resolve();
  #syncing: Promise<void> | undefined;
  #unsynced = 0;

  constructor(handle: FileHandle, reserve: SpaceReserver) {
    this.#handle = handle;
    this.#reserve = reserve;
  }

  write(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    this.size += bytes.length;
    this.#digester.update(bytes);
  }

  async drained(): Promise<void> {
    if (this.#length < BATCH_BYTES && this.#chunks.length < BATCH_CHUNKS) return;
    await this.#reserve(this.size);
    await this.#writing; // double buffering: one batch is written while the next one fills
    this.#writeBatch();
  }

  async finish(): Promise<BlobDigest> {
    await this.#reserve(this.size);
    await this.#writing;
    this.#writeBatch();
    await this.#writing;
    await this.#syncing;
    return this.#digester.finish();
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#syncing]);
    await this.#handle.close();
  }

  #writeBatch(): void {
    const [chunks, length] = [this.#chunks, this.#length];
    this.#chunks = [];
    this.#length = 0;
    if (length === 0) return;
    this.#writing = writeAll(this.#handle, chunks, length);
    this.#writing.catch(() => undefined); // rethrown to the next caller that awaits it
    this.#unsynced += length;
    if (this.#unsynced >= SYNC_BYTES && !this.#syncing) this.#syncInBackground();
  }

  #syncInBackground(): void {
    this.#unsynced = 0;
    this.#syncing = this.#handle.datasync().finally(() => {
      this.#syncing = undefined;
    });
    this.#syncing.catch(() => undefined); // rethrown to the next caller that awaits it
  }
}

/**
 * Creates a new file for writing, readable by its owner only. `reserve` is awaited before each batch is written. Throws
 * `EEXIST` if the file exists.
 */
export async function createFileWriter(file: string, reserve: SpaceReserver): Promise<FileWriter> {
  return new Writer(await open(file, 'wx', 0o600), reserve);
}
