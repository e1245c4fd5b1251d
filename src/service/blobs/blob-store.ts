import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../machine/is-missing.js';
import { syncToDisk, writeAndSync } from '../machine/sync-to-disk.js';
import { createBlobReader } from './blob-reader.js';
import { type BlobRecord, serializeRecord } from './blob-record.js';
import { type BorrowedChunks, readDoubleBuffered } from './read-double-buffered.js';
import { type BlockDigest, readVerifiedBlocks } from './read-verified-blocks.js';

// Files with other names are left alone.
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const BLOB_OR_RECORD_NAME = new RegExp(`^(${ID})(\\.json)?$`);
/** The name of a folder in `blobs`. */
export const PART_NAME = /^[0-9a-f]{2}$/;
// Earlier versions wrote new records as `<id>.json.part`.
const TEMPORARY_NAME = new RegExp(`^${ID}(\\.json)?\\.part$`);

/** The ids of all blobs and of all records in a store. */
export interface StoredIds {
  blobs: Set<string>;
  records: Set<string>;
}

/** Stores immutable blobs by their ids on the local disk, each with its record beside it. */
export interface BlobStore {
  /** Returns the path of a temporary file, which `commit` turns into a blob and `discard` deletes. */
  temporaryPath(temporaryId: string): string;
  /**
   * Turns the temporary file `temporaryId` (default: the id of the record) into a blob with this record. Both survive a
   * power loss once this resolves. After an error neither remains.
   */
  commit(record: BlobRecord, temporaryId?: string): Promise<void>;
  /** Writes the record of an existing blob, or replaces it. It survives a power loss once this resolves. */
  writeRecord(record: BlobRecord): Promise<void>;
  /** Reads the record of a blob. Resolves with `undefined` if it is missing, unreadable or damaged. */
  readRecord(id: string): Promise<BlobRecord | undefined>;
  /**
   * Creates the temporary file `temporaryId` as a hard link to the blob `id`. Resolves with false if the blob was
   * deleted or the file system has no hard links.
   */
  hardLink(id: string, temporaryId: string): Promise<boolean>;
  /** Deletes a temporary file, if it exists. */
  discard(temporaryId: string): Promise<void>;
  /** Returns the path of a blob, for reading. */
  pathOf(id: string): string;
  /** Opens a blob for reading. The caller has to close it. Its bytes remain readable if the blob is deleted. */
  open(id: string): Promise<FileHandle>;
  /** Reads the bytes from `start` to `end`, both inclusive. */
  read(id: string, start: number, end: number): BorrowedChunks;
  /** Reads these bytes and checks each block before any of it is returned, as `readVerifiedBlocks`. */
  readVerified(id: string, start: number, end: number, digest: BlockDigest): BorrowedChunks;
  /** Resolves with a text that is equal for blobs with the same bytes on the disk, `undefined` if the blob is missing. */
  readIdentity(id: string): Promise<string | undefined>;
  /**
   * Deletes blobs that exist, and their records. The records are gone first, also after a power loss: a blob without
   * record is never mistaken for a stored one.
   */
  remove(ids: readonly string[]): Promise<void>;
  /** Deletes all temporary files. Resolves with their number. */
  discardAll(): Promise<number>;
  /** Returns the ids of all blobs and records. */
  listIds(): Promise<StoredIds>;
  /** Moves a blob, and its record if there is one, to `quarantineFolder`, where no id leads to it. */
  quarantine(id: string): Promise<void>;
  /** Deletes all files in `quarantineFolder`, also the databases that a recovery kept there. Resolves with their number. */
  purgeQuarantine(): Promise<number>;
  quarantineFolder: string;
}

/** Returns the names in a folder; none if it does not exist. */
function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

/** Yields the names of the blobs and records in each folder of `blobs`. */
async function* listNamesByPart(blobs: string): AsyncGenerator<RegExpExecArray[]> {
  for (const part of await listNames(blobs)) {
    if (!PART_NAME.test(part)) continue;
    const names = await listNames(path.join(blobs, part));
    yield names.map((name) => BLOB_OR_RECORD_NAME.exec(name)).filter((match) => match !== null);
  }
}

/** Returns whether a data folder contains blobs or records. Creates nothing. */
export async function containsBlobs(folder: string): Promise<boolean> {
  for await (const names of listNamesByPart(path.join(folder, 'blobs'))) if (names.length > 0) return true;
  return false;
}

