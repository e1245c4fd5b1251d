import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import should from 'should';
import { openS3Blobs } from '../../../src/service/blobs/s3/open-s3-blobs.js';
import { parseAccounts } from '../../../src/service/data-folder/accounts-file.js';
import { updateAccountsObject } from '../../../src/service/database-mode/accounts-object.js';
import { migrateDatabase } from '../../../src/service/database-mode/open-backend.js';
import { openDatabaseAccounts } from '../../../src/service/database-mode/open-database-accounts.js';
import { createLogger } from '../../../src/service/logger.js';
import { type AccountSnapshot, holdAccounts } from '../../../src/service/store/accounts.js';
import type { Store } from '../../../src/service/store/database.js';
import { createIdentity } from '../../../src/service/store/identity.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { runProgram } from '../../service/support/program.js';
import { type BucketBench, registerBucketBench } from '../blobs/support/bucket-bench.js';
import { type FaultyProxy, startFaultyProxy } from '../blobs/support/faulty-proxy.js';
import { usePostgres } from '../support/use-postgres.js';

const logger = createLogger('silent');

describe('the copy of the users and clients in a bucket', () => {
  let server: PostgresServer;
  let bench: BucketBench;
  let proxy: FaultyProxy;
  let url: string;
  let store: Store;
  registerBucketBench((opened) => (bench = opened));

  usePostgres((started) => (server = started));

  beforeEach(async () => {
    proxy = await startFaultyProxy(bench.swift.endpoint);
    url = await server.createDatabase(randomUUID());
    await migrateDatabase({ database: { url }, logger });
    store = await openPostgres({ url, migrates: false, logger });
  });

  afterEach(async () => {
    await store.destroy();
    await proxy.close();
  });

  const bucketOptions = () => ({
    ...{ bucket: bench.name, prefix: 'service/', endpoint: proxy.endpoint, forcePathStyle: true },
  });

  const addClient = async (name: string, hasBucket = true) => {
    const { bucket, prefix, endpoint } = bucketOptions();
    const args = ['--s3-bucket', bucket, '--s3-prefix', prefix, '--s3-endpoint', endpoint, '--s3-path-style'];
    const environment = { MODEL_PROCESSING_DATABASE_URL: url };
    return runProgram(['client', 'add', name, ...(hasBucket ? args : [])], environment);
  };

  const readCopy = async (): Promise<AccountSnapshot> => {
    const copy = parseAccounts((await bench.readObject('accounts.json')).toString());
    if (copy === 'damaged') throw new Error('The copy is damaged.');
    return copy;
  };

  const update = (entries: object[] = []): Promise<void> =>
    updateAccountsObject(bench.bucket, store, { warn: (entry: object) => void entries.push(entry) });

  it('is written before a command ends that has the bucket', async () => {
    const { status, lines } = await addClient('shop');
    should(status).equal(0);
    const copy = await readCopy();
    should(copy).match({ serial: 1, users: [], clients: [{ id: 'shop' }] });
    should(copy.storeId).equal((await createIdentity(store).find()).store_id);
    should(JSON.stringify(copy)).not.containEql(JSON.parse(lines[0] ?? '').clientSecret);
  });

  it('fails the command if it cannot be written, and is written by the next maintenance', async () => {
    await addClient('shop');
    proxy.chooseFault = (line) => (/^PUT .*accounts/.test(line) ? 'error' : undefined);
    should(await addClient('web')).match({
      status: 1,
      errors: /The change was made, but could not be copied to the bucket: .* A worker copies it within 10 minutes/,
    });
    should(await readCopy()).match({ serial: 1 });
    await update();
    should(await readCopy()).match({ serial: 2, clients: [{ id: 'shop' }, { id: 'web' }] });
  });

  it('is written by the maintenance after a command without the bucket', async () => {
    should((await addClient('shop', false)).status).equal(0);
    should(await bench.listKeys()).be.empty();
    await update();
    should(await readCopy()).match({ serial: 1, clients: [{ id: 'shop' }] });
  });

  it('is written again if it is damaged', async () => {
    await addClient('shop');
    const text = (await bench.readObject('accounts.json')).toString();
    const logged: object[] = [];
    for (const other of [text.replace('shop', 'shot'), '']) {
      await bench.bucket.put('accounts.json', other);
      await update(logged);
      should((await bench.readObject('accounts.json')).toString()).equal(text);
    }
    should(logged).have.length(2);
  });

  it('stays as it is if it is newer than a restored database, which is logged', async () => {
    await addClient('shop');
    await store.updateTable('account_serial').set({ serial: 0 }).execute();
    const logged: object[] = [];
    await update(logged);
    should(logged).eql([{ serial: 0, savedSerial: 1 }]);
    should(await readCopy()).match({ serial: 1 });
  });

  it('never replaces a newer one, whatever the order of concurrent changes', async () => {
    const open = () => openDatabaseAccounts({ database: { url }, bucket: bucketOptions() }, logger);
    const opened = await Promise.all([open(), open(), open()]);
    const add = (index: number): Promise<unknown>[] =>
      opened.map(({ accounts }, which) =>
        accounts.addClient({ id: `client-${index}-${which}`, secret_hash: '', created_at: 1 }),
      );
    for (let index = 0; index < 3; index++) await Promise.all(add(index));
    for (const { close } of opened) await close();
    const copy = await readCopy();
    should(copy.serial).equal(9);
    should(copy.clients).have.length(9);
  });

  it('is written by a bucket that takes longer than another transaction may say nothing', async () => {
    const impatient = await openPostgres({ url, migrates: false, idleTransactionTimeoutMs: 2000, logger });
    try {
      await holdAccounts(impatient, () => sleep(3000)); // as the request to the bucket
    } finally {
      await impatient.destroy();
    }
  });

  it('goes to no bucket of another database: the command is refused before the change', async () => {
    await bench.bucket.put('store-id', 'another');
    should(await addClient('shop')).match({ status: 1, errors: /belongs to another database/ });
    should(await store.selectFrom('client').select('id').execute()).be.empty();
  });

  it('and the objects are left to the database that has taken the bucket over', async () => {
    const s3 = await openS3Blobs(store, { ...bucketOptions(), now: Date.now, logger });
    try {
      const row = { key: 'ab/file/upload', owner: 'me', size: 0, created_at: 1, touched_at: 1 };
      await store
        .insertInto('object')
        .values({ ...row, state: 'deleting' })
        .execute();
      await bench.bucket.put(row.key, 'bytes');
      await bench.bucket.put('store-id', 'another');
      await should(s3.removeObjects(new AbortController().signal)).be.rejectedWith({ code: 'BUCKET_FOREIGN' });
      should(await bench.bucket.exists(row.key)).be.true();
    } finally {
      s3.close();
    }
  });
});
