import type { Transaction } from 'kysely';
import { parseRecord } from '../../blobs/blob-record.js';
import type { Bucket, ListedObject } from '../../blobs/s3/bucket.js';
import { parseKey } from '../../blobs/s3/object-keys.js';
import type { Schema } from '../../store/schema.js';
import { addKeys, addRecords, type ListedKey, type ListedRecord } from './recovery-tables.js';

// Of small objects: twice as many at once are hardly faster.
const CONCURRENT_READS = 16;

// The record of a file of 8 GiB has 64 KiB. Another object with such a key could have any size.
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** Reads a record. Resolves with `unreadable`, and with `undefined` if it was deleted meanwhile. */
async function readRecord(
  bucket: Bucket,
  { key, size }: ListedObject,
): Promise<ListedRecord | 'unreadable' | undefined> {
  if (size > MAX_RECORD_BYTES) return 'unreadable';
  const { fileId, attempt } = parseKey(key);
  const text = await bucket.getText(key);
  if (text === undefined) return undefined;
  const record = parseRecord(text);
  return record && attempt !== undefined && record.id === fileId ? { record, attempt } : 'unreadable';
}

/** Reads the records of a page, and stores what it has. */
async function readPage(page: readonly ListedObject[], bucket: Bucket, transaction: Transaction<Schema>) {
  const keys: ListedKey[] = [];
  const records: ListedRecord[] = [];
  const objects = page.values();
  const readRest = async (): Promise<void> => {
    for (const object of objects) {
      const { key, size } = object;
      const { type, attempt = '' } = parseKey(key);
      if (type === 'bytes') keys.push({ key, kind: 'bytes', attempt, size });
      if (type === 'unknown') keys.push({ key: key.replaceAll('\0', '\uFFFD'), kind: 'unknown', attempt: '', size });
      if (type !== 'record') continue;
      const record = await readRecord(bucket, object);
      if (record === 'unreadable') keys.push({ key, kind: 'unreadable', attempt: '', size });
      else if (record) records.push(record);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_READS }, readRest));
  await addKeys(transaction, keys);
  await addRecords(transaction, records);
}

/**
 * Lists a bucket and reads all records in it, page by page, into the recovery tables. Throws `STORAGE_UNAVAILABLE`.
 */
export async function readBucket(bucket: Bucket, transaction: Transaction<Schema>): Promise<void> {
  for await (const page of bucket.list()) await readPage(page, bucket, transaction);
}
