import { sql } from 'kysely';
import type { Store } from './database.js';
import type { OperationRow } from './schema.js';

/** A callback that has to be sent. */
export interface DueCallback {
  operationId: string;
  /** The user whose operation it was. */
  owner: string;
  url: string;
  isSuccessful: boolean;
  /** The number of earlier attempts. */
  attempts: number;
  /** The time of the next attempt, in ms since 1970. */
  nextAt: number;
}

/** The outcome of an attempt. `nextAt`: the time of the next attempt, in ms since 1970. */
export type CallbackOutcome = { state: 'delivered' | 'given-up' } | { state: 'due'; nextAt: number };

/** A user with callbacks, and the time of the next attempt of one of them, in ms since 1970. */
export interface CallbackTurn {
  owner: string;
  nextAt: number;
}

/** The callbacks, which are stored in the rows of their operations. */
export interface Callbacks {
  /** Finds the users with callbacks that are due, or will be, except those of the operations that are named. */
  findTurns(except: readonly string[]): Promise<CallbackTurn[]>;
  /**
   * Finds up to `count` callbacks of a user that are due, in the order of `nextAt`, except those of the operations that are
   * named. If other processes send callbacks, too, the caller has to send or postpone them.
   */
  findDue(owner: string, count: number, except: readonly string[]): Promise<DueCallback[]>;
  /** Postpones the attempts of a user before `until`, in ms since 1970, at URLs that begin with `prefix`. */
  postpone(owner: string, prefix: string, until: number): Promise<void>;
  /**
   * Stores the outcome of an attempt. `attempts`: the number of attempts with this one. Ignores that of a process that was
   * suspended, if another one has made this attempt meanwhile.
   */
  recordAttempt(operationId: string, attempts: number, outcome: CallbackOutcome): Promise<void>;
}

/** Converts the row of an operation with a due callback. */
export function toDueCallback(
  row: Pick<OperationRow, 'id' | 'owner' | 'callback_url' | 'is_successful' | 'callback_attempts' | 'callback_next_at'>,
): DueCallback {
  return {
    operationId: row.id,
    owner: row.owner,
    url: row.callback_url ?? '',
    isSuccessful: row.is_successful === 1,
    attempts: row.callback_attempts,
    nextAt: row.callback_next_at ?? 0,
  };
}

/** The condition of the partial index of callbacks. A bound parameter would not match it. */
const IS_DUE = sql<boolean>`callback_state = 'due'`;

/** Creates the queries for the callbacks of a service that alone sends them. `now` returns the time in ms since 1970. */
export function createCallbacks(store: Store, now: () => number): Callbacks {
  return {
    async findTurns(except) {
      const others = except.length === 0 ? sql`` : sql`and id not in (${sql.join(except)})`;
      // Steps from user to user in the index: the number of callbacks does not matter.
      const { rows } = await sql<{ owner: string; next_at: number | null }>`
        with recursive turn (owner) as (
          select min(owner) from operation where ${IS_DUE}
          union all
          select (select min(owner) from operation where ${IS_DUE} and owner > turn.owner) from turn where owner is not null
        )
        select owner, (
          select callback_next_at from operation where ${IS_DUE} and operation.owner = turn.owner ${others}
          order by callback_next_at limit 1
        ) as next_at
        from turn where owner is not null
      `.execute(store);
      return rows.flatMap(({ owner, next_at }) => (next_at === null ? [] : [{ owner, nextAt: next_at }]));
    },

    async findDue(owner, count, except) {
      let query = store
        .selectFrom('operation')
        .select(['id', 'owner', 'callback_url', 'is_successful', 'callback_attempts', 'callback_next_at'])
        .where(IS_DUE)
        .where('owner', '=', owner)
        .where('callback_next_at', '<=', now());
      if (except.length > 0) query = query.where('id', 'not in', except);
      const rows = await query.orderBy('callback_next_at').limit(count).execute();
      return rows.map(toDueCallback);
    },

    async postpone(owner, prefix, until) {
      await store
        .updateTable('operation')
        .set({ callback_next_at: until })
        .where(IS_DUE)
        .where('owner', '=', owner)
        .where('callback_next_at', '<', until)
        .where(sql`substr(callback_url, 1, ${prefix.length})`, '=', prefix)
        .execute();
    },

    async recordAttempt(operationId, attempts, outcome) {
      await store
        .updateTable('operation')
        .set({
          callback_state: outcome.state,
          callback_attempts: attempts,
          callback_next_at: outcome.state === 'due' ? outcome.nextAt : null,
        })
        .where('id', '=', operationId)
        .where('callback_attempts', '=', attempts - 1)
        .execute();
    },
  };
}
