import type { ExpressionBuilder } from 'kysely';
import type { Store } from './database.js';
import type { Schema } from './schema.js';

/** The id and the size of a stored file. */
export interface StoredFile {
  id: string;
  size: number;
}

/**
 * Describes files that may be deleted to make room: created before `createdBefore`, not read since `readBefore`, and not
 * the input of an unfinished operation. Times are of the retention clock. Without `owner`: of all users.
 */
export interface EvictionFilter {
  owner?: string;
  createdBefore: number;
  readBefore: number;
}

/** Whether a file is the input of an unfinished operation. */
export function isNeeded(query: ExpressionBuilder<Schema, 'file'>) {
  return query.exists(
    query
      .selectFrom('operation')
      .select('operation.id')
      .whereRef('operation.input_id', '=', 'file.id')
      // Lists the unfinished states, so that an index finds these few rows.
      .where('operation.state', 'in', ['queued', 'running']),
  );
}

/** Selects these files, oldest first. */
export function selectEvictable(store: Store, { owner, createdBefore, readBefore }: EvictionFilter) {
  return store
    .selectFrom('file')
    .select(['id', 'size'])
    .where('deleted_at', 'is', null)
    .$if(owner !== undefined, (query) => query.where('owner', '=', owner ?? ''))
    .where('retained_from', '<', createdBefore)
    .where('read_at', '<', readBefore)
    .where((query) => query.not(isNeeded(query)))
    .orderBy('retained_from');
}
