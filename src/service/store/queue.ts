import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Store } from './database.js';
import { prepareFirst } from './prepare-query.js';
import type { OperationRow, Priority, QueueRow, Schema } from './schema.js';

// The users of the queued operations take turns by the time that they use: see `shares.ts`. The operations of a user get
// increasing tags, and the lowest one runs first. A program of an earlier version has only these: it gives turns by their
// number, since the first operation of a user begins at the highest tag claimed so far.

/** A low operation that has waited for this long counts as normal. */
const LOW_PRIORITY_MS = 60 * 60 * 1000;

/** How many of them are changed per claim. A claim takes one operation, so the others follow soon. */
const MAX_PROMOTIONS = 20;

const CLAIM_INTERVAL_WEIGHT = 0.1;

/** The numbers of queued operations of one user and of all users, and the time between claims. */
export interface QueueLengths {
  ofUser: number;
  ofAll: number;
  claimIntervalMs: number;
}

/** The column of the tags of a priority, in both tables. */
const TAG_COLUMN = { normal: 'normal_tag', low: 'low_tag' } as const satisfies Record<Priority, string>;

function byPriority<T>(create: (column: 'normal_tag' | 'low_tag') => T): Record<Priority, T> {
  return { normal: create(TAG_COLUMN.normal), low: create(TAG_COLUMN.low) };
}

function greater(a: RawBuilder<number>, b: RawBuilder<number>): RawBuilder<number> {
  return sql<number>`case when ${a} > ${b} then ${a} else ${b} end`;
}

/** Forgets all tags, once no operation waits. */
async function resetTags(transaction: Transaction<Schema>): Promise<void> {
  await transaction.updateTable('queue').set({ normal_tag: 0, low_tag: 0, claimed_at: null }).execute();
  await transaction.deleteFrom('user_queue').execute();
}

function requireRow<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('The counters of the queue are missing.');
  return row;
}

const countOfAll = prepareFirst((executor, change: number) =>
  executor.updateTable('queue').set({ waiting: sql`waiting + ${change}` }),
);

/** Counts operations of a user. Returns the row of the queue, because a further statement would cost more. */
const countOfUser = prepareFirst((executor, owner: string, change: number) =>
  executor
    .insertInto('user_queue')
    .values({ owner, waiting: change, normal_tag: -1, low_tag: -1 })
    .onConflict((conflict) => conflict.column('owner').doUpdateSet({ waiting: sql`user_queue.waiting + ${change}` }))
    .returning([
      sql<number>`(select waiting from queue)`.as('waiting'),
      sql<number>`(select normal_tag from queue)`.as('normal_tag'),
      sql<number>`(select low_tag from queue)`.as('low_tag'),
    ]),
);

/**
 * Counts operations that are queued (`change` above 0) or no longer queued (below 0). Every change of a state from or to
 * *queued* calls this, `enqueue` or `countClaimed` in its transaction, and nothing else changes the counters. Resolves
 * with the queue of all users.
 */
export async function countQueued(
  transaction: Transaction<Schema>,
  owner: string,
  change: number,
): Promise<Pick<QueueRow, 'waiting' | 'normal_tag' | 'low_tag'>> {
  await countOfAll(transaction, change);
  const queue = requireRow(await countOfUser(transaction, owner, change));
  if (queue.waiting === 0) await resetTags(transaction);
  return queue;
}

/** Counts an operation of a user and assigns its tag. Returns the lengths as well, as `countOfUser` does. */
const enqueueOf = byPriority((column) =>
  prepareFirst((executor, owner: string) =>
    executor
      .insertInto('user_queue')
      .values({ owner, waiting: 1, normal_tag: -1, low_tag: -1, [column]: sql`(select ${sql.ref(column)} from queue)` })
      .onConflict((conflict) =>
        conflict.column('owner').doUpdateSet({
          waiting: sql`user_queue.waiting + 1`,
          [column]: greater(sql`user_queue.${sql.ref(column)} + 1`, sql`excluded.${sql.ref(column)}`),
        }),
      )
      .returning([
        `${column} as tag`,
        'waiting as ofUser',
        sql<number>`(select waiting from queue)`.as('ofAll'),
        sql<number>`(select claim_interval_ms from queue)`.as('claimIntervalMs'),
      ]),
  ),
);

