import type { Store } from './database.js';

/** A callback that is to be sent. */
export interface DueCallback {
  operationId: string;
  url: string;
  isSuccessful: boolean;
  /** How often it was tried before. */
  attempts: number;
  /** When it is to be tried, ms since 1970. */
  nextAt: number;
}

/** What a try came to; a callback that is due again says when, in ms since 1970. */
export type CallbackOutcome = { state: 'delivered' | 'given-up' } | { state: 'due'; nextAt: number };

/** Callbacks that wait for their delivery; they live in the rows of their operations. */
export function createCallbacks(store: Store) {
  return {
    /** The next ones to send, soonest first. */
    next: async (limit: number): Promise<DueCallback[]> => {
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

    /** Notes what a try came to. */
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
