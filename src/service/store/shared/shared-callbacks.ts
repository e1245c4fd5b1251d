import { sql } from 'kysely';
import { type Callbacks, createCallbacks, toDueCallback } from '../callbacks.js';
import type { Store } from '../database.js';
import type { OperationRow } from '../schema.js';

/** A callback whose sender ended before it stored the outcome is due again after this time: that of several requests. */
const CLAIM_MS = 60_000;

/**
 * Creates the queries for callbacks that many processes send. One that is due is claimed by postponing it in its row, which
 * is plainer than a second queue of jobs: the row alone says when the next attempt is due, as on one machine. Senders have
 * to look again regularly: they are not told of callbacks that become due later, or by another process.
 */
export function createSharedCallbacks(store: Store, now: () => number): Callbacks {
  return {
    ...createCallbacks(store, now),

    async findDue(owner, count) {
      const time = now();
      const { rows } = await sql<OperationRow>`
        update operation set callback_next_at = ${time + CLAIM_MS}
        where id in (
          select id from operation where callback_state = 'due' and owner = ${owner} and callback_next_at <= ${time}
          order by callback_next_at limit ${count} for update skip locked
        )
        returning id, owner, callback_url, is_successful, callback_attempts, callback_next_at - ${CLAIM_MS} as callback_next_at
      `.execute(store);
      return rows.map(toDueCallback);
    },
  };
}
