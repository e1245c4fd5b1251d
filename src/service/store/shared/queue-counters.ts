import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Store } from '../database.js';
import type { QueueLengths } from '../queue.js';
import type { OperationRow, Priority, Schema } from '../schema.js';
import { CLAIM_COST_MS } from '../shares.js';

// The turns of `shares.ts` and the tags of `queue.ts`, where transactions run at the same time: a start changes only the row
// of its user, so that the starts of two users do not wait for each other. That row is locked until the end of the transaction, so that two starts
// of one user never get the same tag. The tags are never reset, as some operation may always wait. The priority of a job,
// which has 32 bits, is the distance of its tag from a base that follows the tags.

const TAG_COLUMN = { normal: sql.ref('normal_tag'), low: sql.ref('low_tag') } satisfies Record<Priority, unknown>;
const OTHER_COLUMN = { normal: TAG_COLUMN.low, low: TAG_COLUMN.normal };

const CLAIM_INTERVAL_WEIGHT = 0.1;

// The time between claims counts only while operations wait. A longer one means that none did.
const MAX_CLAIM_INTERVAL_MS = 60_000;

/** The priorities of the jobs of normal operations are at least -10^9, and those of low ones at most that. */
const PRIORITY_RANGE = sql.lit(1_000_000_000);

/** That of the job whose turn it is, higher than all others. */
export const FIRST_PRIORITY = 2_000_000_000;

/** The base follows the tags once they are this far from it. */
const MAX_BASE_DISTANCE = 100_000_000;

/** How many jobs one statement corrects. */
const CORRECTION_COUNT = 10_000;

// An arbitrary number that no other program is likely to lock.
const TOTAL_LOCK = 7_305_808_868_190_343;

/** Returns the priority of a job of pg-boss, which fetches the highest one first: all normal operations, then the lowest tag. */
function createJobPriority(priority: RawBuilder<unknown>, tag: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(case when ${priority} = 'normal'
    then greatest(-${PRIORITY_RANGE}, least(queue.normal_base - ${tag}, ${PRIORITY_RANGE}))
    else greatest(-${PRIORITY_RANGE}, least(queue.low_base - ${tag}, 0)) - ${PRIORITY_RANGE} end)::integer`;
}

/** The priority of the job of an operation, in a query of the tables `operation` and `queue`. */
export const JOB_PRIORITY = createJobPriority(sql.ref('operation.priority'), sql.ref('operation.tag'));

/**
 * Lets the bases follow the tags, and corrects the jobs whose priority has another base. To be called regularly: an
 * operation that is queued meanwhile is corrected by the next call. Skips the jobs that are being claimed. Throws the abort
 * reason of `signal` between two statements.
 */
export async function followTags(store: Store, signal?: AbortSignal): Promise<void> {
  await sql`
    update queue set
      normal_base = case when normal_tag - normal_base > ${MAX_BASE_DISTANCE} then normal_tag else normal_base end,
      low_base = case when low_tag - low_base > ${MAX_BASE_DISTANCE} then low_tag else low_base end
    where normal_tag - normal_base > ${MAX_BASE_DISTANCE} or low_tag - low_base > ${MAX_BASE_DISTANCE}`.execute(store);
  let correctedCount: bigint;
  do {
    signal?.throwIfAborted();
    const { numAffectedRows = 0n } = await sql`
      with corrected as (
        select job.id, ${JOB_PRIORITY} as priority
        from operation cross join queue join pgboss.job on job.name = 'operation' and job.id = operation.id::uuid
        where operation.state in ('queued', 'running') and job.state < 'active' and job.priority <> ${JOB_PRIORITY}
        limit ${CORRECTION_COUNT} for update of job skip locked
      )
      update pgboss.job set priority = corrected.priority from corrected
      where job.name = 'operation' and job.id = corrected.id`.execute(store);
    correctedCount = numAffectedRows;
  } while (correctedCount === BigInt(CORRECTION_COUNT));
}

/** An operation that was queued: its tag, the priority of its job, and the queue with it. */
export interface EnqueuedOperation extends QueueLengths {
  tag: number;
  jobPriority: number;
}

/** Counts an operation that is queued, and assigns its tag. */
export async function enqueue(
  transaction: Transaction<Schema>,
  { owner, priority }: Pick<OperationRow, 'owner' | 'priority'>,
): Promise<EnqueuedOperation> {
  const tag = TAG_COLUMN[priority];
  const { rows } = await sql<EnqueuedOperation>`
    insert into user_queue as own (owner, waiting, ${tag}, ${OTHER_COLUMN[priority]})
    select ${owner}, 1, ${tag}, -1 from queue
    on conflict (owner) do update set
      waiting = own.waiting + 1,
      ${tag} = greatest(own.${tag} + 1, excluded.${tag})
    returning
      own.${tag} as tag,
      (select ${createJobPriority(sql`${priority}::text`, sql`own.${tag}`)} from queue) as "jobPriority",
      own.waiting as "ofUser",
      (select coalesce(sum(waiting), 0) + 1 from user_queue) as "ofAll",
      (select claim_interval_ms from queue) as "claimIntervalMs"`.execute(transaction);
  const [row] = rows;
  if (row === undefined) throw new Error('The counters of the queue are missing.');
  return {
    tag: Number(row.tag),
    jobPriority: row.jobPriority,
    ofUser: Number(row.ofUser),
    ofAll: Number(row.ofAll),
    claimIntervalMs: Number(row.claimIntervalMs),
  };
}

/**
 * Counts the queued operations of all users again, after the starts of other processes that have called this. To be called
 * when few places are left: `enqueue` does not see what is not committed yet.
 */
export async function countAllInTurn(transaction: Transaction<Schema>): Promise<number> {
  await sql`select pg_advisory_xact_lock(${TOTAL_LOCK}::bigint)`.execute(transaction);
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(waiting), 0)::bigint as count from user_queue`.execute(transaction);
  return rows[0]?.count ?? 0;
}

