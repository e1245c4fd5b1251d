import { randomUUID } from 'node:crypto';
import should from 'should';
import { startMaintenance } from '../../../src/service/database-mode/maintenance.js';
import { migrateDatabase } from '../../../src/service/database-mode/open-backend.js';
import { createLogger } from '../../../src/service/logger.js';
import { createCancellations } from '../../../src/service/store/cancellations.js';
import { createOperations } from '../../../src/service/store/operations.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import { maintainQueue } from '../../../src/service/store/shared/maintain-queue.js';
import { openBoss } from '../../../src/service/store/shared/open-boss.js';
import { createSharedJobQueue, OPERATION_QUEUE } from '../../../src/service/store/shared/shared-job-queue.js';
import { startPgbouncer } from '../../helpers/pgbouncer.js';
import { PostgresServer } from '../../helpers/postgres-server.js';
import { eventually } from '../../helpers/processes.js';
import { queuedOperation } from '../../service/support/queued-operation.js';

const TIME = { now: 5, retainedFrom: 5 };

// As in docs/operating/many-machines.md.
const GRANTS = `
  grant usage on schema public, pgboss to models_app;
  grant select, insert, update, delete on all tables in schema public, pgboss to models_app;`;

describe('the shared queue with few rights or a pooler', () => {
  let server: PostgresServer;
  let name: string;
  let url: string;

  before(async () => {
    server = await PostgresServer.share();
    await server.query('create role models_app login');
  });

  after(() => server.stop());

  beforeEach(async () => {
    name = randomUUID();
    url = await server.createDatabase(name);
    await migrateDatabase({ database: { url }, logger: createLogger('silent') });
  });

  /** Does all that API processes and workers do with the queue. Resolves with what was logged. */
  const useQueue = async (database: string): Promise<unknown[]> => {
    const messages: unknown[] = [];
    const logger = createLogger('info', { write: (line: string) => void messages.push(JSON.parse(line)) });
    const store = await openPostgres({ url: database, migrates: false, maxConnections: 4, logger });
    try {
      const boss = await openBoss(store, logger);
      const queue = createSharedJobQueue(store, boss);
      const operations = createOperations(store, queue);
      const rows = Array.from({ length: 12 }, () => queuedOperation({ kind: 'analyze', output_id: null }));
      await Promise.all(rows.map((row) => operations.add(row)));
      const claims = await Promise.all(rows.slice(4).map(() => queue.claim(2)));
      const claimed = claims.flatMap((row) => (row ? [{ id: row.id, lease: row.lease ?? null }] : []));
      should(claimed).have.length(8);
      for (const claim of claimed) await queue.setProgress(claim, 0.5);
      should(await queue.keepAlive(claimed)).be.empty();
      const [released, lost, cancelled, ...completed] = claimed;
      if (!released || !lost || !cancelled) throw new Error('Expected eight claims.');
      await queue.release(released.id, released.lease);
      await boss.fail(OPERATION_QUEUE, lost.id);
      should(await createCancellations(store, queue).cancel(cancelled.id, 'ann', TIME)).be.true();
      const failure = { isSuccessful: false, error: '{}', report: null } as const;
      const complete = ({ id, lease }: (typeof claimed)[0]) => operations.complete(id, failure, 3, 3, lease);
      should(await Promise.all(completed.map(complete))).matchEach(true);
      await maintainQueue({ store, boss, now: () => 3_600_010 });
      const rest: string[] = [];
      for (let row = await queue.claim(4); row; row = await queue.claim(4)) rest.push(row.id);
      should(rest).have.length(6);
      rest.should.containEql(released.id).and.containEql(lost.id);

      await boss.start();
      let runCount = 0;
      const task = async (): Promise<void> => {
        runCount += 1;
      };
      const end = startMaintenance({ boss, intervalMs: 1000, tasks: [task], logger });
      await eventually('the maintenance runs', () => runCount > 0);
      const isSupervised = async () =>
        (await server.query("select 1 from pgboss.queue where name = 'operation' and monitor_on is not null", name))
          .length > 0;
      await eventually('the jobs are supervised', isSupervised);
      await end();
      await boss.stop({ graceful: false });
    } finally {
      await store.destroy();
    }
    return messages;
  };

  it('needs no right to change tables after another role has migrated', async () => {
    await server.query(GRANTS, name);
    const appUrl = url.replace('postgres@', 'models_app@');
    should(await useQueue(appUrl)).be.empty();
    await migrateDatabase({ database: { url: appUrl }, logger: createLogger('silent') }).should.be.fulfilled();
    await server.query('update store set version = version - 1', name);
    const logger = createLogger('silent');
    await openPostgres({ url: appUrl, logger }).should.be.rejectedWith({ code: 'DATABASE_UNREACHABLE' });
    await openPostgres({ url: appUrl, migrates: false, logger }).should.be.rejectedWith({ code: 'DATABASE_OUTDATED' });
  });

  it('needs no session: it works through PgBouncer in transaction mode', async () => {
    const bouncer = await startPgbouncer(server.port, [
      'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout',
    ]);
    try {
      should(await useQueue(url.replace(`:${server.port}/`, `:${bouncer.port}/`))).be.empty();
    } finally {
      await bouncer.stop();
    }
  });
});
