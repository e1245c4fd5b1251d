import { sql } from 'kysely';
import { createObjectKey, createRecordKey, parseKey, writtenFor } from '../blobs/s3/object-keys.js';
import { objectLostError } from '../blobs/s3/object-lost-error.js';
import type { ObjectRows } from '../blobs/s3/object-rows.js';
import type { Store } from './database.js';
import { findDigest } from './file-row.js';
import { type Executor, prepareFirst } from './prepare-query.js';
import { lockObject, releaseObject } from './release-object.js';
import type { FileRow } from './schema.js';

const findFile = prepareFirst((executor, id: string) =>
  executor.selectFrom('file').selectAll().where('id', '=', id).limit(1),
);

const findState = prepareFirst((executor, key: string) =>
  executor.selectFrom('object').select('state').where('key', '=', key).limit(1),
);

/**
 * Confirms the object of a file in the transaction that adds the file. An object that was written for another file stays
 * confirmed; its row is locked, so that the last deletion waits for this transaction, or this fails. A trigger ends the
 * reservation of the file. Throws `STORAGE_UNAVAILABLE` if the object was given up or deleted meanwhile.
 */
export async function attachObject(
  transaction: Executor,
  { id: fileId, size }: Pick<FileRow, 'id' | 'size'>,
  key: string,
): Promise<void> {
  const isOwn = writtenFor(key) === fileId;
  const locked = await transaction
    .updateTable('object')
    .set({ state: 'confirmed', ...(isOwn && { size }) })
    .where('key', '=', key)
    .where('state', '=', isOwn ? 'open' : 'confirmed')
    .returning('key')
    .executeTakeFirst();
  if (!locked) throw objectLostError(key, 'in the expected state');
  if (isOwn) return;
  const recordKey = createRecordKey(fileId, key); // had a row of its own until now
  const record = await transaction
    .deleteFrom('object')
    .where('key', '=', recordKey)
    .where('state', '=', 'open')
    .returning('key')
    .executeTakeFirst();
  if (!record) throw objectLostError(recordKey, 'in the expected state');
}

/** Creates the queries for objects. Needs PostgreSQL. `now`: the time of the database, in ms since 1970. */
export function createObjects(store: Store, now: () => number): ObjectRows {
  return {
    async open(key, owner) {
      const time = now();
      const row = await store
        .insertInto('object')
        .values({ key, owner, size: 0, state: 'open', created_at: time, touched_at: time })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet({ touched_at: time }).where('object.state', '=', 'open'),
        )
        .returning('key')
        .executeTakeFirst();
      return row !== undefined;
    },

    async touch(keys) {
      const rows = await store
        .updateTable('object')
        .set({ touched_at: now() })
        .where('key', 'in', keys)
        .where('state', '=', 'open')
        .returning('key')
        .execute();
      return rows.map(({ key }) => key);
    },

    async discard(key) {
      await store
        .updateTable('object')
        .set({ state: 'deleting' })
        .where('key', '=', key)
        .where('state', '=', 'open')
        .execute();
    },

    async findFile(id) {
      const file = await findFile(store, id);
      const digest = file && findDigest(file);
      return digest && file.blob_key !== null ? { key: file.blob_key, digest } : undefined;
    },

    async isRecordNeeded(fileId, recordKey) {
      const file = await findFile(store, fileId);
      if (!file || file.deleted_at !== null || file.blob_key === null) return false;
      return createRecordKey(fileId, file.blob_key) === recordKey;
    },

    async isOpen(key) {
      return (await findState(store, key))?.state === 'open';
    },

    async isConfirmed(key) {
      return (await findState(store, key))?.state === 'confirmed';
    },

    async release(ids) {
      if (ids.length === 0) return;
      const files = await store
        .selectFrom('file')
        .select('id')
        .where(sql<boolean>`id = any(${ids}::text[])`) // one parameter: a statement has at most 65,535
        .where('deleted_at', 'is not', null)
        .execute();
      for (const { id } of files) {
        await store.transaction().execute(async (transaction) => {
          const object = await lockObject(transaction, id);
          if (object) await releaseObject(transaction, object, now());
        });
      }
    },

    async discardStale(before) {
      await store
        .updateTable('object')
        .set({ state: 'deleting' })
        .where('state', '=', 'open')
        .where('touched_at', '<', before)
        .execute();
    },

    async findDeleting(limit) {
      const rows = await store
        .selectFrom('object')
        .select('key')
        .where('state', '=', 'deleting')
        .orderBy('touched_at')
        .limit(limit)
        .execute();
      return rows.map(({ key }) => key);
    },

    async postpone(key) {
      await store
        .updateTable('object')
        .set({ touched_at: now() })
        .where('key', '=', key)
        .where('state', '=', 'deleting')
        .execute();
    },

    async findUnknown(keys) {
      const parsed = keys.map((key) => ({ key, ...parseKey(key) }));
      const rows = parsed.map(({ key, type, fileId = '', attempt = '' }) => {
        const bytesKey = type === 'record' ? createObjectKey(fileId, attempt) : key;
        return { key, file_id: fileId, bytes_key: bytesKey, attempt, is_record: type === 'record' };
      });
      const { rows: unknown } = await sql<{ key: string }>`
        select key from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as listed(key text, file_id text, bytes_key text, attempt text, is_record boolean)
        where not exists (select from object where object.key = listed.key or object.key = listed.bytes_key)
          and not (is_record and exists (
            select from file
            where file.id = file_id and deleted_at is null and split_part(blob_key, '/', 3) = attempt
          ))
        order by key`.execute(store);
      return unknown.map(({ key }) => key);
    },

    async forget(key) {
      await store.deleteFrom('object').where('key', '=', key).where('state', '=', 'deleting').execute();
    },
  };
}
