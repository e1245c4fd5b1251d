import should from 'should';
import type { Store } from '../../../src/service/store/database.js';
import { startDatabaseClock } from '../../../src/service/store/postgres/database-clock.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { usePostgres } from '../support/use-postgres.js';

const MINUTE = 60_000;

describe('the clock of the database', () => {
  let server: PostgresServer;
  let store: Store;
  let warnings: unknown[];
  const logger = { warn: (...parts: unknown[]) => void warnings.push(parts) };

  usePostgres((started) => (server = started));

  beforeEach(async () => {
    warnings = [];
    store = await openPostgres({ url: server.url(), logger: { warn: () => undefined } });
  });

  afterEach(() => store.destroy());

  it('is the same on machines whose clocks differ by 60 s', async () => {
    const ahead = await startDatabaseClock({ store, logger, systemNow: () => Date.now() + MINUTE });
    const behind = await startDatabaseClock({ store, logger, systemNow: () => Date.now() - MINUTE });
    should(Math.abs(ahead.now() - behind.now())).be.below(1000);
    should(Math.abs(ahead.now() - Date.now())).be.below(1000); // the server runs on this machine
    should(Number.isInteger(ahead.now())).be.true();
    should(warnings).have.length(2);
    should(warnings[0]).match([{ differenceMs: (ms: number) => ms > 59_000 && ms < 61_000 }, /System clock differs/]);
    await Promise.all([ahead.close(), behind.close()]);
  });

  it('does not follow a system clock that jumps, and logs the difference once', async () => {
    let jumpMs = 0;
    const clock = await startDatabaseClock({ store, logger, systemNow: () => Date.now() + jumpMs });
    should(warnings).be.empty();
    jumpMs = 60 * MINUTE;
    should(Math.abs(clock.now() - Date.now())).be.below(1000);
    await clock.update();
    await clock.update();
    should(warnings).have.length(1);
    await clock.close();
  });

  it('is corrected by an update, and goes on while the database is away', async () => {
    let drift = 0;
    const monotonicNow = () => performance.now() + drift;
    const clock = await startDatabaseClock({ store, logger, monotonicNow });
    drift = MINUTE;
    should(clock.now() - Date.now()).be.above(MINUTE - 1000);
    await server.halt();
    await clock.update().should.be.rejectedWith({ code: 'DATABASE_UNAVAILABLE' });
    should(clock.now() - Date.now()).be.above(MINUTE - 1000);
    await server.resume();
    await clock.update();
    should(Math.abs(clock.now() - Date.now())).be.below(1000);
    await clock.close();
  });
});
