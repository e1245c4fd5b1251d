import type { Store } from './database.js';
import type { OperationRow } from './schema.js';

/** A callback that has to be sent. */
export interface DueCallback {
  operationId: string;
  url: string;
  isSuccessful: boolean;
  /** The number of earlier attempts. */
  attempts: number;
  /** The time of the next attempt, in ms since 1970. */
  nextAt: number;
}

/** The outcome of an attempt. `nextAt`: the time of the next attempt, in ms since 1970. */
export type CallbackOutcome = { state: 'delivered' | 'given-up' } | { state: 'due'; nextAt: number };

/** The callbacks, which are stored in the rows of their operations. */
export interface Callbacks {
  /**
   * Finds the next callbacks to send, in the order of `nextAt`: up to `limit`. If other processes send callbacks, too, up to
   * `freeCount` that are due, and the caller has to send them.
   */
  findDue(limit: number, freeCount: number): Promise<DueCallback[]>;
  /**
   * Stores the outcome of an attempt. `attempts`: the number of attempts with this one. Ignores that of a process that was
   * suspended, if another one has made this attempt meanwhile.
   */
  recordAttempt(operationId: string, attempts: number, outcome: CallbackOutcome): Promise<void>;
}

/** Converts the row of an operation with a due callback. */
export function toDueCallback(
  row: Pick<OperationRow, 'id' | 'callback_url' | 'is_successful' | 'callback_attempts' | 'callback_next_at'>,
): DueCallback {
  return {
    operationId: row.id,
    url: row.callback_url ?? '',
    isSuccessful: row.is_successful === 1,
    attempts: row.callback_attempts,
    nextAt: row.callback_next_at ?? 0,
  };
}

/** Creates the queries for the callbacks of a service that alone sends them. */
export function createCallbacks(store: Store): Callbacks {
  return {
    async findDue(limit) {
      const rows = await store
        .selectFrom('operation')
        .select(['id', 'callback_url', 'is_successful', 'callback_attempts', 'callback_next_at'])
        .where('callback_state', '=', 'due')
        .orderBy('callback_next_at')
        .limit(limit)
        .execute();
      return rows.map(toDueCallback);
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
