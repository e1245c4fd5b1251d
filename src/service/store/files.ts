import { type Kysely, sql } from 'kysely';
import type { BlobDigest } from '../blobs/digest.js';
import { isDiskFull } from '../service-error.js';
import type { Store } from './database.js';
import { dialectOf } from './dialect.js';
import { type EvictionFilter, isNeeded, type StoredFile, selectEvictable } from './evictable-files.js';
import { lockStored } from './file-locks.js';
import { claimKey, insertWithKey, type KeyClaim } from './idempotency-keys.js';
import { insertFile } from './insert-file.js';
import { prepareFirst } from './prepare-query.js';
import { lockObject, releaseObject } from './release-object.js';
import type { FileRow, IdempotencyKeyRow, NewFileRow, Schema } from './schema.js';

// Each update is written to the disk. Minutes are precise enough: a file is protected from eviction for an hour after
// it was read.
export const READ_RECORD_INTERVAL_MS = 60 * 1000;

const findFile = prepareFirst((executor, id: string, owner: string) =>
  executor.selectFrom('file').selectAll().where('id', '=', id).where('owner', '=', owner).limit(1),
);

/** Creates the queries for stored files and models. */
export function createFiles(store: Store) {
  return {
    /** Adds a file, unless an earlier request has its key. Resolves with the row of that key. */
    add: async (file: NewFileRow, claim?: KeyClaim): Promise<IdempotencyKeyRow | undefined> => {
      if (!claim && file.blob_key === undefined) {
        await insertFile(store, file);
        return undefined;
      }
      return store
        .transaction()
        .execute((transaction) => insertWithKey(transaction, claim, file.id, () => insertFile(transaction, file)));
    },

    /** Finds a file or model of this user. `deleted_at` is set if it has expired. */
    find: (id: string, owner: string): Promise<FileRow | undefined> => findFile(store, id, owner),

    /** Stores the time of a read access, at most once a minute. Ignores a full disk, so that files stay readable. */
    recordRead: async ({ id, read_at: readAt }: Pick<FileRow, 'id' | 'read_at'>, now: number): Promise<void> => {
      if (readAt >= now - READ_RECORD_INTERVAL_MS) return;
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

    /** Computes the total size of all stored files in bytes. */
    totalBytes: async (): Promise<number> => {
      const row = await store
        .selectFrom('usage')
        .select(sql<number>`coalesce(sum(bytes), 0)`.as('bytes'))
        .executeTakeFirstOrThrow();
      return Number(row.bytes);
    },

    /** Finds the ids of all files that are not deleted. */
    storedIds: async (): Promise<Set<string>> => {
      const rows = await store.selectFrom('file').select('id').where('deleted_at', 'is', null).execute();
      return new Set(rows.map(({ id }) => id));
    },

    /** Finds the ids of the deleted files whose rows are kept, except lost ones. */
    deletedIds: async (): Promise<Set<string>> => {
      const rows = await store
        .selectFrom('file')
        .select('id')
        .where('deleted_at', 'is not', null)
        .where('damaged_at', 'is', null)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },

    /** Finds a stored file of any user. */
    findStored: (id: string): Promise<FileRow | undefined> =>
      store.selectFrom('file').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst(),

    /** Finds the stored file with the lowest id after `id`. */
    findNextStored: (id: string): Promise<FileRow | undefined> =>
      store
        .selectFrom('file')
        .selectAll()
        .where('id', '>', id)
        .where(sql`+deleted_at`, 'is', null) // without the plus SQLite uses the index of ages, and sorts all rows
        .orderBy('id')
        .limit(1)
        .executeTakeFirst(),

    countStored: async (): Promise<number> => {
      const row = await store
        .selectFrom('file')
        .select(sql<number>`count(*)`.as('count'))
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** Finds the ids of the stored files of earlier versions, which have no digest yet. */
    idsWithoutDigest: async (): Promise<string[]> => {
      const rows = await store
        .selectFrom('file')
        .select('id')
        .where('deleted_at', 'is', null)
        .where('sha256', 'is', null)
        .execute();
      return rows.map(({ id }) => id);
    },

    setDigest: async (id: string, { sha256, blockCrcs }: Pick<BlobDigest, 'sha256' | 'blockCrcs'>): Promise<void> => {
      await store.updateTable('file').set({ sha256, block_crcs: blockCrcs }).where('id', '=', id).execute();
    },

    /** Finds the stored files of all users that have the same bytes as `file`. */
    findEqual: ({ sha256, size }: Pick<FileRow, 'sha256' | 'size'>): Promise<FileRow[]> =>
      store
        .selectFrom('file')
        .selectAll()
        .where('sha256', '=', sha256)
        .where('size', '=', size)
        .where('deleted_at', 'is', null)
        .execute(),

    /**
     * Marks a stored file as damaged since `time`, in ms since 1970. Keeps an earlier mark. Null: it is sound again.
     * Resolves with whether this changed the mark.
     */
    setDamaged: async (id: string, time: number | null): Promise<boolean> => {
      const row = await store
        .updateTable('file')
        .set({ damaged_at: time })
        .where('id', '=', id)
        .where('damaged_at', time === null ? 'is not' : 'is', null)
        .where('deleted_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Marks a file as deleted, whatever needs it. */
    setDeleted: async (id: string, now: number): Promise<void> => {
      await store.updateTable('file').set({ deleted_at: now, damaged_at: null }).where('id', '=', id).execute();
    },

    /**
     * Marks a file as lost: nobody deleted it, but its bytes and its record are both gone. `now` is of the retention
     * clock, `time` in ms since 1970.
     */
    markLost: async (id: string, now: number, time: number): Promise<void> => {
      await store.updateTable('file').set({ deleted_at: now, damaged_at: time }).where('id', '=', id).execute();
    },

    /** Adds a file, or adds a lost one again; with its key, unless that belongs to another file. */
    restore: (file: FileRow, claim?: KeyClaim): Promise<void> =>
      store.transaction().execute(async (transaction) => {
        const { retained_from, read_at } = file;
        if (claim) await claimKey(transaction, claim, file.id);
        await transaction
          .insertInto('file')
          .values(file)
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet({ deleted_at: null, damaged_at: null, retained_from, read_at }),
          )
          .execute();
      }),

    /** Finds up to `limit` of these files, oldest first. */
    findEvictable: (filter: EvictionFilter, limit: number): Promise<StoredFile[]> =>
      selectEvictable(store, filter).limit(limit).execute(),

    /** Counts the oldest `limit` of these files, and computes their size in bytes. */
    sumEvictable: async (filter: EvictionFilter, limit: number): Promise<{ bytes: number; count: number }> => {
      const row = await store
        .selectFrom(selectEvictable(store, filter).limit(limit).as('oldest'))
        .select([sql<number>`coalesce(sum(size), 0)`.as('bytes'), sql<number>`count(*)`.as('count')])
        .executeTakeFirstOrThrow();
      return { bytes: Number(row.bytes), count: Number(row.count) };
    },

    /**
     * Marks a file as deleted, its object too, unless it was read or became the input of an operation meanwhile. Resolves
     * with whether it did; the blob may be deleted then.
     */
    markDeleted: async (id: string, readBefore: number, now: number): Promise<boolean> => {
      const mark = async (executor: Kysely<Schema>): Promise<boolean> => {
        const row = await executor
          .updateTable('file')
          .set({ deleted_at: now, damaged_at: null })
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .where('read_at', '<', readBefore)
          .where((query) => query.not(isNeeded(query)))
          .returning('id')
          .executeTakeFirst();
        return row !== undefined;
      };
      if (!dialectOf(store).isConcurrent) return mark(store); // one statement: nothing runs at the same time
      return store.transaction().execute(async (transaction) => {
        if ((await lockStored(transaction, id)) === undefined) return false;
        const object = await lockObject(transaction, id);
        if (!(await mark(transaction))) return false;
        if (object) await releaseObject(transaction, object, now);
        return true;
      });
    },

    /** Finds the ids of the files that `purgeDeleted` forgets. `limit`: of those to find. */
    findPurgeable: async (before: number, limit?: number): Promise<string[]> => {
      const rows = await store
        .selectFrom('file')
        .select('id')
        .where('deleted_at', '<', before)
        .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Deletes the rows of these deleted files. */
    forget: async (ids: readonly string[]): Promise<void> => {
      await store.deleteFrom('file').where('id', 'in', ids).where('deleted_at', 'is not', null).execute();
    },

    /** Deletes the rows of files that were deleted before `before`. Their ids are unknown from then on. */
    purgeDeleted: async (before: number): Promise<void> => {
      await store.deleteFrom('file').where('deleted_at', '<', before).execute();
    },
  };
}

export type Files = ReturnType<typeof createFiles>;