/** Counts an operation that is queued, and assigns its tag. */
export async function enqueue(
  transaction: Transaction<Schema>,
  { owner, priority }: Pick<OperationRow, 'owner' | 'priority'>,
): Promise<QueueLengths & { tag: number }> {
  await countOfAll(transaction, 1);
  const row = requireRow(await enqueueOf[priority](transaction, owner));
  return { ...row, tag: Number(row.tag) };
}

/** Counts a claim, and records its tag and its time. */
const countClaimOf = byPriority((column) =>
  prepareFirst((executor, tag: number, now: number) => {
    const interval = sql`claim_interval_ms + ${CLAIM_INTERVAL_WEIGHT} * (${now} - claimed_at - claim_interval_ms)`;
    return executor.updateTable('queue').set({
      waiting: sql`waiting - 1`,
      [column]: greater(sql.ref(column), sql`${tag}`),
      claim_interval_ms: sql`coalesce(${interval}, claim_interval_ms)`,
      claimed_at: now,
    });
  }),
);

/** Counts an operation that was claimed, and records its tag. */
export async function countClaimed(
  transaction: Transaction<Schema>,
  { owner, priority, tag }: Pick<OperationRow, 'owner' | 'priority' | 'tag'>,
  now: number,
): Promise<void> {
  await countClaimOf[priority](transaction, tag, now);
  const { waiting } = requireRow(await countOfUser(transaction, owner, -1));
  if (waiting === 0) await resetTags(transaction);
}

/**
 * Counts an operation that was requeued. It is next in its priority: it keeps its tag, unless the tags were reset since.
 */
export async function countRequeued(
  transaction: Transaction<Schema>,
  { id, owner, priority, tag }: Pick<OperationRow, 'id' | 'owner' | 'priority' | 'tag'>,
): Promise<void> {
  const queue = await countQueued(transaction, owner, 1);
  const claimedTag = queue[TAG_COLUMN[priority]];
  if (tag <= claimedTag) return;
  await transaction.updateTable('operation').set({ tag: claimedTag }).where('id', '=', id).execute();
}

const findOldLow = prepareFirst((executor, createdBefore: number) =>
  executor
    .selectFrom('operation')
    .select('id')
    .where('state', '=', sql.lit('queued')) // literals: the index has only these rows
    .where('priority', '=', sql.lit('low'))
    .where('created_at', '<=', createdBefore)
    .orderBy('created_at')
    .limit(1),
);

/** Makes the low operations that have waited for an hour normal, the oldest first. */
export async function promoteOldLow(store: Store, now: number): Promise<void> {
  const createdBefore = now - LOW_PRIORITY_MS;
  if (!(await findOldLow(store, createdBefore))) return;
  await store.transaction().execute(async (transaction) => {
    for (let count = 0; count < MAX_PROMOTIONS; count++) {
      const found = await findOldLow(transaction, createdBefore);
      if (!found) return;
      const row = await transaction
        .updateTable('operation')
        .set({ priority: 'normal' })
        .where('id', '=', found.id)
        .returning(['owner', 'priority'])
        .executeTakeFirstOrThrow();
      await countQueued(transaction, row.owner, -1);
      const { tag } = await enqueue(transaction, row);
      await transaction.updateTable('operation').set({ tag }).where('id', '=', found.id).execute();
    }
  });
}

/**
 * Counts the queued operations again. Called at the start of a service: the counters of a database that was upgraded or
 * recovered do not match its rows.
 */
export async function recountQueue(store: Store): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('user_queue').execute();
    await sql`
      insert into user_queue (owner, waiting, normal_tag, low_tag)
      select
        owner,
        count(*),
        coalesce(max(case when priority = 'normal' then tag end), -1),
        coalesce(max(case when priority = 'low' then tag end), -1)
      from operation where state = 'queued' group by owner`.execute(transaction);
    // A recovered database has no claimed tags: the queue goes on at its first operation.
    const firstTag = (priority: Priority) =>
      sql`(select coalesce(min(tag), 0) from operation where state = 'queued' and priority = ${priority})`;
    const { waiting } = await transaction
      .updateTable('queue')
      .set({
        waiting: sql`(select coalesce(sum(user_queue.waiting), 0) from user_queue)`,
        normal_tag: sql`case when normal_tag = 0 then ${firstTag('normal')} else normal_tag end`,
        low_tag: sql`case when low_tag = 0 then ${firstTag('low')} else low_tag end`,
      })
      .returning('waiting')
      .executeTakeFirstOrThrow();
    if (waiting === 0) await resetTags(transaction);
  });
}
