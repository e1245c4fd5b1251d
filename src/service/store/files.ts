import { type ExpressionBuilder, sql } from 'kysely';
import { isDiskFull } from '../service-error.js';
import type { Store } from './database.js';
import type { FileRow, Schema } from './schema.js';

// Each note is a write to the disk; what keeps a file from being deleted is a use within the last hour.
const READ_RECORD_INTERVAL_MS = 60 * 1000;

/** Enough of a file to delete it. */
export interface KeptFile {
  id: string;
  size: number;
}

function isNeeded(query: ExpressionBuilder<Schema, 'file'>) {
  return query.exists(
    query
      .selectFrom('operation')
      .select('operation.id')
      .whereRef('operation.input_id', '=', 'file.id')
      .where('operation.state', 'in', ['queued', 'running']), // these few are found by an index, as all but the completed ones are not
  );
}

/** Kept files and models, and which of them may go. */
export function createFiles(store: Store) {
  return {
    add: async (file: FileRow): Promise<void> => {
      await store.insertInto('file').values(file).execute();
    },

    /** A file or model of this user; an expired one has `deleted_at`. */
    find: (id: string, owner: string): Promise<FileRow | undefined> =>
      store.selectFrom('file').selectAll().where('id', '=', id).where('owner', '=', owner).executeTakeFirst(),

    /** Notes that somebody used it just now; one use a minute is noted. A full disk keeps nobody from reading. */
    recordRead: async (id: string, now: number): Promise<void> => {
      try {
        await store
          .updateTable('file')
          .set({ read_at: now })
          .where('id', '=', id)
          .where('read_at', '<', now - READ_RECORD_INTERVAL_MS)
          .execute();
      } catch (error) {
        if (!isDiskFull(error)) throw error;
      }
    },

    /** Bytes that all kept files take. */
    totalBytes: async (): Promise<number> => {
      const row = await store
        .selectFrom('file')
        .select(sql<number>`coalesce(sum(size), 0)`.as('held'))
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(row.held);
    },

    /** The ids of all files whose bytes must be there. */
    keptIds: async (): Promise<Set<string>> => {
      const rows = await store.selectFrom('file').select('id').where('deleted_at', 'is', null).execute();
      return new Set(rows.map(({ id }) => id));
    },

    /**
     * Files made before `madeBefore` and not read since `readBefore`, oldest first, that no unfinished operation needs; at most `limit`
     * of them.
     */
    findEvictable: (madeBefore: number, readBefore: number, limit: number): Promise<KeptFile[]> =>
      store
        .selectFrom('file')
        .select(['id', 'size'])
        .where('deleted_at', 'is', null)
        .where('created_at', '<', madeBefore)
        .where('read_at', '<', readBefore)
        .where((query) => query.not(isNeeded(query)))
        .orderBy('created_at')
        .limit(limit)
        .execute(),

    /**
     * Marks a file as deleted, unless an operation that needs it or a reader came meanwhile. Answers whether it did: then the bytes
     * may go.
     */
    markDeleted: async (id: string, readBefore: number, now: number): Promise<boolean> => {
      const row = await store
        .updateTable('file')
        .set({ deleted_at: now })
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .where('read_at', '<', readBefore)
        .where((query) => query.not(isNeeded(query)))
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Forgets files that were deleted before `before`: from then on they are unknown. */
    purgeDeleted: async (before: number): Promise<void> => {
      await store.deleteFrom('file').where('deleted_at', '<', before).execute();
    },
  };
}

export type Files = ReturnType<typeof createFiles>;