/** Counts operations of a user that are queued again (`change` above 0) or no longer queued (below 0). */
export async function countQueued(transaction: Transaction<Schema>, owner: string, change: number): Promise<void> {
  await sql`update user_queue set waiting = waiting + ${change} where owner = ${owner}`.execute(transaction);
}

/** User → the time in ms by which the user is to be charged. */
export type Charges = ReadonlyMap<string, number>;

function tableOf(charges: Charges): RawBuilder<unknown> {
  const [owners, ms] = [[...charges.keys()], [...charges.values()]];
  return sql`unnest(${owners}::text[], ${ms}::double precision[])`;
}

/** The virtual time of a user, of a query of the queue, the users and their charges. */
const START = sql`greatest(user_queue.virtual_ms + coalesce(charge.ms, 0), queue.virtual_ms)`;

/** Selects the first job of the first user in `turn` that can be claimed. */
function selectFirst(priority: Priority, maxAttempts?: number): RawBuilder<unknown> {
  return sql`
    select first.id from turn cross join lateral (
      select job.id from operation join pgboss.job on job.name = 'operation' and job.id = operation.id::uuid
      where operation.state = 'queued' and operation.priority = ${sql.lit(priority)} and operation.owner = turn.owner
        and job.state < 'active' and coalesce(operation.attempts < ${maxAttempts ?? null}::integer, true)
      order by operation.tag, operation.created_at limit 1 for update of job skip locked
    ) as first limit 1`;
}

/**
 * Makes the job first whose turn it is: that of an operation whose worker has ended, else of the user with the lowest virtual
 * time, which includes `charges`. Skips jobs that are being claimed. Joins are lateral with a limit, so that each job is found
 * by its key: without statistics, PostgreSQL would read all jobs for each running operation (110 ms with 3000 and 40).
 * Resolves with whether there is one.
 */
