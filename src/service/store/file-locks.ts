import type { Transaction } from 'kysely';
import { ServiceError } from '../service-error.js';
import { dialectOf } from './dialect.js';
import type { FileRow, OperationRow, Schema } from './schema.js';

// A start shares its input with other starts. A deletion locks the file alone, and looks for unfinished operations in a
// later statement, which sees those of every start that it has waited for. Without the locks, a start and a deletion
// that run at the same time do not see each other. The order of locks is the same everywhere, so that no two transactions
// wait for each other: a file, operations, objects, usage, counters of the queue, jobs. Jobs are locked last, because the
// claims of a worker are renewed by one statement, which waits for each of them. A claim locks its job first, and skips an
// operation that is locked.

/** Keeps the input of an operation from being deleted until the transaction ends. Throws `FILE_EXPIRED` if it was. */
export async function shareInput(transaction: Transaction<Schema>, id: string): Promise<void> {
  if (!dialectOf(transaction).isConcurrent) return;
  const file = await transaction
    .selectFrom('file')
    .select('deleted_at')
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
  if (!file || file.deleted_at === null) return;
  throw new ServiceError('FILE_EXPIRED', `The input ${id} has expired or was deleted. Upload and import it again.`);
}

/**
 * Keeps the selected operations that are unfinished from becoming queued or running until the transaction ends. In the
 * order of their ids, so that two transactions with some of the same never wait for each other.
 */
export async function lockUnfinished(
  transaction: Transaction<Schema>,
  selection: Partial<Pick<OperationRow, 'id' | 'owner' | 'input_id'>>,
): Promise<void> {
  if (!dialectOf(transaction).isConcurrent) return;
  await transaction
    .selectFrom('operation')
    .select('id')
    .where((query) => query.and(selection))
    .where('state', 'in', ['queued', 'running'])
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Keeps a file from becoming an input until the transaction ends. Resolves with `undefined` if it is not stored. */
export function lockStored(
  transaction: Transaction<Schema>,
  id: string,
): Promise<Pick<FileRow, 'owner' | 'kind'> | undefined> {
  return transaction
    .selectFrom('file')
    .select(['owner', 'kind'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(dialectOf(transaction).isConcurrent, (query) => query.forUpdate())
    .executeTakeFirst();
}
