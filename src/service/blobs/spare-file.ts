import { randomFillSync } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { MIN_FREE_DISK_BYTES, SPARE_BYTES, SPARE_RELEASE_BYTES } from '../defaults.js';
import type { Logger } from '../logger.js';
import { freeSpace } from '../machine/free-space.js';
import { isDiskFull } from '../service-error.js';

const CHUNK_BYTES = 1024 * 1024;

/** The options of `openSpareFile`. */
export interface SpareFileOptions {
  folder: string;
  logger: Logger;
  /** Resolves with the free bytes on the disk of a folder. Default: `statfs`. */
  freeSpace?: (folder: string) => Promise<number>;
}

/**
 * The file `spare`: disk space in reserve for the database. It is deleted when the disk is full, so that completions,
 * tokens and deletions can still be written, and created again once there is enough space.
 */
export interface SpareFile {
  /** Deletes the file if the disk is full. */
  release(): Promise<void>;
  /** Deletes the file if the disk is full, or creates it if there is space. To be called regularly. */
  update(): Promise<void>;
  /** Returns the bytes that the file lacks. They do not count as free. */
  missingBytes(): number;
  /** Resolves with whether the disk has no space for uploads and outputs. */
  isFull(): Promise<boolean>;
  /** Resolves with whether the disk is full, and the space of the file is in use. */
  isUsed(): Promise<boolean>;
}

/** Writes random bytes, because some file systems store zeros without using space. Resolves with whether they fit. */
async function tryCreate(file: string): Promise<boolean> {
  const chunk = randomFillSync(Buffer.alloc(CHUNK_BYTES));
  const handle = await open(file, 'w', 0o600);
  try {
    for (let size = 0; size < SPARE_BYTES; size += CHUNK_BYTES) await handle.writeFile(chunk);
    return true;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    await rm(file, { force: true });
    return false;
  } finally {
    await handle.close();
  }
}

/** Opens the spare file of a data folder. Does not create it: that is left to the first update. */
export async function openSpareFile(options: SpareFileOptions): Promise<SpareFile> {
  const { folder, logger } = options;
  const measureFree = options.freeSpace ?? freeSpace;
  const file = path.join(folder, 'spare');
  const existing = await stat(file).catch(() => undefined); // not created yet, or released
  let isHeld = existing?.size === SPARE_BYTES;
  let isReleased = false;
  const missingBytes = (): number => (isHeld ? 0 : SPARE_BYTES);

  const isFull = async (): Promise<boolean> => (await measureFree(folder)) < MIN_FREE_DISK_BYTES + missingBytes();

  const noteFull = (): void => {
    if (!isReleased) logger.warn({ file }, isHeld ? 'Disk full: deleted the spare file' : 'Disk full');
    isHeld = false;
    isReleased = true;
  };

  const release = async (): Promise<void> => {
    if ((await measureFree(folder)) >= SPARE_RELEASE_BYTES) return;
    await rm(file, { force: true });
    noteFull();
  };

  return {
    release,
    missingBytes,
    isFull,
    isUsed: async () => isReleased && isFull(),

    async update() {
      await release();
      if (!isHeld && (await measureFree(folder)) >= MIN_FREE_DISK_BYTES + SPARE_BYTES) {
        isHeld = await tryCreate(file);
        if (!isHeld) noteFull(); // others took the space meanwhile
      }
      if (!isHeld || !isReleased) return;
      isReleased = false;
      logger.info({ file }, 'Disk no longer full: created the spare file again');
    },
  };
}
