import { randomUUID } from 'node:crypto';
import should from 'should';
import { hashPassword } from '../../../src/service/auth/passwords.js';
import { createUserFinder } from '../../../src/service/auth/user-by-password.js';
import { createWebSessions } from '../../../src/service/auth/web-sessions.js';
import { LIMITS } from '../../../src/service/defaults.js';
import { createLogger } from '../../../src/service/logger.js';
import { createAccounts } from '../../../src/service/store/accounts.js';
import type { Store } from '../../../src/service/store/database.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import { createSessions } from '../../../src/service/store/sessions.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { LOWEST_COST } from '../../service/support/running.js';
import { usePostgres } from '../support/use-postgres.js';

const logger = createLogger('silent');
const PASSWORD = 'password of ann';

/** What an API process has for sessions. */
function createProcess(store: Store) {
  const accounts = createAccounts(store);
  const findUserByPassword = createUserFinder(accounts, (_caller, check) => check());
  const sessions = createSessions(store);
  const web = createWebSessions({ accounts, sessions, findUserByPassword, limits: LIMITS, now: Date.now });
  return { accounts, web };
}

describe('the sessions of the page on many machines', () => {
  let server: PostgresServer;
  let stores: Store[];
  let first: ReturnType<typeof createProcess>;
  let second: ReturnType<typeof createProcess>;

  const signIn = async (): Promise<string> => {
    const caller = { network: 'x', username: 'ann', signal: new AbortController().signal };
    return (await first.web.signIn(caller, PASSWORD)).secret;
  };

  usePostgres((started) => (server = started));

  beforeEach(async () => {
    const url = await server.createDatabase(randomUUID());
    stores = [await openPostgres({ url, logger }), await openPostgres({ url, logger, migrates: false })];
    const [one, two] = stores;
    if (!one || !two) throw new Error('Two stores are open.');
    [first, second] = [createProcess(one), createProcess(two)];
    const user = {
      id: randomUUID(),
      username: 'ann',
      password_hash: await hashPassword(PASSWORD, LOWEST_COST),
      created_at: 1,
    };
    await first.accounts.addUser(user);
  });

  afterEach(() => Promise.all(stores.map((store) => store.destroy())));

  it('begin in one process and count in the others', async () => {
    const secret = await signIn();
    should(await second.web.find(secret)).containEql({ username: 'ann', isOwner: false });
    await second.web.end(secret);
    should(await first.web.find(secret)).equal(undefined);
  });

  it('end in all processes with the password of their user', async () => {
    const secret = await signIn();
    await second.accounts.setPassword('ann', 'another hash');
    should(await first.web.find(secret)).equal(undefined);
  });

  it('begin once with a code that two processes get at the same time', async () => {
    await first.accounts.setOwner('ann', true);
    await second.accounts.setOwner('ann', true);
    const code = (await first.web.createCode()) ?? '';
    const outcomes = await Promise.allSettled([first.web.redeem(code), second.web.redeem(code)]);
    should(outcomes.map(({ status }) => status).sort()).deepEqual(['fulfilled', 'rejected']);
  });

  it('are those of an owner until the mark is removed', async () => {
    const secret = await signIn();
    await second.accounts.setOwner('ann', true);
    should(await first.web.find(secret)).containEql({ isOwner: true });
    await second.accounts.setOwner('ann', false);
    should(await first.web.find(secret)).containEql({ isOwner: false });
    should(await first.accounts.setOwner('nobody', true)).equal(false);
  });
});
