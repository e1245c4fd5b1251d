import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isBlobDamaged } from './blob-damage.js';
import { type BlobRecord, parseRecord } from './blob-record.js';

/** Finds the blobs of a data folder and reads their records. */
export interface BlobReader {
  /** Returns the path of a blob, for reading. */
  pathOf(id: string): string;
  /** Returns the path of the record of a blob. */
  recordPathOf(id: string): string;
  /** Reads the record of a blob. Resolves with `undefined` if it is missing, unreadable or damaged. */
  readRecord(id: string): Promise<BlobRecord | undefined>;
}

/** Creates a reader of `blobs/ab/<id>` and `blobs/ab/<id>.json` in a data folder. Writes nothing to the folder. */
export function createBlobReader(folder: string): BlobReader {
  const pathOf = (id: string): string => path.join(folder, 'blobs', id.slice(0, 2), id);
  const recordPathOf = (id: string): string => `${pathOf(id)}.json`;
  return {
    pathOf,
    recordPathOf,
    async readRecord(id) {
      const text = await readFile(recordPathOf(id), 'utf8').catch((error: unknown) => {
        if (isBlobDamaged(error)) return '';
        throw error;
      });
      const record = parseRecord(text);
      return record?.id === id ? record : undefined;
    },
  };
}
