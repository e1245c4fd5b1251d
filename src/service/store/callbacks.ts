import type { Store } from './database.js';

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

/** Creates the queries for callbacks, which are stored in the rows of their operations. */
export function createCallbacks(store: Store) {
  return {
    /** Finds the next callbacks to send, in the order of `nextAt`. */
    findDue: async (limit: number): Promise<DueCallback[]> => {
      const rows = await store
        .selectFrom('operation')
        .select(['id', 'callback_url', 'is_successful', 'callback_attempts', 'callback_next_at'])
        .where('callback_state', '=', 'due')
        .orderBy('callback_next_at')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        operationId: row.id,
        url: row.callback_url ?? '',
        isSuccessful: row.is_successful === 1,
        attempts: row.callback_attempts,
        nextAt: row.callback_next_at ?? 0,
      }));
    },

    /** Stores the outcome of an attempt. */
    recordAttempt: async (operationId: string, attempts: number, outcome: CallbackOutcome): Promise<void> => {
      await store
        .updateTable('operation')
        .set({
          callback_state: outcome.state,
          callback_attempts: attempts,
          callback_next_at: outcome.state === 'due' ? outcome.nextAt : null,
        })
        .where('id', '=', operationId)
        .execute();
    },
  };
}

export type Callbacks = ReturnType<typeof createCallbacks>;
