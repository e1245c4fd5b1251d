import { sql, type Transaction } from 'kysely';
import type { QueueLengths } from '../queue.js';
import type { OperationRow, Priority, Schema } from '../schema.js';

// The tags of `queue.ts`, where transactions run at the same time: a start changes only the row of its user, so that the
// starts of two users do not wait for each other. That row is locked until the end of the transaction, so that two starts
// of one user never get the same tag. The tags are never reset; a 32-bit priority holds 10^9 of them.

const TAG_COLUMN = { normal: sql.ref('normal_tag'), low: sql.ref('low_tag') } satisfies Record<Priority, unknown>;
const OTHER_COLUMN = { normal: TAG_COLUMN.low, low: TAG_COLUMN.normal };

const CLAIM_INTERVAL_WEIGHT = 0.1;

// The time between claims counts only while operations wait. A longer one means that none did.
const MAX_CLAIM_INTERVAL_MS = 60_000;

const LOW_OFFSET = 1_000_000_000;

/** Returns the priority of a job of pg-boss, which fetches the highest one first: all normal operations, then the lowest tag. */
export function jobPriority({ priority, tag }: Pick<OperationRow, 'priority' | 'tag'>): number {
  return priority === 'normal' ? -tag : -(LOW_OFFSET + tag);
}

/** Counts an operation that is queued, and assigns its tag. */
export async function enqueue(
  transaction: Transaction<Schema>,
  { owner, priority }: Pick<OperationRow, 'owner' | 'priority'>,
): Promise<QueueLengths & { tag: number }> {
  const tag = TAG_COLUMN[priority];
  const { rows } = await sql<QueueLengths & { tag: number }>`
    insert into user_queue as own (owner, waiting, ${tag}, ${OTHER_COLUMN[priority]})
    select ${owner}, 1, ${tag}, -1 from queue
    on conflict (owner) do update set
      waiting = own.waiting + 1,
      ${tag} = greatest(own.${tag} + 1, excluded.${tag})
    returning
      own.${tag} as tag,
      own.waiting as "ofUser",
      (select coalesce(sum(waiting), 0) + 1 from user_queue) as "ofAll",
      (select claim_interval_ms from queue) as "claimIntervalMs"`.execute(transaction);
  const [row] = rows;
  if (row === undefined) throw new Error('The counters of the queue are missing.');
  return {
    tag: Number(row.tag),
    ofUser: Number(row.ofUser),
    ofAll: Number(row.ofAll),
    claimIntervalMs: Number(row.claimIntervalMs),
  };
}

/** Counts operations of a user that are queued again (`change` above 0) or no longer queued (below 0). */
export async function countQueued(transaction: Transaction<Schema>, owner: string, change: number): Promise<void> {
  await sql`update user_queue set waiting = waiting + ${change} where owner = ${owner}`.execute(transaction);
}

/** Counts an operation that was claimed, and records its tag. To be the last statement: all claims change one row. */
export async function countClaimed(
  transaction: Transaction<Schema>,
  { owner, priority, tag }: Pick<OperationRow, 'owner' | 'priority' | 'tag'>,
  now: number,
): Promise<void> {
  const column = TAG_COLUMN[priority];
  await sql`
    with own as (update user_queue set waiting = waiting - 1 where owner = ${owner})
    update queue set
      ${column} = greatest(${column}, ${tag}),
      claim_interval_ms = claim_interval_ms + ${CLAIM_INTERVAL_WEIGHT}
        * (least(${now} - coalesce(claimed_at, ${now}), ${MAX_CLAIM_INTERVAL_MS}) - claim_interval_ms),
      claimed_at = ${now}`.execute(transaction);
}
