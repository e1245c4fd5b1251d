import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import should from 'should';
import { hashSecret } from '../../../src/service/auth/secrets.js';
import { createAccounts, holdAccounts } from '../../../src/service/store/accounts.js';
import { createCancellations } from '../../../src/service/store/cancellations.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { createFiles } from '../../../src/service/store/files.js';
import { createOperations } from '../../../src/service/store/operations.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import type { TokenRow } from '../../../src/service/store/schema.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { createUsage } from '../../../src/service/store/usage.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { recordOf } from '../../service/support/records.js';
import { usePostgres } from '../support/use-postgres.js';

const TIME = { now: 9, retainedFrom: 9 };

describe('two processes with one PostgreSQL database', () => {
  let server: PostgresServer;
  let one: Store;
  let two: Store;
  let count = 0;

  usePostgres((started) => (server = started));

  beforeEach(async () => {
    count += 1;
    const logger = { warn: (): void => undefined };
    // Tests hold transactions until another one waits, which takes long on a busy machine.
    const options = { url: await server.createDatabase(`test_${count}`), idleTransactionTimeoutMs: 60_000, logger };
    [one, two] = await Promise.all([openPostgres(options), openPostgres(options)]);
  });

  afterEach(async () => {
    await one.destroy();
    await two.destroy();
  });

  const addInput = async (owner = 'ann'): Promise<string> => {
    const id = randomUUID();
    await createFiles(one).add(createFileRow(recordOf(id, 'bytes', { owner }), 1));
    return id;
  };

  const deletions = {
    deletion: (store: Store, id: string) => createCancellations(store).deleteFile(id, 'ann', TIME),
    eviction: (store: Store, id: string) => createFiles(store).markDeleted(id, 5, 9),
  };

  for (const [name, remove] of Object.entries(deletions)) {
    it(`refuses a start whose input a concurrent ${name} deletes first`, async () => {
      const inputId = await addInput();
      let start: Promise<unknown> | undefined;
      await two.transaction().execute(async (transaction) => {
        should(await remove(transactionAsStore(transaction), inputId)).be.ok();
        start = createOperations(one).add(queuedOperation({ input_id: inputId }));
        start.catch(() => undefined); // handled below
        await server.untilWaiting();
      });
      await should(start).be.rejectedWith({ code: 'FILE_EXPIRED' });
      should(await one.selectFrom('operation').select('id').execute()).be.empty();
    });
  }

  it('cancels an operation whose start was committed while the deletion waited', async () => {
    const inputId = await addInput();
    const { id } = queuedOperation();
    const deletion = await startWhile(inputId, id, () => deletions.deletion(two, inputId));
    should(deletion).deepEqual({ kind: 'file', cancelledIds: [id] });
  });

  it('does not evict an input whose start was committed while the eviction waited', async () => {
    const inputId = await addInput();
    should(await startWhile(inputId, randomUUID(), () => deletions.eviction(two, inputId))).be.false();
    should((await createFiles(one).find(inputId, 'ann'))?.deleted_at).be.null();
  });

  /** Starts an operation, and commits it once `work` waits for it. Resolves with the result of `work`. */
  async function startWhile<T>(inputId: string, id: string, work: () => Promise<T>): Promise<T> {
    let result: Promise<T> | undefined;
    await one.transaction().execute(async (transaction) => {
      await createOperations(transactionAsStore(transaction)).add(queuedOperation({ id, input_id: inputId }));
      result = work();
      result.catch(() => undefined); // handled by the caller
      await server.untilWaiting();
    });
    if (!result) throw new Error('The work has not begun.');
    return result;
  }

  it('never wait for each other in a circle when they complete operations and delete their inputs', async () => {
    for (let round = 0; round < 20; round++) {
      const inputs = await Promise.all(Array.from({ length: 4 }, () => addInput()));
      const rows = inputs.map((inputId) => queuedOperation({ input_id: inputId, state: 'running' }));
      await one.insertInto('operation').values(rows).execute();
      const outcomes = await Promise.allSettled([
        ...rows.map(({ id }) => {
          const output = createFileRow(recordOf(randomUUID(), 'bytes', { owner: 'ann' }), 1);
          const completion = { isSuccessful: true, output, result: '{}', report: null } as const;
          return createOperations(one).complete(id, completion, 9, 9);
        }),
        ...inputs.map((inputId) => deletions.deletion(two, inputId)),
      ]);
      should(outcomes.filter(({ status }) => status === 'rejected')).be.empty();
    }
    const { rows } = await sql<{ bytes: number }>`
      select sum(size)::bigint as bytes from file where deleted_at is null`.execute(one);
    should((await createUsage(one).summarize('ann')).ownBytes).equal(rows[0]?.bytes ?? 0);
  });

  it('cancel an operation that the other one requeues at the same time', async () => {
    const row = queuedOperation({ state: 'running' });
    await one.insertInto('operation').values(row).execute();
    let cancelling: Promise<boolean> | undefined;
    await one.transaction().execute(async (transaction) => {
      await transaction.updateTable('operation').set({ state: 'queued' }).where('id', '=', row.id).execute();
      cancelling = createCancellations(two).cancel(row.id, 'ann', TIME);
      cancelling.catch(() => undefined); // handled below
      await server.untilWaiting();
    });
    should(await cancelling).be.true();
    should(await createOperations(one).find(row.id, 'ann')).match({ state: 'completed', is_successful: 0 });
  });

  it('redeem a refresh token once, and revoke its family with the tokens that replaced it', async () => {
    const token = (name: string, kind: TokenRow['kind']): TokenRow => ({
      ...{ hash: hashSecret(name), kind, family: 'f', user_id: 'ann', client_id: 'c', created_at: 1 },
      ...{ expires_at: 100, used_at: null, revoked_at: null },
    });
    for (let round = 0; round < 20; round++) {
      await createTokens(one).add([token(`old ${round}`, 'refresh')]);
      const redemptions = await Promise.all(
        [one, two].map((store, index) =>
          createTokens(store).redeem(hashSecret(`old ${round}`), 'c', 2, () => [token(`${round} ${index}`, 'access')]),
        ),
      );
      should(redemptions.map(({ outcome }) => outcome).toSorted()).deepEqual(['reused', 'used']);
      for (const index of [0, 1]) {
        should(await createTokens(one).findBearer(hashSecret(`${round} ${index}`), 3)).be.undefined();
      }
    }
  });

  it('keep the users and clients unchanged while one of them holds them', async () => {
    const accounts = createAccounts(two);
    let change: Promise<unknown> | undefined;
    await holdAccounts(one, async ({ serial, users }) => {
      should({ serial, users }).deepEqual({ serial: 0, users: [] });
      change = accounts.addUser({ id: 'ann', username: 'ann', password_hash: '', created_at: 1 });
      await server.untilWaiting();
    });
    await change;
    await holdAccounts(one, async ({ serial, users }) => void should([serial, users.length]).deepEqual([1, 1]));
  });

  it('add one file for two uploads with the same idempotency key', async () => {
    const claim = { owner: 'ann', route: 'file', key: 'k', fingerprint: 'f', created_at: 1, expiredBefore: 0 };
    const earlier = await Promise.all(
      [one, two].map((store) => {
        const row = createFileRow(recordOf(randomUUID(), 'bytes', { owner: 'ann' }), 1);
        return createFiles(store).add(row, claim);
      }),
    );
    should(earlier.filter((row) => row === undefined)).have.length(1);
    should(await createFiles(one).countStored()).equal(1);
  });
});

/** Returns a store whose transactions are parts of this one. */
function transactionAsStore(transaction: Store): Store {
  return new Proxy(transaction, {
    get: (target, name) => {
      if (name === 'transaction') {
        return () => ({ execute: (work: (inner: Store) => Promise<unknown>) => work(target) });
      }
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
