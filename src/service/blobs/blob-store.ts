import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncToDisk } from '../machine/sync-to-disk.js';
import { type BorrowedChunks, readDoubleBuffered } from './read-double-buffered.js';

// Files with other names are left alone.
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const BLOB_NAME = new RegExp(`^${ID}$`);
const PART_NAME = /^[0-9a-f]{2}$/;
const TEMPORARY_NAME = new RegExp(`^${ID}\\.part$`);

/** Stores immutable blobs by their ids on the local disk. */
export interface BlobStore {
  /** Returns the path of a temporary file, which `commit` turns into a blob and `discard` deletes. */
  temporaryPath(temporaryId: string): string;
  /**
   * Turns the temporary file `temporaryId` (default: `id`) into the blob `id`. The blob survives a power loss once this
   * resolves. Resolves with its size in bytes.
   */
  commit(id: string, temporaryId?: string): Promise<number>;
  /**
   * Creates the temporary file `temporaryId` as a hard link to the blob `id`. Resolves with false if the blob was
   * deleted or the file system has no hard links.
   */
  hardLink(id: string, temporaryId: string): Promise<boolean>;
  /** Deletes a temporary file, if it exists. */
  discard(temporaryId: string): Promise<void>;
  /** Returns the path of a blob, for reading. */
  pathOf(id: string): string;
  /** Reads the bytes from `start` to `end`, both inclusive. */
  read(id: string, start: number, end: number): BorrowedChunks;
  /** Deletes a blob, if it exists. */
  remove(id: string): Promise<void>;
  /** Deletes all temporary files. Resolves with their number. */
  discardAll(): Promise<number>;
  /** Returns the ids of all blobs. */
  listIds(): Promise<string[]>;
  /** Moves a blob to `quarantineFolder`, where no id leads to it. */
  quarantine(id: string): Promise<void>;
  quarantineFolder: string;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Returns the names in a folder; none if it does not exist. */
function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

/** Yields the ids of the blobs in each folder of `blobs`. */
async function* listIdsByPart(blobs: string): AsyncGenerator<string[]> {
  for (const part of await listNames(blobs)) {
    if (PART_NAME.test(part)) yield (await listNames(path.join(blobs, part))).filter((name) => BLOB_NAME.test(name));
  }
}

/** Returns whether a data folder contains blobs. Creates nothing. */
export async function containsBlobs(folder: string): Promise<boolean> {
  for await (const ids of listIdsByPart(path.join(folder, 'blobs'))) if (ids.length > 0) return true;
  return false;
}

/**
 * Opens the blob store of a data folder: blobs in `blobs/ab/<id>`, temporary files in `temp`. Creates both folders; that
 * of the quarantine is created when it is needed.
 */
export async function openBlobStore(folder: string): Promise<BlobStore> {
  const blobs = path.join(folder, 'blobs');
  const temporary = path.join(folder, 'temp');
  const quarantineFolder = path.join(folder, 'quarantine');
  await mkdir(blobs, { recursive: true });
  await mkdir(temporary, { recursive: true });
  await syncToDisk(folder);
  // Folder → its creation. The directory entry of each folder is synced once per run, also if an earlier service
  // created it but crashed before the sync.
  const parents = new Map<string, Promise<void>>();

  const openParent = async (parent: string): Promise<void> => {
    await mkdir(parent, { recursive: true });
    await syncToDisk(blobs);
  };

  const ensureParent = (parent: string): Promise<void> => {
    const existing = parents.get(parent) ?? openParent(parent);
    parents.set(parent, existing);
    existing.catch(() => parents.delete(parent)); // rethrown to the caller; the next call retries
    return existing;
  };

  const pathOf = (id: string): string => path.join(blobs, id.slice(0, 2), id);
  const temporaryPath = (id: string): string => path.join(temporary, `${id}.part`);

  return {
    pathOf,
    temporaryPath,
    quarantineFolder,

    async commit(id, temporaryId = id) {
      const target = pathOf(id);
      const parent = path.dirname(target);
      await ensureParent(parent);
      await syncToDisk(temporaryPath(temporaryId));
      await rename(temporaryPath(temporaryId), target);
      await syncToDisk(parent);
      return (await stat(target)).size;
    },

    hardLink: (id, temporaryId) =>
      link(pathOf(id), temporaryPath(temporaryId)).then(
        () => true,
        () => false, // for any reason: the caller runs the operation instead
      ),

    discard: (id) => rm(temporaryPath(id), { force: true }),

    read: (id, start, end) => readDoubleBuffered(pathOf(id), start, end),

    async remove(id) {
      await rm(pathOf(id), { force: true });
    },

    async discardAll() {
      const names = (await readdir(temporary)).filter((name) => TEMPORARY_NAME.test(name));
      for (const name of names) await rm(path.join(temporary, name), { force: true });
      return names.length;
    },

    async listIds() {
      const ids: string[] = [];
      for await (const some of listIdsByPart(blobs)) for (const id of some) ids.push(id);
      return ids;
    },

    async quarantine(id) {
      await mkdir(quarantineFolder, { recursive: true });
      await rename(pathOf(id), path.join(quarantineFolder, id));
    },
  };
}
