import { sql, type Transaction } from 'kysely';
import { createRecordKey, writtenFor } from '../blobs/s3/object-keys.js';
import { dialectOf } from './dialect.js';
import type { ObjectRow, Schema } from './schema.js';

/** The object of a file that is to be deleted. */
export interface LockedObject {
  fileId: string;
  key: string;
  /** Undefined: it was deleted. */
  state: ObjectRow['state'] | undefined;
}

/**
 * Locks the object of a file until the transaction ends. To be called before the file is marked as deleted, which changes
 * the usage: completions lock both in this order, too. Resolves with `undefined` if the file has none.
 */
export async function lockObject(transaction: Transaction<Schema>, fileId: string): Promise<LockedObject | undefined> {
  if (!dialectOf(transaction).isConcurrent) return undefined;
  const file = await transaction
    .selectFrom('file')
    .select(sql<string>`blob_key`.as('key'))
    .where('id', '=', fileId)
    .where('blob_key', 'is not', null)
    .executeTakeFirst();
  if (!file) return undefined;
  const object = transaction.selectFrom('object').select('state').where('key', '=', file.key);
  return { fileId, key: file.key, state: (await object.forUpdate().executeTakeFirst())?.state };
}

/** Adds the row of a record that is to be deleted, and has none. */
async function discardRecord(transaction: Transaction<Schema>, { fileId, key }: LockedObject, time: number) {
  await transaction
    .insertInto('object')
    .values({
      ...{ key: createRecordKey(fileId, key), owner: '', size: 0 },
      ...{ state: 'deleting', created_at: time, touched_at: time },
    })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ state: 'deleting' }))
    .execute();
}

/**
 * Marks the object of a deleted file to be deleted unless another file has it, else only its record. It was locked by a
 * statement of its own, so this sees the files of all transactions that had locked it. `time`: in ms since 1970.
 */
export async function releaseObject(transaction: Transaction<Schema>, object: LockedObject, time: number) {
  const { fileId, key, state } = object;
  const isOwn = writtenFor(key) === fileId;
  if (state === undefined && isOwn) return; // it was deleted with its record
  const marked = await transaction
    .updateTable('object')
    .set({ state: 'deleting', touched_at: time })
    .where('key', '=', key)
    .where('state', '=', 'confirmed')
    .where((query) =>
      query.not(
        query.exists(query.selectFrom('file').select('id').where('blob_key', '=', key).where('deleted_at', 'is', null)),
      ),
    )
    .returning('key')
    .executeTakeFirst();
  const isDeleting = marked !== undefined || state === 'deleting';
  if (!isOwn || !isDeleting) await discardRecord(transaction, object, time);
}
