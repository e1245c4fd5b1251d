import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncToDisk } from '../machine/sync-to-disk.js';
import { type BorrowedChunks, readDoubleBuffered } from './read-double-buffered.js';

// Names that only we give: an id, and what the bytes are for.
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const BLOB_NAME = new RegExp(`^${ID}$`);
const TEMPORARY_NAME = new RegExp(`^${ID}\\.part$`);

/** Bytes under ids, on the disk of this machine. Written once, never changed. */
export interface BlobStore {
  /** A path for bytes that are being made. It becomes a blob by `commit`, or goes by `discard`. */
  temporaryPath(temporaryId: string): string;
  /**
   * Makes the temporary bytes of `temporaryId` (default: the same id) the blob `id`. When this resolves they survive a loss of power.
   * Answers the size.
   */
  commit(id: string, temporaryId?: string): Promise<number>;
  /**
   * Gives the blob `id` a second name, as temporary bytes; neither needs the other from then on. Answers false where the blob is gone, or the
   * file system gives a file only one name.
   */
  hardLink(id: string, temporaryId: string): Promise<boolean>;
  /** Removes temporary bytes, if there are any. */
  discard(temporaryId: string): Promise<void>;
  /** Where the bytes of `id` are, for reading. */
  pathOf(id: string): string;
  /** The bytes from `start` to `end`, both included. */
  read(id: string, start: number, end: number): BorrowedChunks;
  remove(id: string): Promise<void>;
  /** Removes what a service that died left behind: temporary bytes, and blobs that `isReferenced` does not know. */
  sweep(isReferenced: (id: string) => boolean): Promise<number>;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Keeps blobs below `folder` in `blobs/ab/<id>`, and unfinished ones in `temp`. Makes both folders. */
export async function openBlobStore(folder: string): Promise<BlobStore> {
  const blobs = path.join(folder, 'blobs');
  const temporary = path.join(folder, 'temp');
  await mkdir(blobs, { recursive: true });
  await mkdir(temporary, { recursive: true });
  await syncToDisk(folder);
  // Folders whose own names are on the disk: each is synced once, also one that a service made which died before it could.
  const parents = new Map<string, Promise<void>>();

  const openParent = async (parent: string): Promise<void> => {
    await mkdir(parent, { recursive: true });
    await syncToDisk(blobs);
  };

  const ensureParent = (parent: string): Promise<void> => {
    const existing = parents.get(parent) ?? openParent(parent);
    parents.set(parent, existing);
    existing.catch(() => parents.delete(parent)); // whoever waits is told; the next one tries again
    return existing;
  };

  const pathOf = (id: string): string => path.join(blobs, id.slice(0, 2), id);
  const temporaryPath = (id: string): string => path.join(temporary, `${id}.part`);

  const sweepFolder = async (parent: string, isOurs: (name: string) => boolean): Promise<number> => {
    const names = (await readdir(parent)).filter(isOurs);
    for (const name of names) await rm(path.join(parent, name), { force: true });
    return names.length;
  };

  return {
    pathOf,
    temporaryPath,

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
        () => false, // whatever the reason is: it can be made anew
      ),

    discard: (id) => rm(temporaryPath(id), { force: true }),

    read: (id, start, end) => readDoubleBuffered(pathOf(id), start, end),

    async remove(id) {
      await rm(pathOf(id), { force: true });
    },

    async sweep(isReferenced) {
      let swept = await sweepFolder(temporary, (name) => TEMPORARY_NAME.test(name));
      for (const part of await readdir(blobs)) {
        if (!/^[0-9a-f]{2}$/.test(part)) continue;
        const isLeft = (name: string): boolean => BLOB_NAME.test(name) && !isReferenced(name);
        swept += await sweepFolder(path.join(blobs, part), isLeft).catch((error: unknown) => {
          if (isMissing(error)) return 0;
          throw error;
        });
      }
      return swept;
    },
  };
}
