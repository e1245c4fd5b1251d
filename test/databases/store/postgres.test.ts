import path from 'node:path';
import { sql } from 'kysely';
import should from 'should';
import type { Store } from '../../../src/service/store/database.js';
import { createIdentity } from '../../../src/service/store/identity.js';
import { createOperations } from '../../../src/service/store/operations.js';
import { POSTGRES_MIGRATIONS } from '../../../src/service/store/postgres/migrations.js';
import { openPostgres, type PostgresOptions } from '../../../src/service/store/postgres.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { createFolder, removeFolder } from '../../service/support/data-folder.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { usePostgres } from '../support/use-postgres.js';

const logger = { warn: () => undefined };
// What only PostgreSQL has.
const ADDED = [
  'store.oldest_program',
  'operation.lease',
  'file.blob_key',
  'queue.normal_base',
  ...['queue.low_base', 'queue.virtual_ms', 'user_queue.virtual_ms'],
  'file_object',
  ...['usage.reserved', 'space_reserved'],
  ...['key', 'owner', 'size', 'state', 'created_at', 'touched_at'].map((column) => `object.${column}`),
  'object_unconfirmed',
  ...['caller', 'count', 'failed_at'].map((column) => `failed_login.${column}`),
  'failed_login_age',
  'scrub.lease',
  'scrub.due_at',
  ...['operation_age', 'operation_unfinished', 'file_stored_age', 'file_stored_owner_age'],
];
const NEWEST = POSTGRES_MIGRATIONS.at(-1)?.version ?? 0;

