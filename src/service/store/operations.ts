import { type ExpressionBuilder, sql } from 'kysely';
import type { Store } from './database.js';
import { dialectOf } from './dialect.js';
import { shareInput } from './file-locks.js';
import { createGroupCommit } from './group-commit.js';
import { insertWithKey, type KeyClaim } from './idempotency-keys.js';
import { insertFile } from './insert-file.js';
import { type ClaimedOperation, createJobQueue, type JobQueue } from './job-queue.js';
import { prepareFirst, prepareInsert } from './prepare-query.js';
import type { IdempotencyKeyRow, NewFileRow, OperationRow, Schema } from './schema.js';
import { isAccessToken } from './tokens.js';

/** The completion of an operation: its output or its error. */
export type Completion =
  | {
      isSuccessful: true;
      output: NewFileRow | undefined;
      result: string;
      report: string | null;
      provenance?: Provenance | undefined;
    }
  | { isSuccessful: false; error: string; report: string | null };

/**
 * The key of the result cache: equal keys give equal outputs. The filename is part of it, because its extension
 * determines the format and reports contain it.
 */
export interface CacheKey extends Pick<OperationRow, 'owner' | 'kind' | 'filename' | 'parameters'> {
  kernelVersion: string;
  /** The SHA-256 of the input. */
  inputHash: string;
}

/** A file, and the operation that may have created it. */
export interface OutputQuery extends Pick<OperationRow, 'kind' | 'owner'> {
  /** The id of the file. */
  id: string;
  inputIds: readonly string[];
}

/** An operation that is added: the queue assigns its tag. */
export type NewOperation = Omit<OperationRow, 'tag'>;

/** The hash of the input and the version of the kernel of an output. */
export type Provenance = Pick<OperationRow, 'input_hash' | 'kernel'>;

/** The columns of an operation that its status record contains, except the report, which can be long. */
export const SHORT_STATUS_COLUMNS = [
  'id',
  'kind',
  'state',
  'priority',
  'is_successful',
  'progress',
  'created_at',
  'started_at',
  'finished_at',
  'error',
] as const;

const STATUS_COLUMNS = [...SHORT_STATUS_COLUMNS, 'report'] as const;

// `kind` and `created_at` are columns of tokens, too.
const QUALIFIED_STATUS_COLUMNS = STATUS_COLUMNS.map((column) => `operation.${column}` as const);

/** The columns of an operation that its status record contains. */
export type StatusRow = Pick<OperationRow, (typeof STATUS_COLUMNS)[number]>;

/** When an operation completed: in ms since 1970, and on the retention clock. */
export interface CompletionTime {
  now: number;
  retainedFrom: number;
}

/** Returns the columns that every completion sets. The callback is due from then on. */
export function completedColumns({ now, retainedFrom }: CompletionTime) {
  return {
    state: 'completed' as const,
    finished_at: now,
    retained_from: retainedFrom,
    callback_state: sql<'none' | 'due'>`case when callback_url is null then 'none' else 'due' end`,
    callback_next_at: now,
  };
}

// A delete of this many operations takes some 10 ms.
const PURGE_COUNT = 1000;

const insertOperation = prepareInsert('operation');

const findStatus = prepareFirst((executor, id: string, owner: string) =>
  executor.selectFrom('operation').select(STATUS_COLUMNS).where('id', '=', id).where('owner', '=', owner).limit(1),
);

const findStatusByToken = prepareFirst((executor, hash: string, id: string, now: number) =>
  executor
    .selectFrom('token')
    .where((query) => isAccessToken(query, hash, now))
    .innerJoin('operation', 'operation.owner', 'token.user_id')
    .select(QUALIFIED_STATUS_COLUMNS)
    .where('operation.id', '=', id)
    .limit(1),
);

/**
 * Creates the queries for operations.
 *
 * States: an operation is *queued* once its row is written, before the reply to its start. When its turn comes (see
 * `queue.ts`) and a worker claims it, it is *running*, which counts as one attempt, at the latest when its job begins. It becomes *completed* in the same
 * transaction that inserts the row of its output, so that it takes effect exactly once, whatever the number of attempts. A
 * service that stops requeues its running operations without counting the attempt. After a crash they are still *running*:
 * the next start requeues them, and the attempt counts. After `maxSharedAttempts` of them it runs alone, so that the others
 * show that they are not the cause. An operation that has used up its attempts is completed as failed, since it may be the
 * cause of the crashes. `createCancellations` completes queued and running operations as cancelled.
 */