export async function bringForward(transaction: Transaction<Schema>, charges: Charges): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with turn as materialized (
      select owner, ${START} as start
      from user_queue left join ${tableOf(charges)} as charge(owner, ms) using (owner) cross join queue
      where user_queue.waiting > 0 order by start, owner
    ), lost as (
      select waiting.id from operation cross join lateral (
        select job.id from pgboss.job
        where job.name = 'operation' and job.id = operation.id::uuid and job.state < 'active'
        limit 1 for update of job skip locked
      ) as waiting where operation.state = 'running' limit 1
    )
    update pgboss.job set priority = ${sql.lit(FIRST_PRIORITY)} where name = 'operation' and id = coalesce(
      (select id from lost), (${selectFirst('normal')}), (${selectFirst('low')})
    )`.execute(transaction);
  return numAffectedRows > 0n;
}

/**
 * Makes the job first that may run beside others, as `JobQueue.claimBeside` says. Resolves with its id, and with the user of
 * `running` who has used the most time.
 */
export async function bringBeside(
  transaction: Transaction<Schema>,
  charges: Charges,
  running: Charges,
  maxAttempts: number,
): Promise<{ id: string; suspendedOwner: string } | undefined> {
  const { rows } = await sql<{ id: string; suspendedOwner: string }>`
    with latest as materialized (
      select running.owner, coalesce(${START}, queue.virtual_ms) + running.ms as ms
      from ${tableOf(running)} as running(owner, ms) left join user_queue using (owner)
        left join ${tableOf(charges)} as charge(owner, ms) using (owner) cross join queue
      order by 2 desc limit 1
    ), turn as materialized (
      select user_queue.owner, ${START} as start
      from user_queue left join ${tableOf(charges)} as charge(owner, ms) using (owner) cross join queue cross join latest
      where user_queue.waiting > 0 and ${START} < latest.ms and not exists (
        select from operation where operation.state = 'running' and operation.owner = user_queue.owner
      ) order by start, owner
    )
    update pgboss.job set priority = ${sql.lit(FIRST_PRIORITY)} from latest
    where job.name = 'operation' and job.id = (${selectFirst('normal', maxAttempts)})
    returning job.id, latest.owner as "suspendedOwner"`.execute(transaction);
  return rows[0];
}

/**
 * Counts an operation that was claimed, records its tag, and charges. To be the last statement: all claims change one row, and
 * no row of a user before.
 */
export async function countClaimed(
  transaction: Transaction<Schema>,
  { owner, priority, tag }: Pick<OperationRow, 'owner' | 'priority' | 'tag'>,
  charges: Charges,
  now: number,
): Promise<void> {
  const column = TAG_COLUMN[priority];
  const isClaimed = sql`user_queue.owner = ${owner}`;
  await sql`
    with change as (
      select owner, sum(ms) as ms from (select * from ${tableOf(charges)} as charge(owner, ms) union all select ${owner}, 0) as each
      group by owner
    ), claimed as (
      update queue set
        ${column} = greatest(${column}, ${tag}),
        virtual_ms = greatest(queue.virtual_ms, (
          select user_queue.virtual_ms + change.ms from user_queue join change using (owner) where ${isClaimed}
        )),
        claim_interval_ms = claim_interval_ms + ${CLAIM_INTERVAL_WEIGHT}
          * (least(${now} - coalesce(claimed_at, ${now}), ${MAX_CLAIM_INTERVAL_MS}) - claim_interval_ms),
        claimed_at = ${now}
      returning virtual_ms
    )
    update user_queue set
      waiting = waiting - (${isClaimed})::integer,
      virtual_ms = case when ${isClaimed}
        then greatest(user_queue.virtual_ms + change.ms, claimed.virtual_ms) + ${CLAIM_COST_MS}
        else user_queue.virtual_ms + change.ms end
    from change cross join claimed where user_queue.owner = change.owner`.execute(transaction);
}
