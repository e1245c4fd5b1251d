import { sql, type Transaction } from 'kysely';
import { LIMITS } from '../defaults.js';
import type { Store } from './database.js';
import { dialectOf } from './dialect.js';
import { prepareAll, prepareFirst } from './prepare-query.js';
import { countClaimed, countQueued, countRequeued, enqueue, promoteOldLow, recountQueue } from './queue.js';
import { type QueueLimits, requireSpace } from './queue-limits.js';
import type { OperationRow, Priority, Schema } from './schema.js';
import { Shares } from './shares.js';

/** Of a column of 32 bits in PostgreSQL. */
const MAX_INTEGER = 2 ** 31 - 1;

/** Finds the first operation of each user who has one with this priority, the oldest first. */
const findFirst = prepareAll((executor, priority: Priority) =>
  executor
    .selectFrom('user_queue')
    .innerJoin('operation', (join) =>
      join.on('operation.id', '=', (query) =>
        query
          .selectFrom('operation as own')
          .select('own.id')
          .where('own.state', '=', 'queued')
          .where('own.priority', '=', priority)
          .whereRef('own.owner', '=', 'user_queue.owner')
          .orderBy('own.tag')
          .orderBy('own.created_at')
          .orderBy(sql`own.${dialectOf(executor).queueOrder}`)
          .limit(1),
      ),
    )
    .select(['operation.id', 'operation.owner', 'operation.attempts'])
    .where('user_queue.waiting', '>', 0)
    .orderBy('operation.created_at')
    .orderBy(sql`operation.${dialectOf(executor).queueOrder}`),
);

const findWaitingOwners = prepareAll((executor) =>
  executor.selectFrom('user_queue').select('owner').where('waiting', '>', 0),
);

/** Finds the first operation of one user with this priority. */
const findFirstOf = prepareFirst((executor, owner: string, priority: Priority) =>
  executor
    .selectFrom('operation')
    .select('id')
    .where('state', '=', 'queued')
    .where('priority', '=', priority)
    .where('owner', '=', owner)
    .orderBy('tag')
    .orderBy('created_at')
    .orderBy(dialectOf(executor).queueOrder)
    .limit(1),
);

const findRunningOwners = prepareAll((executor) =>
  executor.selectFrom('operation').select('owner').where('state', '=', 'running'),
);

const claimOne = prepareFirst((executor, id: string, now: number, maxAttempts: number) =>
  executor
    .updateTable('operation')
    .set({ state: 'running', attempts: sql`attempts + 1`, started_at: now, progress: null })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where('attempts', '<', maxAttempts)
    .returningAll(),
);

/** Requeues a running operation in its place. `uncountedAttempts`: 1 if this attempt does not count. */
function requeue(store: Store, id: string, uncountedAttempts: 0 | 1): Promise<void> {
  return store.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('operation')
      .set({ state: 'queued', attempts: sql`attempts - ${uncountedAttempts}`, started_at: null, progress: null })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .returning(['id', 'owner', 'priority', 'tag'])
      .executeTakeFirst();
    if (row) await countRequeued(transaction, row);
  });
}

/** A claim of an operation by a worker. */
export interface Claim {
  id: string;
  /** Tells this claim apart from later ones of the same operation. Null if only one service uses the queue. */
  lease: string | null;
  /** The progress (0..1) that the next `keepAlive` of this claim stores. It is lost with the claim. */
  progress?: number | undefined;
}

/** An operation whose claim this is. The lease is missing or null if only one service uses the queue. */
export interface ClaimedOperation extends OperationRow {
  lease?: string | null;
  /** Whether its attempt does not count yet: it has to wait until it may run, and `beginAttempt` follows. */
  isWaiting?: boolean;
}

/** The unfinished operations of a user that are cancelled, by their states. */
export interface CancelledIds {
  queuedIds: readonly string[];
  runningIds: readonly string[];
}

/** An operation of a user who has none running, and the user whose operation makes room for it. */
export interface ClaimBeside {
  row: ClaimedOperation;
  suspendedOwner: string;
}

/** The queue of operations. What is claimed stays claimed until it is completed, cancelled, released or lost. */
export interface JobQueue {
  /**
   * Gives an operation its turn, in the transaction that inserts its row. Resolves with the tag for that row. Throws
   * `USER_QUEUE_FULL` or `QUEUE_FULL`: since both limits are checked in the transaction, two starts never get the same
   * last place.
   */
  add(transaction: Transaction<Schema>, operation: Pick<OperationRow, 'id' | 'owner' | 'priority'>): Promise<number>;
  /**
   * Claims the queued operation whose turn it is, if there is one, and marks it as running. A queue of one service claims
   * none if that operation has `maxAttempts` (default: no limit) or more attempts behind it. A shared queue claims it as
   * waiting: the worker has to wait until it may run, and other workers claim the next ones.
   */
  claim(now: number, maxAttempts?: number): Promise<ClaimedOperation | undefined>;
  /**
   * Claims a normal operation with fewer than `maxAttempts` attempts of a user who has none running in any process, if one of
   * `running` has used more time. `running`: user → the time that the running operations have used so far, in ms.
   */
  claimBeside(now: number, running: ReadonlyMap<string, number>, maxAttempts: number): Promise<ClaimBeside | undefined>;
  /**
   * Counts the attempt of an operation that was claimed as waiting. To be called when it may run; may be repeated. Resolves
   * with whether the claim still holds.
   */
  beginAttempt(claim: Claim, now: number): Promise<boolean>;
  /**
   * Renews these claims. Resolves with those that are lost: another process has cancelled the operation, for example, or
   * claimed it.
   */
  keepAlive<C extends Claim>(claims: readonly C[]): Promise<C[]>;
  /** Charges a user for a claim: the time in ms that an operation used until it was completed, cancelled, released or lost. */
  charge(owner: string, usedMs: number): void;
  /** Stores the progress (0..1) of a claimed operation, at the latest with the next `keepAlive` of the same object. */
  setProgress(claim: Claim, progress: number): Promise<void>;
  /** Takes a claimed operation off the queue, in the transaction that completes its row, after that row changed. */
  complete(transaction: Transaction<Schema>, id: string): Promise<void>;
  /** Takes operations of a user off the queue, in the transaction that completes their rows as cancelled, after that. */
  cancel(transaction: Transaction<Schema>, owner: string, ids: CancelledIds): Promise<void>;
  /** Requeues a claimed operation, waiting or not, in its place because this service is stopping. The attempt does not count. */
  release(id: string, lease?: string | null): Promise<void>;
}