describe('openPostgres', () => {
  let server: PostgresServer;
  let url: string;
  let stores: Store[];
  let count = 0;

  usePostgres((started) => (server = started));

  beforeEach(async () => {
    count += 1;
    url = await server.createDatabase(`test_${count}`);
    stores = [];
  });

  afterEach(() => Promise.all(stores.map((store) => store.destroy())));

  const open = async (more: Partial<PostgresOptions> = {}): Promise<Store> => {
    const store = await openPostgres({ url, logger, ...more });
    stores.push(store);
    return store;
  };
  const readVersion = async (): Promise<unknown> =>
    (await server.query('select version, oldest_program from store', `test_${count}`))[0];

  it('creates the tables of the newest version', async () => {
    const store = await open();
    should(await readVersion()).deepEqual({ version: NEWEST, oldest_program: 12 });
    should((await createIdentity(store).find()).store_id).match(/^[0-9a-f-]{36}$/);
  });

  it('creates the tables, columns and indexes of the database of one machine', async () => {
    await open();
    const folder = await createFolder();
    const embedded = await openStore(path.join(folder, 'service.db'));
    const sqlite = await sql<{ name: string }>`
      select entry.name || '.' || column_info.name as name
      from sqlite_schema as entry, pragma_table_info(entry.name) as column_info where entry.type = 'table'
      union all select name from sqlite_schema where type in ('index', 'trigger') and sql is not null`.execute(
      embedded,
    );
    await embedded.destroy();
    await removeFolder(folder);
    const rows = await server.query(
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'
       union all select indexname from pg_indexes where schemaname = 'public' and indexname !~ '_(pkey|key|unique)$'
       union all select tgname from pg_trigger where not tgisinternal`,
      `test_${count}`,
    );
    const names = new Set(rows.map(({ name }) => name));
    for (const name of ADDED) should(names.delete(name)).be.true();
    should([...names].toSorted()).deepEqual(sqlite.rows.map(({ name }) => name).toSorted());
  });

  it('returns integers of 64 bits as numbers', async () => {
    const { rows } = await sql`select 9007199254740991::bigint as safe, count(*) as count from store`.execute(
      await open(),
    );
    should(rows).deepEqual([{ safe: Number.MAX_SAFE_INTEGER, count: 1 }]);
  });

  it('deletes old operations in parts', async () => {
    const store = await open();
    const operations = createOperations(store);
    const rows = Array.from({ length: 2500 }, (_, index) =>
      queuedOperation({ state: 'completed', retained_from: index, callback_state: index === 7 ? 'due' : 'none' }),
    );
    await store.insertInto('operation').values(rows).execute();
    await operations.purgeOld(2400);
    const { rows: left } = await sql`
      select count(*) as count, min(retained_from) as first from operation`.execute(store);
    should(left).deepEqual([{ count: 101, first: 7 }]);
  });

  it('lets one of six processes create the tables, while the others wait', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, () => open()));
    const ids = await Promise.all(opened.map(async (store) => (await createIdentity(store).find()).store_id));
    should(new Set(ids).size).equal(1);
    should(await readVersion()).deepEqual({ version: NEWEST, oldest_program: 12 });
  });

  it('undoes an upgrade that fails', async () => {
    const broken = { version: NEWEST + 1, up: () => Promise.reject(new Error('broken')) };
    await open({ migrations: [...POSTGRES_MIGRATIONS, broken] }).should.be.rejectedWith({
      code: 'DATABASE_UNREACHABLE',
      message: /broken/,
    });
    should(await server.query("select to_regclass('operation') as name", `test_${count}`)).deepEqual([{ name: null }]);
    await open();
  });

  it('serves the program before a migration that only adds, and refuses it after one that removes', async () => {
    const adding = { version: NEWEST + 1, up: () => Promise.resolve() };
    await open({ migrations: [...POSTGRES_MIGRATIONS, adding] });
    await open();
    await open({ migrates: false });
    should(await readVersion()).deepEqual({ version: NEWEST + 1, oldest_program: 12 });
    const removing = { version: NEWEST + 2, up: () => Promise.resolve(), oldestProgram: NEWEST + 1 };
    await open({ migrations: [...POSTGRES_MIGRATIONS, adding, removing] });
    await open().should.be.rejectedWith({ code: 'DATABASE_NEWER' });
    await open({ migrates: false }).should.be.rejectedWith({ code: 'DATABASE_NEWER' });
    await open({ migrations: [...POSTGRES_MIGRATIONS, adding] });
    should(await readVersion()).deepEqual({ version: NEWEST + 2, oldest_program: NEWEST + 1 });
  });

  it('refuses tables of an earlier version if it may not upgrade them', async () => {
    await open({ migrates: false }).should.be.rejectedWith({ code: 'DATABASE_OUTDATED', message: /migrate/ });
    await open({ migrations: POSTGRES_MIGRATIONS.slice(0, -1) });
    await open({ migrates: false }).should.be.rejectedWith({ code: 'DATABASE_OUTDATED' });
  });

  it('works without the right to change tables once they are up to date', async () => {
    await open();
    await server.query(
      `create role plain_${count} login;
       revoke create on schema public from public;
       grant select, insert, update, delete on all tables in schema public to plain_${count}`,
      `test_${count}`,
    );
    const plain = url.replace('postgres@', `plain_${count}@`);
    const store = await open({ url: plain, migrates: false });
    await store.insertInto('usage').values({ owner: 'ann', bytes: 1 }).execute();
    await sql`create table more (id text)`.execute(store).should.be.rejectedWith({ code: '42501' });
    await open({ url: plain });
  });

  it('says why it cannot connect, without the password', async () => {
    const wrong = `postgres://postgres:secret@127.0.0.1:${server.port}/missing`;
    await open({ url: wrong }).should.be.rejectedWith({
      code: 'DATABASE_UNREACHABLE',
      message: /^Could not open the database 127\.0\.0\.1:\d+\/missing: database "missing" does not exist\./,
    });
    await open({ url: 'https://user:secret@example.com' }).should.be.rejectedWith({
      code: 'USAGE',
      message: 'Invalid --database-url: expected postgres://user:password@host:port/database.',
    });
  });
});
