import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { ServiceError } from '../../service-error.js';

const RETRY_AFTER_S = 2;

// Classes and codes of SQLSTATE for what a retry can solve: connection lost (08), shut down or restarting (57P), too many
// connections (53), read-only after a failover (25006), a statement that took too long (57014), a transaction without
// statements for too long (25P03), and conflicts between transactions (40).
const UNAVAILABLE = /^(?:08|40|57P|53[234]|25006|25P03|57014)/;

// After these the connection itself is in order.
const CONNECTION_USABLE = /^(?:40|57014)/;

// The messages of pg and its pool for connections that were lost, or not made in time. They have no code.
const CONNECTION_LOST =
  /^(?:Connection terminated|Query read timeout|timeout |Client (?:has encountered a connection error|was closed)|Received unexpected|The server does not support SSL|There was an error establishing an SSL)/;

// What a query with a mistake throws, before it is sent.
const PROGRAM_ERRORS = [TypeError, RangeError, ReferenceError, SyntaxError];

function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? (error.code ?? '') : undefined;
}

/** Returns whether an error is that of a connection: of the system, of TLS, or of pg. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || PROGRAM_ERRORS.some((type) => error instanceof type)) return false;
  return ('code' in error && typeof error.code === 'string') || CONNECTION_LOST.test(error.message);
}

/** Returns whether a query failed because of the connection or the load, but not because of the query itself. */
function isUnavailable(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefined) return isConnectionError(error);
  // A wrong number of parameters. PgBouncer has this code, too, but ends the connection.
  const isMalformed = state === '08P01' && error instanceof DatabaseError && error.severity === 'ERROR';
  return UNAVAILABLE.test(state) && !isMalformed;
}

/** Called with each error that the service reports as `DATABASE_UNAVAILABLE`. */
export type UnavailabilityListener = (error: unknown) => void;

function createUnavailableError(cause: unknown): ServiceError {
  return new ServiceError('DATABASE_UNAVAILABLE', 'The database is not available. Retry later.', {
    cause,
    retryAfterS: RETRY_AFTER_S,
  });
}

/** A connection that a transaction or query has got from the pool. */
class PooledClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #queries: PostgresPoolClient;
  readonly #onUnavailable: UnavailabilityListener;
  #isBroken = false;

  constructor(client: PoolClient, onUnavailable: UnavailabilityListener) {
    this.#client = client;
    this.#queries = client;
    this.#onUnavailable = onUnavailable;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    text: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== 'string') throw new TypeError('Could not open a cursor: no query of the service has one.');
    return this.#run(text, parameters);
  }

  async #run<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    try {
      return await this.#queries.query<R>(text, parameters);
    } catch (error) {
      const state = sqlStateOf(error);
      if (!isUnavailable(error)) {
        this.#isBroken ||= state === undefined; // the query may have been sent in part
        throw error;
      }
      this.#isBroken ||= !CONNECTION_USABLE.test(state ?? '');
      this.#onUnavailable(error);
      throw createUnavailableError(error);
    }
  }

  /** Returns the connection to the pool. One that failed is closed: a query that timed out may still occupy it. */
  release(): void {
    this.#client.release(this.#isBroken);
  }
}

/**
 * Returns a pool for kysely whose connections fail with `DATABASE_UNAVAILABLE` (503) if the database cannot be reached,
 * is overloaded, or no connection becomes free in time. Mistakes in a query fail as they are.
 * `onWait` is called with the time for which a query waited because all connections were in use.
 */
export function withServiceErrors(
  pool: Pool,
  onUnavailable: UnavailabilityListener,
  onWait: (ms: number) => void = () => undefined,
): PostgresPool {
  return {
    async connect() {
      const isExhausted = pool.idleCount === 0 && pool.totalCount >= pool.options.max;
      const startedAt = performance.now();
      const client = await pool
        .connect()
        .catch((error: unknown) => {
          if (sqlStateOf(error) === undefined && !isConnectionError(error)) throw error;
          onUnavailable(error);
          throw createUnavailableError(error);
        })
        .finally(() => {
          if (isExhausted) onWait(performance.now() - startedAt);
        });
      return new PooledClient(client, onUnavailable);
    },
    end: () => pool.end(),
  };
}
