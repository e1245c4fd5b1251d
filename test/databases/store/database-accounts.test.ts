import { randomUUID } from 'node:crypto';
import should from 'should';
import { migrateDatabase } from '../../../src/service/database-mode/open-backend.js';
import { openDatabaseAccounts } from '../../../src/service/database-mode/open-database-accounts.js';
import { createLogger } from '../../../src/service/logger.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { usePostgres } from '../support/use-postgres.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const logger = createLogger('silent');

describe('the users of a service on many machines', () => {
  let server: PostgresServer;
  const systemNow = Date.now;

  usePostgres((started) => (server = started));

  afterEach(() => {
    Date.now = systemNow;
  });

  it('are removed at the time of the database, whatever the clock of the machine says', async () => {
    const url = await server.createDatabase(randomUUID());
    await migrateDatabase({ database: { url }, logger });
    const store = await openPostgres({ url, logger });
    const row = queuedOperation({ owner: 'ann', state: 'running' });
    await store.insertInto('operation').values(row).execute();
    Date.now = () => systemNow() - DAY_MS;
    const { accounts, close } = await openDatabaseAccounts({ database: { url } }, logger);
    await accounts.addUser({ id: 'ann', username: 'ann', password_hash: '', created_at: 1 });
    should(await accounts.removeUser('ann')).be.true();
    await close();
    const { finished_at, retained_from } = await store
      .selectFrom('operation')
      .selectAll()
      .where('id', '=', row.id)
      .executeTakeFirstOrThrow();
    await store.destroy();
    for (const time of [finished_at, retained_from]) should(time).be.approximately(systemNow(), 60_000);
  });
});