export function createOperations(store: Store, queue: Pick<JobQueue, 'add' | 'complete'> = createJobQueue(store)) {
  const commitWithOthers = createGroupCommit(store);

  return {
    /**
     * Adds a queued operation, unless an earlier request has its key. Resolves with the row of that key. Throws
     * `USER_QUEUE_FULL` or `QUEUE_FULL`, and `FILE_EXPIRED` if another process has deleted the input meanwhile.
     */
    add: (operation: NewOperation, claim?: KeyClaim): Promise<IdempotencyKeyRow | undefined> =>
      commitWithOthers(operation.owner, (transaction) =>
        insertWithKey(transaction, claim, operation.id, async () => {
          await shareInput(transaction, operation.input_id);
          const tag = await queue.add(transaction, operation);
          await insertOperation(transaction, { ...operation, tag });
        }),
      ),

    find: (id: string, owner: string): Promise<ClaimedOperation | undefined> =>
      store.selectFrom('operation').selectAll().where('id', '=', id).where('owner', '=', owner).executeTakeFirst(),

    /** Finds the columns of the status record. */
    findStatus: (id: string, owner: string): Promise<StatusRow | undefined> => findStatus(store, id, owner),

    /**
     * Finds the columns of the status record by the hash of an access token of the owner. Resolves with `undefined` if the
     * token is not valid, or its user has no operation with this id.
     */
    findStatusByToken: (hash: string, id: string, now: number): Promise<StatusRow | undefined> =>
      findStatusByToken(store, hash, id, now),

    /** Finds the last successful operation with this key whose output is still stored and not known to be damaged. */
    findCached: (key: CacheKey): Promise<OperationRow | undefined> =>
      store
        .selectFrom('operation')
        .selectAll()
        .where('input_hash', '=', key.inputHash)
        .where('kind', '=', key.kind)
        .where('owner', '=', key.owner)
        .where('filename', '=', key.filename)
        .where('parameters', '=', key.parameters)
        .where('kernel', '=', key.kernelVersion)
        .where('is_successful', '=', 1)
        .where((query) =>
          query.or([
            query('output_id', 'is', null),
            query.exists(
              query
                .selectFrom('file')
                .select('file.id')
                .whereRef('file.id', '=', 'operation.output_id')
                .where('file.deleted_at', 'is', null)
                .where('file.damaged_at', 'is', null),
            ),
          ]),
        )
        .orderBy('finished_at', 'desc')
        .limit(1)
        .executeTakeFirst(),

    /**
     * Completes a running operation. `retainedFrom`: the time of the retention clock. `lease`: that of the claim; if another
     * claim followed, nothing changes. Resolves with whether this call completed it.
     */
    complete: (
      id: string,
      completion: Completion,
      now: number,
      retainedFrom: number,
      lease: string | null = null,
    ): Promise<boolean> =>
      store.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable('operation')
          .set({
            ...completedColumns({ now, retainedFrom }),
            is_successful: completion.isSuccessful ? 1 : 0,
            result: completion.isSuccessful ? completion.result : null,
            error: completion.isSuccessful ? null : completion.error,
            report: completion.report,
            input_hash: (completion.isSuccessful && completion.provenance?.input_hash) || null,
            kernel: (completion.isSuccessful && completion.provenance?.kernel) || null,
            progress: completion.isSuccessful ? 1 : sql`progress`,
          })
          .where('id', '=', id)
          .where('state', '=', 'running')
          .$if(lease !== null, (query) => query.where('lease', '=', lease))
          .returning('id')
          .executeTakeFirst();
        if (!row) return false;
        if (completion.isSuccessful && completion.output) {
          await insertFile(transaction, completion.output);
        }
        await queue.complete(transaction, id); // last, as `file-locks.ts` says
        return true;
      }),

    /** Resolves with whether a file is the output of a successful operation of this kind on one of these inputs. */
    isOutput: async ({ id, owner, kind, inputIds }: OutputQuery): Promise<boolean> => {
      const row = await store
        .selectFrom('operation')
        .select('id')
        .where('input_id', 'in', inputIds)
        .where('kind', '=', kind)
        .where('owner', '=', owner)
        .where('output_id', '=', id)
        .where('is_successful', '=', 1)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Finds the ids reserved for the outputs of all operations that did not succeed, by the state of the operation. */
    unusedOutputIds: async (): Promise<Map<string, OperationRow['state']>> => {
      const rows = await store
        .selectFrom('operation')
        .select(['output_id', 'state'])
        .where((query) => query.or([query('is_successful', 'is', null), query('is_successful', '=', 0)]))
        .where('output_id', 'is not', null)
        .execute();
      return new Map(rows.map(({ output_id, state }) => [output_id ?? '', state]));
    },

    /**
     * Deletes the operations that completed before `before` on the retention clock and have no due callback. In parts, of
     * which none takes long, where other processes wait for the same rows. Throws the abort reason of `signal` between them.
     */
    purgeOld: async (before: number, signal?: AbortSignal): Promise<void> => {
      const isOld = (query: ExpressionBuilder<Schema, 'operation'>) =>
        query.and([
          query('state', '=', 'completed'),
          query('retained_from', '<', before),
          query('callback_state', '!=', 'due'),
        ]);
      if (!dialectOf(store).isConcurrent) {
        await store.deleteFrom('operation').where(isOld).execute();
        return;
      }
      const oldIds = store.selectFrom('operation').select('id').where(isOld).limit(PURGE_COUNT);
      let deletedCount: bigint;
      do {
        signal?.throwIfAborted();
        deletedCount = (await store.deleteFrom('operation').where('id', 'in', oldIds).executeTakeFirst())
          .numDeletedRows;
      } while (deletedCount === BigInt(PURGE_COUNT));
    },
  };
}

export type Operations = ReturnType<typeof createOperations>;
