import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { fromKysely, type PgBoss } from 'pg-boss';
import { LIMITS } from '../../defaults.js';
import { delay } from '../../machine/delay.js';
import type { Store } from '../database.js';
import type { Claim, ClaimedOperation, JobQueue } from '../job-queue.js';
import { type QueueLimits, requireSpace } from '../queue-limits.js';
import type { OperationRow, Schema } from '../schema.js';
import { CLAIM_COST_MS } from '../shares.js';
import {
  bringBeside,
  bringForward,
  type Charges,
  countAllInTurn,
  countClaimed,
  countQueued,
  enqueue,
  FIRST_PRIORITY,
} from './queue-counters.js';

/** The queue of pg-boss that has one job for each unfinished operation, with the same id. */
export const OPERATION_QUEUE = 'operation';

/**
 * How long a worker may hold claims that it could not renew, in ms: as long as the heartbeat of the jobs. Another worker
 * may have them afterwards.
 */
const MAX_SILENCE_MS = 10_000;

// A renewal that gets no reply because the network is cut is repeated after this time.
const RENEWAL_TIMEOUT_MS = 3000;

// Starts at the same time do not see each other. Near the limit of all users they are counted one after the other, which
// holds it unless more starts than these are committed during one that began before.
const UNCOUNTED_STARTS = 1000;

/** The options of a shared queue. */
export interface SharedJobQueueOptions {
  limits?: QueueLimits;
  /** Returns a time in ms that changes of the system clock do not affect. Default: `performance.now`. */
  monotonicNow?: () => number;
}

/** Resolves like `work`. Throws if that takes longer than a renewal may. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const timeout = delay(RENEWAL_TIMEOUT_MS, ended.signal).then(() => {
    throw new Error('Could not renew the claims in time.');
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    ended.abort();
  }
}

/** Rolls a claim back: the operation stays queued. */
class NotClaimable extends Error {}

/** The claim of the operation of the first job. */
interface FirstClaim {
  charges: Charges;
  now: number;
  maxAttempts: number | undefined;
  /** The first job has `FIRST_PRIORITY`. */
  isBrought: boolean;
  /** The id that the first job has to have. Default: any. */
  id?: string;
}

interface PreviousState {
  previousState: OperationRow['state'];
}

/** The start of an operation, not before its creation: a worker reads its clock before it knows what it claims. */
function startAt(now: number): RawBuilder<number> {
  return sql<number>`greatest(${now}::bigint, created_at)`;
}

/**
 * Marks an operation as running by this lease, or as waiting, without a start, if it has `maxAttempts` behind it. Resolves
 * with `undefined` if it is completed, or another transaction is changing it. Does not wait for that one, which may wait for
 * the job that this transaction has locked.
 */
async function markRunning(
  transaction: Transaction<Schema>,
  id: string,
  now: number,
  maxAttempts: number | undefined,
): Promise<(ClaimedOperation & PreviousState) | undefined> {
  const { rows } = await sql<ClaimedOperation & PreviousState>`
    with found as (
      select id, state, coalesce(attempts >= ${maxAttempts ?? null}::integer, false) as waits
      from operation where id = ${id} and state <> 'completed' for update skip locked
    )
    update operation set
      state = 'running', attempts = attempts + (not waits)::integer, progress = null, lease = ${randomUUID()},
      started_at = case when not waits then ${startAt(now)} end
    from found where operation.id = found.id
    returning operation.*, found.state as "previousState", waits as "isWaiting"`.execute(transaction);
  return rows[0];
}

async function isUnfinished(transaction: Transaction<Schema>, id: string): Promise<boolean> {
  const row = await transaction.selectFrom('operation').select('state').where('id', '=', id).executeTakeFirst();
  return row !== undefined && row.state !== 'completed';
}

/**
 * Creates the queue that many processes share. Its jobs are those of pg-boss, sent, fetched and completed in the same
 * transactions as the rows of the operations. A job whose worker has not renewed its claim for 10 s (pg-boss's minimum) is
 * fetched again, and its operation gets another lease: whatever the first worker writes from then on is refused. The
 * operation stays running meanwhile, and the attempt counts. An operation without a start is waiting in its worker.
 */