/** A queue that only one service uses, so that a start can tell what an earlier one left behind. */
export interface LocalJobQueue extends JobQueue {
  /** Finds the operations that were running when an earlier service crashed. */
  findInterrupted(): Promise<OperationRow[]>;
  /** Requeues an operation after a crash of the service. The attempt counts. */
  requeueInterrupted(id: string): Promise<void>;
  /** See `recountQueue`. */
  recount(): Promise<void>;
}

/** Creates the queue of a store. Its turns are those of `queue.ts`; which operations run is the state of their rows. */
export function createJobQueue(store: Store, limits: QueueLimits = LIMITS): LocalJobQueue {
  const shares = new Shares();

  /** Finds the operation whose turn it is. */
  const findNext = async (transaction: Transaction<Schema>): Promise<string | undefined> => {
    // One query instead of one for each user, if one user is before all others and has a normal operation.
    const owner = shares.findSoleEarliest((await findWaitingOwners(transaction)).map((row) => row.owner));
    const first = owner === undefined ? undefined : await findFirstOf(transaction, owner, 'normal');
    if (first) return first.id;
    const normal = await findFirst(transaction, 'normal');
    return shares.findEarliest(normal.length > 0 ? normal : await findFirst(transaction, 'low'))?.id;
  };

  /** Claims the operation that is found. */
  const claimFound = async (
    find: (transaction: Transaction<Schema>) => Promise<string | undefined>,
    now: number,
    maxAttempts: number,
  ): Promise<OperationRow | undefined> => {
    const claimed = await store.transaction().execute(async (transaction) => {
      const id = await find(transaction);
      const row = id === undefined ? undefined : await claimOne(transaction, id, now, maxAttempts);
      if (row) await countClaimed(transaction, row, now);
      return row;
    });
    if (claimed) shares.countClaim(claimed.owner);
    return claimed;
  };

  return {
    async add(transaction, operation) {
      const { tag, ...lengths } = await enqueue(transaction, operation);
      requireSpace(lengths, limits);
      return tag;
    },

    async claim(now, maxAttempts = MAX_INTEGER) {
      await promoteOldLow(store, now);
      return claimFound(findNext, now, maxAttempts);
    },

    async claimBeside(now, running, maxAttempts) {
      const latest = shares.findLatest(running);
      if (!latest) return undefined;
      const find = async (transaction: Transaction<Schema>): Promise<string | undefined> => {
        const owners = new Set((await findRunningOwners(transaction)).map(({ owner }) => owner));
        const first = await findFirst(transaction, 'normal');
        const next = shares.findEarliest(
          first.filter(({ owner, attempts }) => !owners.has(owner) && attempts < maxAttempts),
        );
        return next && shares.startOf(next.owner) < latest.ms ? next.id : undefined;
      };
      const row = await claimFound(find, now, maxAttempts);
      return row && { row, suspendedOwner: latest.owner };
    },

    charge: (owner, usedMs) => shares.charge(owner, usedMs),

    beginAttempt: () => Promise.resolve(true), // no operation is claimed as waiting

    async keepAlive(claims) {
      if (claims.length === 0) return []; // PostgreSQL refuses an empty list
      const rows = await store
        .selectFrom('operation')
        .select('id')
        .where(
          'id',
          'in',
          claims.map(({ id }) => id),
        )
        .where('state', '=', 'running')
        .execute();
      const running = new Set(rows.map(({ id }) => id));
      return claims.filter(({ id }) => !running.has(id));
    },

    async setProgress({ id }, progress) {
      await store
        .updateTable('operation')
        .set({ progress })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .execute();
    },

    complete: () => Promise.resolve(), // the state of its row says it

    async cancel(transaction, owner, { queuedIds }) {
      if (queuedIds.length > 0) await countQueued(transaction, owner, -queuedIds.length);
    },

    release: (id) => requeue(store, id, 1),

    findInterrupted: () => store.selectFrom('operation').selectAll().where('state', '=', 'running').execute(),

    requeueInterrupted: (id) => requeue(store, id, 0),

    recount: () => recountQueue(store),
  };
}
