import { Kysely, PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';
import type { Logger } from '../logger.js';
import { ServiceError } from '../service-error.js';
import { StartError } from '../start-error.js';
import type { Store } from './database.js';
import type { Migration } from './migrations.js';
import { type ConnectionOptions, readConnectionOptions } from './postgres/connection-options.js';
import { POSTGRES_MIGRATIONS } from './postgres/migrations.js';
import { withServiceErrors } from './postgres/pooled-client.js';
import { requireVersion, upgradeTables } from './postgres/schema-version.js';
import type { Schema } from './schema.js';

/** The options of a PostgreSQL database. */
export interface PostgresOptions {
  /** See `readConnectionOptions`. */
  url: string;
  /** Bounds the connections of this process. Default: 10. */
  maxConnections?: number;
  /** How long a request waits for a free connection, and a connection for its server. Default: 5 s. */
  connectTimeoutMs?: number;
  /** Bounds each statement. Default: 30 s. */
  statementTimeoutMs?: number;
  /**
   * Ends a connection whose process says nothing within a transaction for this long, because it is suspended or its
   * machine was lost: others wait for its locks. Default: 10 s.
   */
  idleTransactionTimeoutMs?: number;
  /** Whether to upgrade the tables. Default: true. Otherwise they must be up to date, and no right to change them is needed. */
  migrates?: boolean;
  migrations?: readonly Migration[];
  /** Called with the time in ms for which a query or transaction has waited because all connections were in use. */
  onWait?: (ms: number) => void;
  logger: Pick<Logger, 'warn'>;
}

// A statement that the server does not end in time, because the network is cut, fails after this time more.
const REPLY_GRACE_MS = 5000;

const LOG_INTERVAL_MS = 10_000;

const MIGRATION_TIMEOUT_MS = 30 * 60 * 1000;

// All integers of the service are below 2^53: pg would return those of 64 bits as text.
const INT8 = 20;
const numbers = {
  getTypeParser: (...[oid, format]: Parameters<typeof types.getTypeParser>) =>
    oid === INT8 ? Number : types.getTypeParser(oid, format),
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/**
 * Opens a pool. No connection is made yet. Queries are not named and nothing is kept in a session, so that it also works
 * through PgBouncer in transaction mode.
 */
function openPool({ connectionString, ssl }: ConnectionOptions, options: PostgresOptions): Store {
  const { maxConnections = 10, connectTimeoutMs = 5000, statementTimeoutMs = 30_000, onWait, logger } = options;
  const pool = new Pool({
    connectionString,
    ssl,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: options.idleTransactionTimeoutMs ?? 10_000,
    query_timeout: statementTimeoutMs + REPLY_GRACE_MS,
    keepAlive: true,
    application_name: 'model-processing',
    types: numbers,
  });
  let loggedAt = Number.NEGATIVE_INFINITY;
  const onUnavailable = (error: unknown): void => {
    if (performance.now() < loggedAt + LOG_INTERVAL_MS) return; // many queries fail at once
    loggedAt = performance.now();
    // Not the error itself: that of an idle connection contains its options.
    logger.warn({ reason: messageOf(error) }, 'Database not available');
  };
  // Connections that the server ends, while in use or idle: without listeners they would terminate the process.
  pool.on('connect', (client) => client.on('error', onUnavailable));
  pool.on('error', onUnavailable);
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: withServiceErrors(pool, onUnavailable, onWait) }) });
}

/** Upgrades the tables over a connection of its own, whose statements may take longer. */
async function migrateOnce(connection: ConnectionOptions, options: PostgresOptions): Promise<void> {
  const db = openPool(connection, { ...options, maxConnections: 1, statementTimeoutMs: MIGRATION_TIMEOUT_MS });
  try {
    await upgradeTables(db, options.migrations ?? POSTGRES_MIGRATIONS);
  } finally {
    await db.destroy();
  }
}

/** Converts an error of the first queries. Those of pg contain no secret. */
function toStartError(error: unknown, displayName: string): StartError {
  if (error instanceof StartError) return error;
  const cause = error instanceof ServiceError ? error.cause : error;
  const reason = messageOf(cause);
  const remedy = reason.includes('unsupported startup parameter')
    ? 'Set ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout in pgbouncer.ini.'
    : 'Check --database-url, and the rights of its user.';
  return new StartError('DATABASE_UNREACHABLE', `Could not open the database ${displayName}: ${reason}. ${remedy}`, {
    cause,
  });
}

/**
 * Opens a PostgreSQL database (version 13 or later) that any number of processes share, and creates or upgrades its
 * tables. Queries fail with `DATABASE_UNAVAILABLE` while it cannot be reached, and connect again afterwards. `destroy`
 * closes the connections. Throws `USAGE`, `DATABASE_UNREACHABLE`, `DATABASE_NEWER` or `DATABASE_OUTDATED`.
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const connection = readConnectionOptions(options.url);
  const { migrates = true, migrations = POSTGRES_MIGRATIONS } = options;
  const store = openPool(connection, options);
  try {
    if (migrates) await migrateOnce(connection, options);
    else await requireVersion(store, migrations);
    return store;
  } catch (error) {
    await store.destroy();
    throw toStartError(error, connection.displayName);
  }
}
