import { sql } from 'kysely';
import type { Store } from './database.js';
import { prepareFirst } from './prepare-query.js';
import type { FileRow, OperationRow } from './schema.js';

/** How an operation ended: the output that came into being, or the error. */
export type Completion =
  | {
      isSuccessful: true;
      output: FileRow | undefined;
      result: string;
      report: string | null;
      work?: Provenance | undefined;
    }
  | { isSuccessful: false; error: string; report: string | null };

/** What has to be the same for an output to be the same. The filename counts, since its extension tells the format, and reports name it. */
export interface CacheKey extends Pick<OperationRow, 'owner' | 'kind' | 'filename' | 'parameters'> {
  kernel: string;
  input: { id: string } | { hash: string };
}

/** What an output was made of, and by which kernel. */
export type Provenance = Pick<OperationRow, 'input_hash' | 'kernel'>;

const STATUS_COLUMNS = [
  'id',
  'kind',
  'state',
  'is_successful',
  'progress',
  'created_at',
  'started_at',
  'finished_at',
  'error',
  'report',
] as const;

/** The part of an operation's row that its status tells. */
export type StatusRow = Pick<OperationRow, (typeof STATUS_COLUMNS)[number]>;

/**
 * Operations and their states.
 *
 * An operation is *queued* when its row is written, which is before its start is answered. A worker *claims* the oldest queued one: it is
 * *running* then, and that is one attempt. It ends *completed*, in one transaction with the row of its output, so that it takes effect
 * once however often it was tried. A service that stops puts running ones back into the queue and takes the attempt back, since
 * nothing went wrong. A service that died leaves them running: the next start puts them back too, but the attempt counts, and one that
 * used up its attempts is completed as failed, since it may be what the service died of.
 */
export function createOperations(store: Store) {
  return {
    add: async (operation: OperationRow): Promise<void> => {
      await store.insertInto('operation').values(operation).execute();
    },

    find: (id: string, owner: string): Promise<OperationRow | undefined> =>
      store.selectFrom('operation').selectAll().where('id', '=', id).where('owner', '=', owner).executeTakeFirst(),

    /** What the status of an operation tells. */
    findStatus: prepareFirst(store, (id: string, owner: string) =>
      store.selectFrom('operation').select(STATUS_COLUMNS).where('id', '=', id).where('owner', '=', owner).limit(1),
    ),

    /** Takes the oldest queued operation, if there is one; it is running from then on. */
    claim: (now: number): Promise<OperationRow | undefined> =>
      store
        .updateTable('operation')
        .set({ state: 'running', attempts: sql`attempts + 1`, started_at: now, progress: null })
        .where('id', '=', (query) =>
          query
            .selectFrom('operation')
            .select('id')
            .where('state', '=', 'queued')
            .orderBy('created_at')
            .orderBy(sql`rowid`)
            .limit(1),
        )
        .where('state', '=', 'queued')
        .returningAll()
        .executeTakeFirst(),

    /** The last operation that succeeded with this work, and whose output is still kept. */
    findCached: ({ input, ...work }: CacheKey): Promise<OperationRow | undefined> =>
      store
        .selectFrom('operation')
        .selectAll()
        .where('id' in input ? 'input_id' : 'input_hash', '=', 'id' in input ? input.id : input.hash)
        .where('kind', '=', work.kind)
        .where('owner', '=', work.owner)
        .where('filename', '=', work.filename)
        .where('parameters', '=', work.parameters)
        .where('kernel', '=', work.kernel)
        .where('is_successful', '=', 1)
        .where((query) =>
          query.or([
            query('output_id', 'is', null),
            query.exists(
              query
                .selectFrom('file')
                .select('file.id')
                .whereRef('file.id', '=', 'operation.output_id')
                .where('file.deleted_at', 'is', null),
            ),
          ]),
        )
        .orderBy('finished_at', 'desc')
        .limit(1)
        .executeTakeFirst(),

    setProgress: async (id: string, progress: number): Promise<void> => {
      await store
        .updateTable('operation')
        .set({ progress })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .execute();
    },

    /** Ends a running operation. Answers whether it was this call that ended it. */
    complete: (id: string, ending: Completion, now: number): Promise<boolean> =>
      store.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable('operation')
          .set({
            state: 'completed',
            is_successful: ending.isSuccessful ? 1 : 0,
            result: ending.isSuccessful ? ending.result : null,
            error: ending.isSuccessful ? null : ending.error,
            report: ending.report,
            input_hash: (ending.isSuccessful && ending.work?.input_hash) || null,
            kernel: (ending.isSuccessful && ending.work?.kernel) || null,
            progress: ending.isSuccessful ? 1 : sql`progress`,
            finished_at: now,
            callback_state: sql`case when callback_url is null then 'none' else 'due' end`,
            callback_next_at: now,
          })
          .where('id', '=', id)
          .where('state', '=', 'running')
          .returning('id')
          .executeTakeFirst();
        if (row && ending.isSuccessful && ending.output) {
          await transaction.insertInto('file').values(ending.output).execute();
        }
        return row !== undefined;
      }),

    /** Puts an operation back that this service stops working on. */
    requeue: async (id: string): Promise<void> => {
      await store
        .updateTable('operation')
        .set({ state: 'queued', attempts: sql`attempts - 1`, started_at: null, progress: null })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .execute();
    },

    /** What an earlier service left running, for the start of the next. */
    findInterrupted: (): Promise<OperationRow[]> =>
      store.selectFrom('operation').selectAll().where('state', '=', 'running').execute(),

    /** Puts an operation back that an earlier service died with. */
    requeueInterrupted: async (id: string): Promise<void> => {
      await store
        .updateTable('operation')
        .set({ state: 'queued', started_at: null, progress: null })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .execute();
    },

    /** Forgets operations that ended before `before` and have no callback to send any more. */
    purgeOld: async (before: number): Promise<void> => {
      await store
        .deleteFrom('operation')
        .where('state', '=', 'completed')
        .where('finished_at', '<', before)
        .where('callback_state', '!=', 'due')
        .execute();
    },
  };
}

export type Operations = ReturnType<typeof createOperations>;
