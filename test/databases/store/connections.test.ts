import { chmod, chown, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CompiledQuery, sql } from 'kysely';
import should from 'should';
import { hashSecret } from '../../../src/service/auth/secrets.js';
import { parseAddressFilter } from '../../../src/service/callbacks/address-filter.js';
import { createComponents } from '../../../src/service/create-components.js';
import { createLogger } from '../../../src/service/logger.js';
import type { Store } from '../../../src/service/store/database.js';
import { openPostgres, type PostgresOptions } from '../../../src/service/store/postgres.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { createUsage } from '../../../src/service/store/usage.js';
import { startPgbouncer } from '../../helpers/pgbouncer.js';
import { findDatabaseOwner, PostgresServer } from '../../helpers/postgres-server.js';
import { createFolder, removeFolder } from '../../service/support/data-folder.js';
import { KERNEL_PROGRAM } from '../../service/support/running.js';

const CERTIFICATES = fileURLToPath(new URL('../../helpers/certificates/', import.meta.url));
const UNAVAILABLE = { code: 'DATABASE_UNAVAILABLE', retryAfterS: 2 };

describe('connections to PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  let stores: Store[];
  let warnings: unknown[];
  let count = 0;

  before(async () => {
    // The second address is not in the certificate.
    server = await PostgresServer.start(['listen_addresses=127.0.0.1,127.0.0.2']);
  });

  after(() => server.stop());

  beforeEach(async () => {
    count += 1;
    url = await server.createDatabase(`test_${count}`);
    stores = [];
    warnings = [];
  });

  afterEach(() => Promise.all(stores.map((store) => store.destroy())));

  const open = async (more: Partial<PostgresOptions> = {}): Promise<Store> => {
    const target = { write: (line: string) => void warnings.push(JSON.parse(line)) };
    const store = await openPostgres({ url, logger: createLogger('info', target), ...more });
    stores.push(store);
    return store;
  };
  const read = (store: Store) => createUsage(store).summarize('ann');

  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    it(`survive a server that is ended by ${signal}, and are made again`, async () => {
      const store = await open({ url: url.replace('postgres@', 'postgres:secret@') });
      await Promise.all([read(store), read(store)]); // idle connections, which end with the server
      const sleep = sql`select pg_sleep(60)`.execute(store);
      const [interrupted] = await Promise.allSettled([sleep, server.halt(signal)]);
      should(interrupted).match({ status: 'rejected', reason: UNAVAILABLE });
      await read(store).should.be.rejectedWith(UNAVAILABLE);
      await store
        .transaction()
        .execute((transaction) => read(transaction))
        .should.be.rejectedWith(UNAVAILABLE);
      await server.resume();
      should(await read(store)).match({ totalBytes: 0 });
      should(warnings).have.length(1);
      should(warnings).match([{ msg: 'Database not available', reason: /terminat|reset/i }]);
      should(JSON.stringify(warnings)).not.match(/secret|client/);
    });
  }

  it('fail after a while if all are in use, and a request with 503 and Retry-After', async () => {
    const waits: number[] = [];
    await open(); // a new connection has to be made within the timeout, too: it is made once, and creates no tables
    const onWait = (ms: number): void => void waits.push(ms);
    const store = await open({ migrates: false, maxConnections: 1, connectTimeoutMs: 1000, onWait });
    const folder = await createFolder();
    const { app, warmKernels } = await createApp(store, folder);
    const headers = { authorization: 'Bearer secret' };
    const get = () => app.inject({ url: '/web-api/operation', headers });
    should((await get()).statusCode).equal(200);
    await store.transaction().execute(async () => {
      const reply = await get();
      should(reply.statusCode).equal(503);
      should(reply.headers['retry-after']).equal('2');
      should(reply.json()).deepEqual({
        errors: [{ code: 50304, message: 'The database is not available. Retry later.' }],
      });
    });
    should((await get()).statusCode).equal(200);
    should(waits).have.length(1);
    should(waits[0]).be.aboveOrEqual(999);
    await app.close();
    await warmKernels.close();
    await removeFolder(folder);
  });

  it('throw the mistakes of a query as they are, and a request replies with 500 and logs them', async () => {
    const store = await open({ maxConnections: 1 });
    const unserializable = { count: 1n };
    await sql`select ${unserializable}::jsonb`.execute(store).should.be.rejectedWith(TypeError);
    await store
      .executeQuery(CompiledQuery.raw('select $1::text, $2::text', ['one']))
      .should.be.rejectedWith({ code: '08P01' });
    should(await read(store)).match({ totalBytes: 0 });
    should(warnings).be.empty();
    const folder = await createFolder();
    const target = { write: (line: string) => void warnings.push(JSON.parse(line)) };
    const { app, warmKernels } = await createApp(store, folder, createLogger('error', target));
    app.get('/mistake', () => sql`select ${unserializable}::jsonb`.execute(store));
    should((await app.inject({ url: '/mistake' })).statusCode).equal(500);
    should(warnings).match([{ msg: 'Request failed', err: { type: 'TypeError' } }]);
    await app.close();
    await warmKernels.close();
    await removeFolder(folder);
  });

  it('end a statement that takes too long', async () => {
    const store = await open({ maxConnections: 1, statementTimeoutMs: 200 });
    await sql`select pg_sleep(60)`.execute(store).should.be.rejectedWith(UNAVAILABLE);
    should(await read(store)).match({ totalBytes: 0 });
  });

  it('do not wait for a server that does not answer', async () => {
    const store = await open({ maxConnections: 1, statementTimeoutMs: 200 });
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store);
    const pid = rows[0]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      await read(store).should.be.rejectedWith(UNAVAILABLE);
      should(await read(store)).match({ totalBytes: 0 });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('lose their locks if their process is suspended in a transaction', async () => {
    const other = await open();
    const suspended = await open({ migrates: false, idleTransactionTimeoutMs: 1000 });
    await suspended.insertInto('usage').values({ owner: 'ann', bytes: 1 }).execute();
    const transaction = suspended.transaction().execute(async (inner) => {
      await inner.updateTable('usage').set({ bytes: 2 }).execute();
      await other.updateTable('usage').set({ bytes: 3 }).execute(); // waits for the lock, while the first says nothing
      await read(inner);
    });
    await transaction.should.be.rejectedWith(UNAVAILABLE);
    should(await read(suspended)).match({ totalBytes: 3 });
    const { rows } = await sql`show idle_in_transaction_session_timeout`.execute(other);
    should(rows).eql([{ idle_in_transaction_session_timeout: '10s' }]);
  });

  describe('through PgBouncer in transaction mode', () => {
    it('need no session', async () => {
      const bouncer = await startPgbouncer(server.port, [
        'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout',
      ]);
      try {
        const bouncerUrl = url.replace(`:${server.port}/`, `:${bouncer.port}/`);
        const opened = await Promise.all([1, 2, 3, 4, 5, 6].map(() => open({ url: bouncerUrl })));
        const add = (store: Store, owner: string) =>
          store.transaction().execute(async (transaction) => {
            await transaction.insertInto('usage').values({ owner, bytes: 1 }).execute();
            await transaction.updateTable('usage').set({ bytes: 2 }).where('owner', '=', owner).execute();
          });
        await Promise.all(
          opened.flatMap((store, index) => Array.from({ length: 50 }, (_, round) => add(store, `${index} ${round}`))),
        );
        const usages = await Promise.all(opened.map(read));
        should(usages.map(({ totalBytes }) => totalBytes)).deepEqual([600, 600, 600, 600, 600, 600]);
      } finally {
        await Promise.all(stores.splice(0).map((store) => store.destroy()));
        await bouncer.stop();
      }
    });

    it('name the setting of PgBouncer that is missing', async () => {
      const bouncer = await startPgbouncer(server.port);
      try {
        await open({ url: url.replace(`:${server.port}/`, `:${bouncer.port}/`) }).should.be.rejectedWith({
          code: 'DATABASE_UNREACHABLE',
          message: /ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout/,
        });
      } finally {
        await bouncer.stop();
      }
    });
  });

  describe('with TLS', () => {
    before(async () => {
      const owner = await findDatabaseOwner();
      for (const name of ['service.pem', 'service.key']) {
        const file = path.join(server.folder, name);
        await copyFile(path.join(CERTIFICATES, name), file);
        if (owner.uid !== undefined) await chown(file, owner.uid, owner.gid);
        await chmod(file, 0o600);
      }
      for (const setting of [
        `ssl_cert_file = '${server.folder}/service.pem'`,
        `ssl_key_file = '${server.folder}/service.key'`,
        'ssl = on',
      ]) {
        await server.query(`alter system set ${setting}`);
      }
      await server.query('select pg_reload_conf()');
    });

    const AUTHORITY = `sslrootcert=${CERTIFICATES}ca.pem`;
    const isEncrypted = async (store: Store): Promise<unknown> => {
      const { rows } = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(store);
      return rows[0];
    };
    const otherAddress = () => url.replace('127.0.0.1', '127.0.0.2');

    it('verify the certificate by an authority of their own', async () => {
      should(await isEncrypted(await open({ url: `${url}?sslmode=verify-full&${AUTHORITY}` }))).deepEqual({
        ssl: true,
      });
      await open({ url: `${url}?sslmode=verify-full` }).should.be.rejectedWith({
        code: 'DATABASE_UNREACHABLE',
        message: /certificate/,
      });
    });

    it('verify the name of the server', async () => {
      await open({ url: `${otherAddress()}?sslmode=verify-full&${AUTHORITY}` }).should.be.rejectedWith({
        code: 'DATABASE_UNREACHABLE',
        message: /127\.0\.0\.2 is not in the cert/,
      });
      const store = await open({ url: `${otherAddress()}?sslmode=verify-ca&${AUTHORITY}` });
      should(await isEncrypted(store)).deepEqual({ ssl: true });
    });

    it('are encrypted without verification if the URL says so, and not at all by default on loopback', async () => {
      should(await isEncrypted(await open({ url: `${url}?sslmode=require` }))).deepEqual({ ssl: true });
      should(await isEncrypted(await open())).deepEqual({ ssl: false });
    });
  });
});

/** Creates the HTTP application of a service on this store, and a user whose access token is `secret`. */
async function createApp(store: Store, folder: string, logger = createLogger('silent')) {
  await createTokens(store).add([
    {
      ...{ hash: hashSecret('secret'), kind: 'access', family: 'f', user_id: 'ann', client_id: 'c', created_at: 1 },
      ...{ expires_at: Number.MAX_SAFE_INTEGER, used_at: null, revoked_at: null },
    },
  ]);
  const spare = { missingBytes: () => 0, isUsed: async () => false, isFull: async () => false };
  const never = (): Promise<void> => Promise.reject(new Error('Nothing runs.'));
  const options = {
    ...{ host: '127.0.0.1', port: 0, dataFolder: folder, isCallbackAllowed: parseAddressFilter('loopback') },
    ...{ logger, warmKernels: 0, kernelProgram: KERNEL_PROGRAM },
  };
  return createComponents(store, { ...spare, update: never, release: never }, options, () => false);
}
