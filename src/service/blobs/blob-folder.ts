import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../machine/is-missing.js';
import { removeFileOrTree } from '../machine/remove-tree.js';
import { syncToDisk, writeAndSync } from '../machine/sync-to-disk.js';
import { type BlobReader, createBlobReader } from './blob-reader.js';
import { type BlobRecord, serializeRecord } from './blob-record.js';
import type { BlobStore, OpenBlob } from './blob-store.js';
import { createFileSink } from './file-sink.js';
import { type BorrowedChunks, readDoubleBuffered } from './read-double-buffered.js';
import { readVerifiedBlocks } from './read-verified-blocks.js';

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

/** The blob store of a data folder, and what only the owner of the folder does with it: a start, a recovery, a copy. */
export interface BlobFolder extends BlobStore, Pick<BlobReader, 'pathOf'> {
  /** Deletes all scratch files. Resolves with their number. */
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

async function openBlob(file: string): Promise<OpenBlob> {
  const handle = await open(file);
  return {
    read: (start, end, buffers) => readDoubleBuffered(handle, start, end, buffers),
    readVerified: (start, end, digest, buffers) => readVerifiedBlocks(handle, start, end, digest, buffers),
    close: () => handle.close(),
  };
}

/** Opens a blob while `read` reads it. */
async function* readOpened(file: string, read: (blob: OpenBlob) => BorrowedChunks): BorrowedChunks {
  const blob = await openBlob(file);
  try {
    yield* read(blob);
  } finally {
    await blob.close();
  }
}

/**
 * Opens the blob store of a data folder: blobs in `blobs/ab/<id>`, records in `blobs/ab/<id>.json`; scratch files and
 * unfinished blobs in `temp`. Creates both folders; that of the quarantine is created when it is needed. A kernel process
 * reads the blob itself, and its output is moved, so that neither is copied.
 */
export async function openBlobFolder(folder: string): Promise<BlobFolder> {
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
  const scratchPath = (): string => temporaryPath(randomUUID());

  const storeFile = async (part: string, record: BlobRecord): Promise<null> => {
    const { id } = record;
    const parent = path.dirname(pathOf(id));
    try {
      await ensureParent(parent);
      await Promise.all([syncToDisk(part), writeAndSync(recordPath(id), serializeRecord(record))]);
      await rename(part, pathOf(id));
      await syncToDisk(parent);
      return null;
    } catch (error) {
      for (const file of [recordPath(id), pathOf(id)]) await rm(file, { force: true });
      throw error;
    }
  };

  return {
    pathOf,
    readRecord,
    scratchPath,
    toScratch: async (id) => pathOf(id),
    release: () => undefined,
    async fromScratch(part, record, _lease, reserve) {
      await reserve?.(record.size);
      return storeFile(part, record);
    },
    quarantineFolder,

    write: (id, reserve) => createFileSink(temporaryPath(id), reserve, storeFile),

    async writeRecord(record) {
      const file = recordPath(record.id);
      const part = scratchPath(); // another process may write the same record
      try {
        await writeAndSync(part, serializeRecord(record));
        await rename(part, file);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
      await syncToDisk(path.dirname(file));
    },

    share: (id, file) =>
      link(pathOf(id), file).then(
        () => true,
        () => false, // deleted, or a file system without hard links: the caller runs the operation instead
      ),

    discard: (file) => rm(file, { force: true }),

    open: (id) => openBlob(pathOf(id)),

    read: (id, start, end) => readOpened(pathOf(id), (blob) => blob.read(start, end)),

    readVerified: (id, start, end, digest) => readOpened(pathOf(id), (blob) => blob.readVerified(start, end, digest)),

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
      for (const name of names) await removeFileOrTree(path.join(temporary, name));
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
