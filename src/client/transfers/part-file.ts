import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { type DownloadSink, toBuffer } from './download-sink.js';
import { CHUNK_BYTES, type OnSize } from './enforce-exact-size.js';
import { ensureFolder } from './ensure-folder.js';
import { toWriteError } from './write-error.js';

// The disk begins early with what it has to hold in the end, so that little is left for the last sync.
const SYNC_BYTES = 64 << 20;

/**
 * Gathers a file on the disk under a name of its own, beside the place where it will stand. While one piece is being written
 * the next one comes in. `size` counts what was written without an error, so a further try can go on from there.
 *
 * Slower, by half of the CPU time in a Node-RED: to copy what comes in into two buffers in turns, so that its memory is free sooner.
 */
export class PartFile implements DownloadSink {
  readonly path: string;
  readonly #handle: FileHandle;
  #syncing: Promise<void> | undefined;
  #unsyncedBytes = 0;
  size = 0;

  private constructor(file: string, handle: FileHandle) {
    this.path = file;
    this.#handle = handle;
  }

  /** Makes the folder where there is none, and in it an empty part. */
  static async create(folder: string): Promise<PartFile> {
    const file = path.join(folder, `.${randomBytes(9).toString('hex')}.part`);
    try {
      await ensureFolder(folder);
      return new PartFile(file, await open(file, 'wx'));
    } catch (error) {
      throw toWriteError(error, folder);
    }
  }

  async append(bytes: AsyncIterable<unknown>, onSize: OnSize): Promise<void> {
    let gathered: Buffer[] = [];
    let gatheredBytes = 0;
    let writing = Promise.resolve();
    const write = async () => {
      const pieces = gathered;
      gathered = [];
      gatheredBytes = 0;
      await writing;
      writing = this.#write(pieces);
      // Held here, thrown where the next piece or the end waits for it.
      writing.catch(() => {});
    };
    try {
      for await (const piece of bytes) {
        const chunk = toBuffer(piece);
        gathered.push(chunk);
        gatheredBytes += chunk.length;
        if (gatheredBytes >= CHUNK_BYTES) await write();
        onSize(this.size + gatheredBytes);
      }
    } finally {
      await write();
      await writing;
    }
  }

  async restart(): Promise<void> {
    try {
      await this.#handle.truncate(0);
    } catch (error) {
      throw toWriteError(error, this.path);
    }
    this.size = 0;
  }

  /** All bytes are on the disk when it resolves. The file can then be moved. */
  async finish(): Promise<void> {
    try {
      await this.#syncing;
      await this.#handle.sync();
      await this.#handle.close();
    } catch (error) {
      throw toWriteError(error, this.path);
    }
  }

  /** Leaves nothing behind. May be called at any time, also after `finish`. */
  async discard(): Promise<void> {
    await this.#syncing?.catch(() => {});
    // A second close is an error of no consequence.
    await this.#handle.close().catch(() => {});
    await rm(this.path, { force: true });
  }

  async #write(pieces: Buffer[]): Promise<void> {
    try {
      for (let rest = pieces; rest.length > 0; ) {
        const { bytesWritten } = await this.#handle.writev(rest, this.size);
        this.size += bytesWritten;
        this.#unsyncedBytes += bytesWritten;
        rest = dropBytes(rest, bytesWritten);
      }
    } catch (error) {
      throw toWriteError(error, this.path);
    }
    if (this.#unsyncedBytes >= SYNC_BYTES && !this.#syncing) this.#syncInBackground();
  }

  #syncInBackground(): void {
    this.#unsyncedBytes = 0;
    this.#syncing = this.#handle.datasync().finally(() => {
      this.#syncing = undefined;
    });
    // The last sync tells it too.
    this.#syncing.catch(() => {});
  }
}

/** What is left of the pieces when their first bytes are gone: the system may write less than it was given. */
function dropBytes(pieces: Buffer[], byteCount: number): Buffer[] {
  let count = byteCount;
  return pieces.flatMap((piece) => {
    const gone = Math.min(count, piece.length);
    count -= gone;
    return gone === piece.length ? [] : [piece.subarray(gone)];
  });
}
