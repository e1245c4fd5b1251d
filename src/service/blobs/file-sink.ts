import { type FileHandle, open, rm } from 'node:fs/promises';
import type { BlobRecord } from './blob-record.js';
import type { BlobKey, BlobSink, SpaceReserver } from './blob-store.js';
import { type BlobDigest, Digester } from './digest.js';

// A socket delivers 64 KiB at a time: fewer, larger writes are twice as fast. At most two batches are in memory.
const BATCH_BYTES = 1024 * 1024;
const BATCH_CHUNKS = 512;
// Written data is synced early, so that the final sync before the file is committed has little left to write.
const SYNC_BYTES = 64 * 1024 * 1024;

async function writeAll(handle: FileHandle, chunks: Buffer[], length: number): Promise<void> {
  const { bytesWritten } = await handle.writev(chunks);
  if (bytesWritten === length) return;
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  for (let offset = 0; offset < rest.length; ) offset += (await handle.write(rest, offset)).bytesWritten;
}

/** Turns the closed file, whose bytes may not be synced yet, into the blob of a record. */
type CommitFile = (file: string, record: BlobRecord) => Promise<BlobKey>;

class FileSink implements BlobSink {
  size = 0;
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #reserve: SpaceReserver;
  readonly #commit: CommitFile;
  readonly #digester = new Digester();
  #chunks: Buffer[] = [];
  #length = 0;
  #writing: Promise<void> = Promise.resolve();
  #syncing: Promise<void> | undefined;
  #unsynced = 0;

  constructor(file: string, handle: FileHandle, reserve: SpaceReserver, commit: CommitFile) {
    this.#file = file;
    this.#handle = handle;
    this.#reserve = reserve;
    this.#commit = commit;
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
    await this.#handle.close();
    return this.#digester.finish();
  }

  commit(record: BlobRecord): Promise<BlobKey> {
    return this.#commit(this.#file, record);
  }

  async abort(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#syncing]);
    await this.#handle.close(); // does nothing after `finish`
    await rm(this.#file, { force: true });
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
 * Creates a sink that writes the new file `file`, readable by its owner only. `reserve` is awaited before each batch is
 * written. Throws `EEXIST` if the file exists.
 */
export async function createFileSink(file: string, reserve: SpaceReserver, commit: CommitFile): Promise<BlobSink> {
  return new FileSink(file, await open(file, 'wx', 0o600), reserve, commit);
}
