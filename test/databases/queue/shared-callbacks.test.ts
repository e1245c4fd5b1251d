import { randomUUID } from 'node:crypto';
import should from 'should';
import { createLogger } from '../../../src/service/logger.js';
import type { Callbacks } from '../../../src/service/store/callbacks.js';
import type { Store } from '../../../src/service/store/database.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import { createSharedCallbacks } from '../../../src/service/store/shared/shared-callbacks.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { usePostgres } from '../support/use-postgres.js';

const MINUTE_MS = 60_000;

describe('callbacks that several processes send', () => {
  let server: PostgresServer;
  let store: Store;
  let callbacks: Callbacks;
  let time: number;

  usePostgres((started) => (server = started));

  beforeEach(async () => {
    time = 1000;
    store = await openPostgres({ url: await server.createDatabase(randomUUID()), logger: createLogger('silent') });
    callbacks = createSharedCallbacks(store, () => time);
  });

  afterEach(() => store.destroy());

  const addDue = async (callback_next_at: number, owner = 'ann', url = 'https://example.com/'): Promise<string> => {
    const due = { owner, callback_url: url, callback_state: 'due', callback_next_at } as const;
    const row = queuedOperation({ ...due, state: 'completed', is_successful: 1, finished_at: 1, retained_from: 1 });
    await store.insertInto('operation').values(row).execute();
    return row.id;
  };

  const findIds = async (freeCount = 10): Promise<string[]> =>
    (await callbacks.findDue('ann', freeCount, [])).map(({ operationId }) => operationId);

  const readRow = (id: string) => store.selectFrom('operation').selectAll().where('id', '=', id).executeTakeFirst();

  it('are each found by one of them, those that are due first', async () => {
    const [second, first] = [await addDue(900), await addDue(800)];
    await addDue(1001);
    should(await findIds(1)).eql([first]);
    const found = await Promise.all([findIds(), findIds()]);
    should(found.flat()).eql([second]);
  });

  it('are found for each user, with the time of the next one', async () => {
    await addDue(900);
    const bobs = await addDue(800, 'bob');
    await addDue(700, 'bob');
    should(await callbacks.findTurns([])).eql([
      { owner: 'ann', nextAt: 900 },
      { owner: 'bob', nextAt: 700 },
    ]);
    should((await callbacks.findDue('bob', 2, [])).map(({ operationId }) => operationId)).containEql(bobs);
    should(await findIds()).have.length(1);
  });

  it('wait together for a host that is slow', async () => {
    const [slow, other] = [await addDue(900), await addDue(900, 'ann', 'https://example.com:444/')];
    await callbacks.postpone('ann', 'https://example.com/', 2000);
    should(await findIds()).eql([other]);
    time = 2000;
    should(await findIds()).eql([slow]);
  });

  it('are found again after a minute if the process that had to send them ended', async () => {
    const id = await addDue(900);
    const [callback] = await callbacks.findDue('ann', 1, []);
    should(callback).match({ operationId: id, attempts: 0, nextAt: time, isSuccessful: true });
    time += MINUTE_MS - 1;
    should(await findIds()).eql([]);
    time += 1;
    should(await findIds()).eql([id]);
  });

  it('keep the outcome of the process that has sent them, whatever a suspended one records later', async () => {
    const id = await addDue(900);
    await findIds();
    time += MINUTE_MS;
    await findIds();
    await callbacks.recordAttempt(id, 1, { state: 'delivered' });
    await callbacks.recordAttempt(id, 1, { state: 'due', nextAt: time });
    should(await readRow(id)).match({ callback_state: 'delivered', callback_attempts: 1, callback_next_at: null });
  });
});
