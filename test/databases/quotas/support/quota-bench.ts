import { sql } from 'kysely';
import type { Store } from '../../../../src/service/store/database.js';
import { openPostgres } from '../../../../src/service/store/postgres.js';
import type { SpaceLimits } from '../../../../src/service/store/shared/space-reservations.js';
import { PostgresServer } from '../../../helpers/postgres-server.js';
import { createQuotaProcess, type QuotaProcess, type TestTime } from './quota-process.js';

/** An hour, in ms. */
export const HOUR = 3_600_000;

/** Two processes whose quotas are in one database, which is empty before each test. */
export interface QuotaBench {
  server: PostgresServer;
  /** The connections of each process. */
  first: Store;
  second: Store;
  /** The time of the database. Set by a test. */
  time: TestTime;
  createProcesses(limits?: Partial<SpaceLimits>): [QuotaProcess, QuotaProcess];
  /** Reads the stored and reserved bytes of a user, by default of all. */
  readUsage(owner?: string): Promise<{ bytes: number; reserved: number }>;
  /** Counts the files that are not deleted. */
  countStored(): Promise<number>;
}

function createBench(server: PostgresServer, first: Store, second: Store): QuotaBench {
  const time = { now: 1000 * HOUR };
  return {
    ...{ server, first, second, time },
    createProcesses: (limits = {}) => [
      createQuotaProcess(first, time, limits),
      createQuotaProcess(second, time, limits),
    ],
    async readUsage(owner = '%') {
      const { rows } = await sql<{ bytes: number; reserved: number }>`
        select coalesce(sum(bytes), 0)::bigint as bytes, coalesce(sum(reserved), 0)::bigint as reserved
        from usage where owner like ${owner}`.execute(first);
      return rows[0] ?? { bytes: -1, reserved: -1 };
    },
    async countStored() {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from file where deleted_at is null`.execute(first);
      return rows[0]?.count ?? -1;
    },
  };
}

/** Registers hooks that start PostgreSQL for all tests and empty its tables before each. `assign` receives the bench. */
export function registerQuotaBench(assign: (bench: QuotaBench) => void): void {
  const logger = { warn: () => undefined };
  let server: PostgresServer | undefined;
  let stores: [Store, Store] | undefined;

  before(async () => {
    server = await PostgresServer.share();
    const url = await server.createDatabase('quotas');
    // Tests hold transactions until another one waits, which takes long on a busy machine.
    const options = { url, idleTransactionTimeoutMs: 60_000, logger };
    stores = [await openPostgres(options), await openPostgres(options)];
  });

  beforeEach(async () => {
    if (!server || !stores) throw new Error('The database is not open.');
    for (const table of ['file', 'object', 'usage', 'user', 'operation'] as const) {
      await stores[0].deleteFrom(table).execute();
    }
    assign(createBench(server, ...stores));
  });

  after(async () => {
    for (const store of stores ?? []) await store.destroy();
    await server?.stop();
  });
}
