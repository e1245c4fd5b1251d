import { type FileHandle, open } from 'node:fs/promises';

// A socket gives 64 KiB at a time: fewer, larger writes are twice as fast. Two of them are held at the most.
const BATCH_BYTES = 1024 * 1024;
const BATCH_PIECES = 512;
// The disk begins early with what it has to hold in the end, so that little is left for the sync of whoever keeps the file.
const SYNC_BYTES = 64 * 1024 * 1024;

/** Writes a new file piece by piece. */
export interface FileWriter {
  /** How many bytes were added. */
  readonly size: number;
  /** Takes bytes that nobody changes any more. They are not copied. */
  write(bytes: Buffer): void;
  /** Resolves when there is room for more: to be awaited now and then. Throws what writing threw. */
  drained(): Promise<void>;
  /** Writes the rest. The file is not synced as a whole: who keeps it does that. */
  finish(): Promise<void>;
  /** Closes the file, finished or not; it stays. */
  close(): Promise<void>;
}

async function writeAll(handle: FileHandle, pieces: Buffer[], length: number): Promise<void> {
  const { bytesWritten } = await handle.writev(pieces);
  if (bytesWritten === length) return;
  const rest = Buffer.concat(pieces).subarray(bytesWritten);
  for (let offset = 0; offset < rest.length; ) offset += (await handle.write(rest, offset)).bytesWritten;
}

class Writer implements FileWriter {
  size = 0;
  readonly #handle: FileHandle;
  #chunks: Buffer[] = [];
  #length = 0;
  #writing: Promise<void> = Promise.resolve();
  #syncing: Promise<void> | undefined;
  #unsynced = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  write(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    this.size += bytes.length;
  }

  async drained(): Promise<void> {
    if (this.#length < BATCH_BYTES && this.#chunks.length < BATCH_PIECES) return;
    await this.#writing; // one batch is written while the next one fills
    this.#write();
  }

  async finish(): Promise<void> {
    await this.#writing;
    this.#write();
    await this.#writing;
    await this.#syncing;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#syncing]);
    await this.#handle.close();
  }

  #write(): void {
    const [pieces, length] = [this.#chunks, this.#length];
    this.#chunks = [];
    this.#length = 0;
    if (length === 0) return;
    this.#writing = writeAll(this.#handle, pieces, length);
    this.#writing.catch(() => undefined); // whoever waits for it next is told
    this.#unsynced += length;
    if (this.#unsynced >= SYNC_BYTES && !this.#syncing) this.#syncInBackground();
  }

  #syncInBackground(): void {
    this.#unsynced = 0;
    this.#syncing = this.#handle.datasync().finally(() => {
      this.#syncing = undefined;
    });
    this.#syncing.catch(() => undefined); // whoever waits for it next is told
  }
}

/** Opens a new file for writing, readable by its owner only. Throws where there is one of that name. */
export async function createFileWriter(file: string): Promise<FileWriter> {
  return new Writer(await open(file, 'wx', 0o600));
}