export function createSharedJobQueue(
  store: Store,
  boss: PgBoss,
  { limits = LIMITS, monotonicNow = () => performance.now() }: SharedJobQueueOptions = {},
): JobQueue {
  let renewedAt = monotonicNow();
  /** User → the time in ms that is charged with the next claim: a statement of its own would wait for the disk. */
  const usedMs = new Map<string, number>();

  const addCharge = (owner: string, ms: number): void => {
    usedMs.set(owner, (usedMs.get(owner) ?? 0) + ms);
    if (usedMs.get(owner) === 0) usedMs.delete(owner);
  };

  /** Claims the operation of the first job, of this id if one is given. Throws `NotClaimable`. */
  const claimFirst = async (
    transaction: Transaction<Schema>,
    { charges, now, maxAttempts, isBrought, id }: FirstClaim,
  ): Promise<(ClaimedOperation & PreviousState) | undefined> => {
    const db = fromKysely(transaction);
    for (;;) {
      // Of thousands of jobs, PostgreSQL would otherwise sort all.
      const [job] = await boss.fetch(OPERATION_QUEUE, { db, ...(isBrought && { minPriority: FIRST_PRIORITY }) });
      if (!job) return undefined;
      if (id !== undefined && job.id !== id) throw new NotClaimable();
      const row = await markRunning(transaction, job.id, now, maxAttempts);
      if (!row) {
        if (await isUnfinished(transaction, job.id)) throw new NotClaimable();
        await boss.complete(OPERATION_QUEUE, job.id, null, { db });
        continue;
      }
      if (row.previousState === 'queued') await countClaimed(transaction, row, charges, now);
      return row;
    }
  };

  /** Claims an operation in a transaction, and charges the users with it. */
  const claimWith = async <R extends { row: ClaimedOperation & PreviousState }>(
    claim: (transaction: Transaction<Schema>, charges: Charges) => Promise<R | undefined>,
  ): Promise<(Omit<R, 'row'> & { row: ClaimedOperation }) | undefined> => {
    const charges = new Map(usedMs);
    try {
      const claimed = await store.transaction().execute((transaction) => claim(transaction, charges));
      renewedAt = monotonicNow();
      if (!claimed) return undefined;
      const { previousState, ...row } = claimed.row;
      if (previousState === 'queued') for (const [owner, ms] of charges) addCharge(owner, -ms);
      return { ...claimed, row };
    } catch (error) {
      if (error instanceof NotClaimable) return undefined;
      throw error;
    }
  };

  /** Renews the jobs of these claims. Resolves with the ids of those that are still claimed. */
  const touch = async (claims: readonly Claim[]): Promise<Set<string>> => {
    const ids = claims.map(({ id }) => id);
    const reply: { settled?: string[] } = await boss.touch(OPERATION_QUEUE, ids); // its type has no fields
    return new Set(reply.settled);
  };

  /**
   * Stores the progress of these claims, except for operations that are being completed. Resolves with the leases of those
   * that still hold. Does not wait for a completion.
   */
  const findCurrent = async (claims: readonly Claim[]): Promise<Set<string | null>> => {
    const ids = claims.map(({ id }) => id);
    const leases = claims.map(({ lease }) => lease ?? '');
    const progress = claims.map((claim) => claim.progress ?? null);
    for (const claim of claims) claim.progress = undefined;
    const { rows } = await sql<{ lease: string }>`
      with claim as (
        select * from unnest(${ids}::text[], ${leases}::text[], ${progress}::double precision[]) as claim(id, lease, progress)
      ), unlocked as (
        select operation.id, claim.progress from operation
        join claim on operation.id = claim.id and operation.lease = claim.lease
        where state = 'running' and claim.progress is not null for update of operation skip locked
      ), progressed as (
        update operation set progress = unlocked.progress from unlocked where operation.id = unlocked.id
      )
      select claim.lease from operation join claim on operation.id = claim.id and operation.lease = claim.lease
      where state = 'running'`.execute(store);
    return new Set(rows.map(({ lease }) => lease));
  };

  return {
    async add(transaction, operation) {
      const { tag, jobPriority: priority, ...lengths } = await enqueue(transaction, operation);
      requireSpace(lengths, limits);
      if (lengths.ofAll > limits.maxQueued - UNCOUNTED_STARTS) {
        requireSpace({ ...lengths, ofAll: await countAllInTurn(transaction) }, limits);
      }
      await boss.send(OPERATION_QUEUE, null, { id: operation.id, priority, db: fromKysely(transaction) });
      return tag;
    },

    async claim(now, maxAttempts) {
      const claimed = await claimWith(async (transaction, charges) => {
        const isBrought = await bringForward(transaction, charges);
        const row = await claimFirst(transaction, { charges, now, maxAttempts, isBrought });
        return row && { row };
      });
      return claimed?.row;
    },

    claimBeside: (now, running, maxAttempts) =>
      claimWith(async (transaction, charges) => {
        const next = await bringBeside(transaction, charges, running, maxAttempts);
        if (!next) return undefined;
        const row = await claimFirst(transaction, { charges, now, maxAttempts, isBrought: true, id: next.id });
        return row && { row, suspendedOwner: next.suspendedOwner };
      }),

    async beginAttempt({ id, lease }, now) {
      const { numUpdatedRows } = await store
        .updateTable('operation')
        .set({
          attempts: sql`attempts + (started_at is null)::integer`, // once, if the reply to this was lost
          started_at: sql`coalesce(started_at, ${startAt(now)})`,
        })
        .where('id', '=', id)
        .where('lease', '=', lease)
        .where('state', '=', 'running')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async keepAlive(claims) {
      try {
        const [current, touched] = await withTimeout(Promise.all([findCurrent(claims), touch(claims)]));
        renewedAt = monotonicNow();
        return claims.filter(({ id, lease }) => !current.has(lease) || !touched.has(id));
      } catch (error) {
        if (monotonicNow() - renewedAt > MAX_SILENCE_MS) return [...claims];
        throw error;
      }
    },

    charge: (owner, ms) => addCharge(owner, ms - CLAIM_COST_MS),

    async setProgress(claim, progress) {
      claim.progress = progress;
    },

    async complete(transaction, id) {
      // Also a job whose heartbeat was late, and that waits to be fetched again.
      await boss.complete(OPERATION_QUEUE, id, null, { includeQueued: true, db: fromKysely(transaction) });
    },

    async cancel(transaction, owner, { queuedIds, runningIds }) {
      const ids = [...queuedIds, ...runningIds];
      if (queuedIds.length > 0) await countQueued(transaction, owner, -queuedIds.length);
      if (ids.length > 0) await boss.cancel(OPERATION_QUEUE, ids, { db: fromKysely(transaction) });
    },

    release: (id, lease = null) =>
      store.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable('operation')
          .set({
            ...{ state: 'queued', started_at: null, progress: null, lease: null },
            attempts: sql`attempts - (started_at is not null)::integer`, // one that waits is not counted
          })
          .where('id', '=', id)
          .where('lease', '=', lease)
          .where('state', '=', 'running')
          .returning('owner')
          .executeTakeFirst();
        if (!row) return;
        await countQueued(transaction, row.owner, 1);
        await boss.fail(OPERATION_QUEUE, id, null, { db: fromKysely(transaction) });
      }),
  };
}
