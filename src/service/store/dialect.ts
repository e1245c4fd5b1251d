import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { SolidityLevel } from '../../api/index.js';
import type { Schema } from './schema.js';

/** What differs between the databases in the queries that run on both. */
export interface Dialect {
  name: 'sqlite' | 'postgres';
  /** The last column of the order of the queue, for operations with the same time. */
  queueOrder: RawBuilder<unknown>;
  /**
   * Whether transactions run at the same time. Rows that a transaction depends on are locked then. SQLite has one
   * connection, and runs one transaction after the other.
   */
  isConcurrent: boolean;
  /** The level of the verdict in the report of an operation. Null if it has no report. */
  verdictLevel: RawBuilder<SolidityLevel | null>;
  /** Whether that verdict says that the model needs repair: 0 or 1. Null if there is no report. */
  verdictNeedsRepair: RawBuilder<number | null>;
}

const SQLITE: Dialect = {
  name: 'sqlite',
  queueOrder: sql`rowid`,
  isConcurrent: false,
  verdictLevel: sql`json_extract(report, '$.verdict.level')`,
  verdictNeedsRepair: sql`json_extract(report, '$.verdict.needsRepair')`,
};
const POSTGRES: Dialect = {
  name: 'postgres',
  queueOrder: sql`id`,
  isConcurrent: true,
  verdictLevel: sql`report::json #>> '{verdict,level}'`,
  verdictNeedsRepair: sql`(report::json #>> '{verdict,needsRepair}')::boolean::int`,
};

/** Returns the dialect of a store or transaction: always the same object for the same kind of database. */
export function dialectOf(executor: Kysely<Schema>): Dialect {
  return executor.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE;
}