/** Moves a file if it exists. */
async function moveIfPresent(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/** Deletes a file. Resolves with whether it existed. */
function removeIfPresent(file: string): Promise<boolean> {
  return unlink(file).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
}

/** Opens a file while `read` reads it. */
async function* readOpened(file: string, read: (handle: FileHandle) => BorrowedChunks): BorrowedChunks {
  const handle = await open(file);
  try {
    yield* read(handle);
  } finally {
    await handle.close();
  }
}

/**
 * Opens the blob store of a data folder: blobs in `blobs/ab/<id>`, records in `blobs/ab/<id>.json`, temporary files in
 * `temp`. Creates both folders; that of the quarantine is created when it is needed.
 */
export async function openBlobStore(folder: string): Promise<BlobStore> {
  const blobs = path.join(folder, 'blobs');
  const temporary = path.join(folder, 'temp');
  const quarantineFolder = path.join(folder, 'quarantine');
  await mkdir(blobs, { recursive: true, mode: 0o700 });
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  await syncToDisk(folder);
  // Folder → its creation. The directory entry of each folder is synced once per run, also if an earlier service
  // created it but crashed before the sync.
  const parents = new Map<string, Promise<void>>();

  const openParent = async (parent: string): Promise<void> => {
    await mkdir(parent, { recursive: true, mode: 0o700 });
    await syncToDisk(blobs);
  };

  const ensureParent = (parent: string): Promise<void> => {
    const existing = parents.get(parent) ?? openParent(parent);
    parents.set(parent, existing);
    existing.catch(() => parents.delete(parent)); // rethrown to the caller; the next call retries
    return existing;
  };

  const { pathOf, recordPathOf: recordPath, readRecord } = createBlobReader(folder);
  const temporaryPath = (id: string): string => path.join(temporary, `${id}.part`);

  return {
    pathOf,
    readRecord,
    temporaryPath,
    quarantineFolder,

    async commit(record, temporaryId = record.id) {
      const { id } = record;
      const parent = path.dirname(pathOf(id));
      try {
        await ensureParent(parent);
        await Promise.all([
          syncToDisk(temporaryPath(temporaryId)),
          writeAndSync(recordPath(id), serializeRecord(record)),
        ]);
        await rename(temporaryPath(temporaryId), pathOf(id));
        await syncToDisk(parent);
      } catch (error) {
        for (const file of [recordPath(id), pathOf(id)]) await rm(file, { force: true });
        throw error;
      }
    },

    async writeRecord(record) {
      const file = recordPath(record.id);
      const part = temporaryPath(randomUUID()); // another process may write the same record
      try {
        await writeAndSync(part, serializeRecord(record));
        await rename(part, file);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
      await syncToDisk(path.dirname(file));
    },

    hardLink: (id, temporaryId) =>
      link(pathOf(id), temporaryPath(temporaryId)).then(
        () => true,
        () => false, // for any reason: the caller runs the operation instead
      ),

    discard: (id) => rm(temporaryPath(id), { force: true }),

    open: (id) => open(pathOf(id)),

    read: (id, start, end) => readOpened(pathOf(id), (handle) => readDoubleBuffered(handle, start, end)),

    readVerified: (id, start, end, digest) =>
      readOpened(pathOf(id), (handle) => readVerifiedBlocks(handle, start, end, digest)),

    async readIdentity(id) {
      const stats = await stat(pathOf(id), { bigint: true }).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      return stats && `${stats.dev}:${stats.ino}`;
    },

    async remove(ids) {
      const changed = new Set<string>();
      for (const id of ids) if (await removeIfPresent(recordPath(id))) changed.add(path.dirname(recordPath(id)));
      for (const parent of changed) await syncToDisk(parent);
      for (const id of ids) await rm(pathOf(id), { force: true });
    },

    async discardAll() {
      const names = (await readdir(temporary)).filter((name) => TEMPORARY_NAME.test(name));
      for (const name of names) await rm(path.join(temporary, name), { force: true });
      return names.length;
    },

    async listIds() {
      const ids: StoredIds = { blobs: new Set(), records: new Set() };
      for await (const names of listNamesByPart(blobs)) {
        for (const [, id = '', isRecord] of names) (isRecord ? ids.records : ids.blobs).add(id);
      }
      return ids;
    },

    async purgeQuarantine() {
      const names = await listNames(quarantineFolder);
      for (const name of names) await rm(path.join(quarantineFolder, name), { recursive: true, force: true });
      return names.length;
    },

    async quarantine(id) {
      await mkdir(quarantineFolder, { recursive: true, mode: 0o700 });
      for (const file of [recordPath(id), pathOf(id)]) {
        await moveIfPresent(file, path.join(quarantineFolder, path.basename(file)));
      }
    },
  };
}
