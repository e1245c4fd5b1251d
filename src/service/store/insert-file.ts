import { attachObject } from './objects.js';
import { type Executor, prepareInsert } from './prepare-query.js';
import type { NewFileRow } from './schema.js';

const insertPlain = prepareInsert('file');
// Has a column more, so it is another prepared query.
const insertWithObject = prepareInsert('file');

/**
 * Inserts the row of a file. If it has an object, this has to be a transaction, which confirms the object: throws as
 * `attachObject`.
 */
export async function insertFile(executor: Executor, file: NewFileRow): Promise<void> {
  if (file.blob_key === undefined) return insertPlain(executor, file);
  await attachObject(executor, file, file.blob_key);
  await insertWithObject(executor, file);
}
