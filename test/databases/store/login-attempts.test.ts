import { setTimeout as sleep } from 'node:timers/promises';
import should from 'should';
import { createLoginChecks, type LoginLimits } from '../../../src/service/auth/login-checks.js';
import { LIMITS } from '../../../src/service/defaults.js';
import type { Store } from '../../../src/service/store/database.js';
import { createSharedLoginAttempts } from '../../../src/service/store/postgres/login-attempts.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { usePostgres } from '../support/use-postgres.js';

describe('logins at two processes with one PostgreSQL database', () => {
  let server: PostgresServer;
  let stores: Store[];
  let count = 0;

  usePostgres((started) => (server = started));

  beforeEach(async () => {
    count += 1;
    const options = { url: await server.createDatabase(`test_${count}`), logger: { warn: () => undefined } };
    stores = await Promise.all([openPostgres(options), openPostgres(options)]);
  });

  afterEach(() => Promise.all(stores.map((store) => store.destroy())));

  /** Returns a function of each process that logs in. */
  const createLogins = (more: Partial<LoginLimits> = {}) =>
    stores.map((store) => {
      const limits = { ...LIMITS, loginDelayMs: 100, ...more };
      const checkLogin = createLoginChecks(limits, () => performance.now(), createSharedLoginAttempts(store, limits));
      return (username: string, check: () => Promise<boolean>): Promise<boolean> =>
        checkLogin({ network: '192.0.2.1', clientId: 'c', username, signal: new AbortController().signal }, check);
    });
  const wrong = () => Promise.resolve(false);
  const right = () => Promise.resolve(true);
  const readFailures = () => stores[0]?.selectFrom('failed_login').select(['count']).execute();

  it('are delayed by the failures at both', async () => {
    const logins = createLogins();
    const startedAt = performance.now();
    for (let index = 0; index < 8; index++) should(await logins[index % 2]?.('ann', wrong)).be.false();
    // After five failures 100 ms, then 200 ms, then 400 ms. The clocks are read to 1 ms.
    should(performance.now() - startedAt).be.aboveOrEqual(690);
    should(await readFailures()).deepEqual([{ count: 8 }]);
  });

  it('do not delay another user', async () => {
    const logins = createLogins({ loginDelayMs: 60_000, maxLoginDelayMs: 60_000 });
    for (let index = 0; index < 5; index++) await logins[0]?.('ann', wrong);
    should(await logins[1]?.('bob', right)).be.true();
  });

  it('forget the failures after a success, and write nothing without one', async () => {
    const logins = createLogins();
    should(await logins[0]?.('ann', right)).be.true();
    for (let index = 0; index < 4; index++) await logins[0]?.('ann', wrong);
    should(await logins[1]?.('ann', right)).be.true();
    should(await readFailures()).be.empty();
  });

  it('check one password of a caller at a time', async () => {
    const logins = createLogins();
    let running = 0;
    const check = async (): Promise<boolean> => {
      running += 1;
      should(running).equal(1);
      await sleep(20); // long enough for the other process to begin, if it did
      running -= 1;
      return true;
    };
    const all = Array.from({ length: 6 }, (_, index) => logins[index % 2]?.('ann', check));
    should(await Promise.all(all)).deepEqual([true, true, true, true, true, true]);
  });

  it('delete failures that are too old to count', async () => {
    const logins = createLogins({ loginMemoryMs: 0 });
    for (const name of ['ann', 'bob', 'cleo']) {
      await logins[0]?.(name, wrong);
      await sleep(2); // the age is counted in ms
    }
    should(await readFailures()).deepEqual([{ count: 1 }]);
  });

  it('delete old failures while others do, and do not wait for each other', async () => {
    const logins = createLogins({ loginMemoryMs: 0 });
    const names = ['ann', 'bob', 'cleo', 'dora'];
    for (let round = 0; round < 25; round++) {
      const results = await Promise.all(names.map((name, index) => logins[index % 2]?.(name, wrong)));
      should(results).deepEqual([false, false, false, false]);
    }
  });

  it('fail if the database is away', async () => {
    const logins = createLogins();
    await server.halt();
    await should(logins[0]?.('ann', right)).be.rejectedWith({ code: 'DATABASE_UNAVAILABLE' });
    await server.resume();
    should(await logins[0]?.('ann', right)).be.true();
  });
});
