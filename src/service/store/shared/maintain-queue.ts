import { sql } from 'kysely';
import { fromKysely, type PgBoss } from 'pg-boss';
import type { Store } from '../database.js';
import { countQueued, enqueue, followTags, JOB_PRIORITY } from './queue-counters.js';
import { OPERATION_QUEUE } from './shared-job-queue.js';

const HOUR_MS = 60 * 60 * 1000;
const BATCH = 1000;

/** What the maintenance of the queue needs. */
export interface QueueMaintenanceDependencies {
  store: Store;
  boss: PgBoss;
  /** Returns the time of the database. */
  now: () => number;
}

/** Makes the low operations normal that have waited for an hour, the oldest first. */
async function promoteOldLow(
  { store, boss, now }: QueueMaintenanceDependencies,
  signal: AbortSignal | undefined,
): Promise<void> {
  const old = await store
    .selectFrom('operation')
    .select('id')
    .where('state', '=', 'queued')
    .where('priority', '=', 'low')
    .where('created_at', '<=', now() - HOUR_MS)
    .orderBy('created_at')
    .limit(BATCH)
    .execute();
  for (const { id } of old) {
    signal?.throwIfAborted();
    await store.transaction().execute(async (transaction) => {
      const row = await transaction
        .updateTable('operation')
        .set({ priority: 'normal' })
        .where('id', '=', id)
        .where('state', '=', 'queued')
        .where('priority', '=', 'low')
        .returning(['owner', 'priority'])
        .executeTakeFirst();
      if (!row) return; // claimed or cancelled meanwhile
      await countQueued(transaction, row.owner, -1);
      const { tag, jobPriority: priority } = await enqueue(transaction, row);
      await transaction.updateTable('operation').set({ tag }).where('id', '=', id).execute();
      await boss.update(OPERATION_QUEUE, undefined, { id, priority, db: fromKysely(transaction) });
    });
  }
}

/**
 * Sends the jobs again that an administrator deleted, for example. A job that exists is not sent twice. The worker of a
 * running operation has given it up, since it cannot renew its claim.
 */
async function sendLostJobs(
  { store, boss, now }: QueueMaintenanceDependencies,
  signal: AbortSignal | undefined,
): Promise<void> {
  const unfinished = await store
    .selectFrom(['operation', 'queue'])
    .select(['id', JOB_PRIORITY.as('jobPriority')])
    .where('state', 'in', ['queued', 'running'])
    .where('created_at', '<=', now() - HOUR_MS)
    .orderBy('created_at')
    .limit(BATCH)
    .execute();
  for (const { id, jobPriority } of unfinished) {
    signal?.throwIfAborted();
    await boss.send(OPERATION_QUEUE, null, { id, priority: jobPriority });
  }
}

/** Deletes the turns that say nothing any more: the next operation of such a user gets the tag of a new user. */
async function purgeTurns(store: Store): Promise<void> {
  await sql`
    delete from user_queue using queue
    where user_queue.waiting = 0
      and user_queue.normal_tag < queue.normal_tag and user_queue.low_tag <= queue.low_tag
      and user_queue.virtual_ms <= queue.virtual_ms`.execute(store);
}

/**
 * Does what the shared queue needs regularly, in one process at a time. Throws the abort reason of `signal` between two
 * operations; the next run does the rest.
 */
export async function maintainQueue(dependencies: QueueMaintenanceDependencies, signal?: AbortSignal): Promise<void> {
  await followTags(dependencies.store, signal);
  await promoteOldLow(dependencies, signal);
  await sendLostJobs(dependencies, signal);
  signal?.throwIfAborted();
  await purgeTurns(dependencies.store);
}
