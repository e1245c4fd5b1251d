import { sql, type Transaction } from 'kysely';
import { createRecordKey, writtenFor } from '../blobs/s3/object-keys.js';
import type { ObjectRows } from '../blobs/s3/object-rows.js';
import { ServiceError } from '../service-error.js';
import type { Store } from './database.js';
import { findDigest } from './file-row.js';
import { type Executor, prepareFirst } from './prepare-query.js';
import type { Schema } from './schema.js';

const findFile = prepareFirst((executor, id: string) =>
  executor.selectFrom('file').selectAll().where('id', '=', id).limit(1),
);

/** A file whose object may not be needed any more. */
interface DeletedFile {
  id: string;
  key: string;
}

function objectLostError(key: string): ServiceError {
  return new ServiceError('STORAGE_UNAVAILABLE', 'The object of the file was deleted meanwhile. Retry later.', {
    retryAfterS: 1,
    cause: new Error(`The object ${key} is not in the expected state.`),
  });
}

/**
 * Confirms the object of a file in the transaction that adds the file. An object that was written for another file stays
 * confirmed; its row is locked, so that the last deletion waits for this transaction, or this fails. Throws
 * `STORAGE_UNAVAILABLE` if the object was given up or deleted meanwhile.
 */
export async function attachObject(transaction: Executor, fileId: string, key: string): Promise<void> {
  const isOwn = writtenFor(key) === fileId;
  const locked = await transaction
    .updateTable('object')
    .set({ state: 'confirmed' })
    .where('key', '=', key)
    .where('state', '=', isOwn ? 'open' : 'confirmed')
    .returning('key')
    .executeTakeFirst();
  if (!locked) throw objectLostError(key);
  if (isOwn) return;
  const recordKey = createRecordKey(fileId, key); // had a row of its own until now
  const record = await transaction
    .deleteFrom('object')
    .where('key', '=', recordKey)
    .where('state', '=', 'open')
    .returning('key')
    .executeTakeFirst();
  if (!record) throw objectLostError(recordKey);
}

/** Creates the queries for objects. Needs PostgreSQL. `now`: the time of the database, in ms since 1970. */
export function createObjects(store: Store, now: () => number): ObjectRows {
  /** Adds the row of a record that is to be deleted, and has none. */
  const discardRecord = async (transaction: Transaction<Schema>, { id, key }: DeletedFile): Promise<void> => {
    const time = now();
    await transaction
      .insertInto('object')
      .values({
        ...{ key: createRecordKey(id, key), owner: '', size: 0 },
        ...{ state: 'deleting', created_at: time, touched_at: time },
      })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ state: 'deleting' }))
      .execute();
  };

  /**
   * Marks an object to be deleted unless a file has it. It is locked by a statement of its own: the next one then sees the
   * files of all transactions that had locked it.
   */
  const releaseFile = (file: DeletedFile): Promise<void> =>
    store.transaction().execute(async (transaction) => {
      const { id, key } = file;
      const isOwn = writtenFor(key) === id;
      const row = await transaction
        .selectFrom('object')
        .select('state')
        .where('key', '=', key)
        .forUpdate()
        .executeTakeFirst();
      if (!row && isOwn) return; // it was deleted with its record
      const marked = await transaction
        .updateTable('object')
        .set({ state: 'deleting', touched_at: now() })
        .where('key', '=', key)
        .where('state', '=', 'confirmed')
        .where((query) =>
          query.not(
            query.exists(
              query.selectFrom('file').select('id').where('blob_key', '=', key).where('deleted_at', 'is', null),
            ),
          ),
        )
        .returning('key')
        .executeTakeFirst();
      const isDeleting = marked !== undefined || row?.state === 'deleting';
      if (!isOwn || !isDeleting) await discardRecord(transaction, file);
    });

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

    async isConfirmed(key) {
      const row = await store.selectFrom('object').select('state').where('key', '=', key).executeTakeFirst();
      return row?.state === 'confirmed';
    },

    async release(ids) {
      if (ids.length === 0) return;
      const files = await store
        .selectFrom('file')
        .select(['id', sql<string>`blob_key`.as('key')])
        .where(sql<boolean>`id = any(${ids}::text[])`) // one parameter: a statement has at most 65,535
        .where('blob_key', 'is not', null)
        .where('deleted_at', 'is not', null)
        .execute();
      for (const file of files) await releaseFile(file);
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

    async forget(key) {
      await store.deleteFrom('object').where('key', '=', key).where('state', '=', 'deleting').execute();
    },
  };
}
