import type { BlobKey } from '../../../../src/service/blobs/blob-store.js';
import type { BlobDigest } from '../../../../src/service/blobs/digest.js';
import { createRecordKey, writtenFor } from '../../../../src/service/blobs/s3/object-keys.js';
import type { ObjectRows } from '../../../../src/service/blobs/s3/object-rows.js';

/** A row of the table `object`. */
interface ObjectRow {
  state: 'open' | 'confirmed' | 'deleting';
  touchedAt: number;
}

/** A row of the table `file`. */
interface StoredFile {
  key: string;
  digest: BlobDigest;
  isDeleted: boolean;
}

/** The tables `object` and `file` in memory, with the transactions that change both. */
export interface MemoryRows extends ObjectRows {
  objects: Map<string, ObjectRow>;
  /** Set by a test. */
  time: number;
  /** Adds a file and confirms its object, as one transaction. Throws if the object is not open or, if shared, confirmed. */
  addFile(id: string, key: BlobKey, digest: BlobDigest): void;
  deleteFile(id: string): void;
}

/** Creates empty tables. */
export function createMemoryRows(): MemoryRows {
  const objects = new Map<string, ObjectRow>();
  const files = new Map<string, StoredFile>();
  const hasState = (key: string, state: ObjectRow['state']): boolean => objects.get(key)?.state === state;
  const isShared = (key: string): boolean => [...files.values()].some((file) => file.key === key && !file.isDeleted);
  const rows: MemoryRows = {
    objects,
    time: 0,
    async open(key) {
      if (objects.has(key) && !hasState(key, 'open')) return false;
      objects.set(key, { state: 'open', touchedAt: rows.time });
      return true;
    },
    async touch(keys) {
      const open = keys.filter((key) => hasState(key, 'open'));
      for (const key of open) objects.set(key, { state: 'open', touchedAt: rows.time });
      return open;
    },
    async discard(key) {
      if (hasState(key, 'open')) objects.set(key, { state: 'deleting', touchedAt: rows.time });
    },
    findFile: async (id) => files.get(id),
    async isRecordNeeded(id, recordKey) {
      const file = files.get(id);
      return file !== undefined && !file.isDeleted && createRecordKey(id, file.key) === recordKey;
    },
    isConfirmed: async (key) => hasState(key, 'confirmed'),
    async release(ids) {
      for (const id of ids) {
        const file = files.get(id);
        if (!file?.isDeleted || !objects.has(file.key)) continue;
        const deleting = { state: 'deleting', touchedAt: rows.time } as const;
        if (!isShared(file.key)) objects.set(file.key, deleting);
        if (isShared(file.key) || writtenFor(file.key) !== id) objects.set(createRecordKey(id, file.key), deleting);
      }
    },
    async discardStale(before) {
      for (const row of objects.values()) if (row.state === 'open' && row.touchedAt < before) row.state = 'deleting';
    },
    findDeleting: async (limit) => [...objects.keys()].filter((key) => hasState(key, 'deleting')).slice(0, limit),
    async forget(key) {
      if (hasState(key, 'deleting')) objects.delete(key);
    },
    addFile(id, key, digest) {
      if (key === null) throw new Error('The file has no object.');
      const isOwn = writtenFor(key) === id;
      const recordKey = createRecordKey(id, key);
      if (!hasState(key, isOwn ? 'open' : 'confirmed')) throw new Error(`The object ${key} was given up.`);
      if (!isOwn && !hasState(recordKey, 'open')) throw new Error(`The record ${recordKey} was given up.`);
      if (isOwn) objects.set(key, { state: 'confirmed', touchedAt: rows.time });
      else objects.delete(recordKey);
      files.set(id, { key, digest, isDeleted: false });
    },
    deleteFile(id) {
      const file = files.get(id);
      if (file) file.isDeleted = true;
    },
  };
  return rows;
}
