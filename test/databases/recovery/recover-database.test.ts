import { randomUUID } from 'node:crypto';
import should from 'should';
import { type BlobRecord, serializeRecord } from '../../../src/service/blobs/blob-record.js';
import { createObjectKey, createRecordKey } from '../../../src/service/blobs/s3/object-keys.js';
import { serializeAccounts } from '../../../src/service/data-folder/accounts-file.js';
import { migrateDatabase } from '../../../src/service/database-mode/open-backend.js';
import {
  type DatabaseFindings,
  recoverDatabase,
} from '../../../src/service/database-mode/recovery/recover-database.js';
import { createLogger } from '../../../src/service/logger.js';
import { StartError } from '../../../src/service/start-error.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { recordOf } from '../../service/support/records.js';
import { type BucketBench, registerBucketBench } from '../blobs/support/bucket-bench.js';
import { startFaultyProxy } from '../blobs/support/faulty-proxy.js';
import { usePostgres } from '../support/use-postgres.js';

const logger = createLogger('silent');

describe('the recovery of a database from its bucket', () => {
  let server: PostgresServer;
  let bench: BucketBench;
  let name: string;
  let owner: string;
  registerBucketBench((opened) => (bench = opened));

  usePostgres((started) => (server = started));

  beforeEach(async () => {
    name = randomUUID();
    await server.createDatabase(name);
    owner = randomUUID();
    await bench.bucket.put('store-id', `${randomUUID()}\n`);
    const user = { id: owner, username: 'ann', password_hash: 'hash', created_at: 1, quota_bytes: 5_000_000 };
    const accounts = { storeId: randomUUID(), serial: 7, users: [user], clients: [] };
    await bench.bucket.put('accounts.json', serializeAccounts(accounts));
  });

  const recover = (
    more: Partial<Parameters<typeof recoverDatabase>[0]> = {},
    endpoint = bench.swift.endpoint,
  ): Promise<DatabaseFindings> =>
    recoverDatabase({
      database: { url: server.url(name) },
      bucket: { bucket: bench.name, prefix: 'service/', endpoint, forcePathStyle: true },
      isApplied: true,
      takesOver: true,
      logger,
      ...more,
    });

  const findCode = async (promise: Promise<unknown>): Promise<string> => {
    const error = await promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof StartError)) throw error ?? new Error('It did not fail.');
    return error.code;
  };

  const query = (text: string) => server.query(text, name);

  const listKeys = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const page of bench.bucket.list()) keys.push(...page.map(({ key }) => key));
    return keys;
  };

  /** Stores a record and its bytes, as a worker or an upload does. */
  const store = async (bytes: string, attempt = 'upload', more: Partial<BlobRecord> = {}): Promise<BlobRecord> => {
    const record = recordOf(randomUUID(), bytes, { owner, ...more });
    const key = createObjectKey(record.id, attempt);
    await bench.bucket.put(key, bytes);
    await bench.bucket.put(createRecordKey(record.id, key), serializeRecord(record));
    return record;
  };

  it('inserts the rows of files, models, users and the usage', async () => {
    const upload = await store('12345');
    const lease = randomUUID();
    const model = await store('1234567', lease, { kind: 'model', operationId: randomUUID() });
    const findings = await recover();
    should(findings).match({ fileCount: 1, modelCount: 1, ownerCount: 1, damagedCount: 0, isForeign: true });
    should(findings.accounts).eql({ state: 'read', userCount: 1, clientCount: 0 });
    should(await query('select id, blob_key, size, sha256, damaged_at, deleted_at from file order by size')).eql([
      {
        ...{ id: upload.id, blob_key: createObjectKey(upload.id), size: '5', sha256: upload.sha256 },
        ...{ damaged_at: null, deleted_at: null },
      },
      {
        ...{ id: model.id, blob_key: createObjectKey(model.id, lease), size: '7', sha256: model.sha256 },
        ...{ damaged_at: null, deleted_at: null },
      },
    ]);
    should(await query('select state, owner from object')).eql([
      { state: 'confirmed', owner },
      { state: 'confirmed', owner },
    ]);
    should(await query('select owner, bytes::int from usage')).eql([{ owner, bytes: 12 }]);
    should(await query('select username, quota_bytes::int from "user"')).eql([
      { username: 'ann', quota_bytes: 5_000_000 },
    ]);
    should(await query('select serial::int from account_serial')).eql([{ serial: 7 }]);
    await query(`update file set deleted_at = 1 where id = '${upload.id}'`); // the trigger is enabled again
    should(await query('select bytes::int from usage')).eql([{ bytes: 7 }]);
  });

  it('makes the bucket that of the new database, with its users', async () => {
    await recover();
    const [row] = await query('select store_id from identity');
    should((await bench.readObject('store-id')).toString()).equal(`${row?.store_id}\n`);
    should(JSON.parse((await bench.readObject('accounts.json')).toString()).accounts).match({
      storeId: row?.store_id,
      serial: 7,
      users: [{ username: 'ann' }],
    });
  });

  it('finds the shared bytes of a reused result, also if their first file was deleted', async () => {
    const lease = randomUUID();
    const first = await store('a result', lease);
    const second = recordOf(randomUUID(), 'a result', { owner });
    const firstKey = createObjectKey(first.id, lease);
    await bench.bucket.put(createRecordKey(second.id, firstKey), serializeRecord(second));
    await bench.bucket.remove(createRecordKey(first.id, firstKey));
    should(await recover()).match({ fileCount: 1, damagedCount: 0, remaining: { unrecorded: { count: 0 } } });
    should(await query('select id, blob_key from file')).eql([{ id: second.id, blob_key: firstKey }]);
    should(await query('select key, state from object')).eql([{ key: firstKey, state: 'confirmed' }]);
  });

  it('marks files as damaged whose bytes are missing or cut', async () => {
    const [missing, cut] = [await store('12345'), await store('12345')];
    await bench.bucket.remove(createObjectKey(missing.id));
    await bench.bucket.put(createObjectKey(cut.id), '123');
    should(await recover()).match({ fileCount: 0, damagedCount: 2 });
    should(await query('select count(*)::int from file where damaged_at > 0 and deleted_at is null')).eql([
      { count: 2 },
    ]);
    should(await query("select count(*)::int from object where state = 'confirmed'")).eql([{ count: 2 }]);
  });

  it('keeps and names what it does not understand', async () => {
    const sound = await store('sound');
    const [unrecorded, altered, renamed] = [await store('a'), await store('b'), await store('c')];
    const recordKeyOf = ({ id }: BlobRecord): string => createRecordKey(id, createObjectKey(id));
    await bench.bucket.remove(recordKeyOf(unrecorded));
    const text = (await bench.readObject(recordKeyOf(altered))).toString();
    await bench.bucket.put(recordKeyOf(altered), text.replace('a.stl', 'b.stl'));
    await bench.bucket.put(recordKeyOf(renamed), serializeRecord(sound));
    const foreign = ['README', 'a b+c%20/ü\u0001', 'records/none.json', `00/${sound.id}`];
    for (const key of foreign) await bench.bucket.put(key, 'foreign');
    const before = await listKeys();
    const { remaining, fileCount } = await recover();
    should(fileCount).equal(1);
    should(remaining).match({
      unreadable: { count: 2, keys: [recordKeyOf(altered), recordKeyOf(renamed)].sort() },
      unrecorded: { count: 3 },
      repeated: { count: 0 },
      unknown: { count: 4 },
    });
    for (const key of remaining.unknown.keys) foreign.should.containEql(key);
    should(await listKeys()).eql(before);
    should(await query('select id from file')).eql([{ id: sound.id }]);
  });

  it('chooses the complete bytes of two attempts, and otherwise the newer one', async () => {
    const [older, newer] = [randomUUID(), randomUUID()];
    const storeTwice = async (): Promise<string> => {
      const { id } = await store('an output', older, { createdAt: 5 });
      const record = recordOf(id, 'an output', { owner, createdAt: 6 });
      const key = createObjectKey(id, newer);
      await bench.bucket.put(key, 'an output');
      await bench.bucket.put(createRecordKey(id, key), serializeRecord(record));
      return id;
    };
    const [both, cut] = [await storeTwice(), await storeTwice()];
    await bench.bucket.put(createObjectKey(cut, newer), 'an');
    should(await recover()).match({ fileCount: 2, damagedCount: 0, remaining: { repeated: { count: 2 } } });
    const rows = await query('select id, blob_key from file');
    should(Object.fromEntries(rows.map(({ id, blob_key }) => [id, blob_key]))).eql({
      [both]: createObjectKey(both, newer),
      [cut]: createObjectKey(cut, older),
    });
  });

  it('gives the key of an upload to its newest file', async () => {
    const request = { key: 'key', fingerprint: 'print' };
    await store('older', 'upload', { createdAt: 5, request });
    const newest = await store('newer', 'upload', { createdAt: 6, request });
    await recover();
    should(await query('select owner, route, key, fingerprint, resource_id from idempotency_key')).eql([
      { owner, route: 'file', ...request, resource_id: newest.id },
    ]);
  });

  it('recovers files without a damaged accounts.json, and keeps that aside', async () => {
    await store('12345');
    await bench.bucket.put('accounts.json', '{"accounts":');
    should(await recover()).match({ accounts: { state: 'unreadable' }, fileCount: 1, unknownOwnerCount: 1 });
    const [kept = ''] = (await bench.listKeys()).filter((key) => key.startsWith('quarantine/'));
    should((await bench.readObject(kept)).toString()).equal('{"accounts":');
  });

  it('changes nothing in a dry run', async () => {
    await migrateDatabase({ database: { url: server.url(name) }, logger });
    await store('12345');
    const before = await Promise.all([bench.readObject('store-id'), bench.readObject('accounts.json')]);
    should(await recover({ isApplied: false, takesOver: false })).match({ fileCount: 1, isForeign: true });
    should(await query('select (select count(*) from file) + (select count(*) from "user") as count')).eql([
      { count: '0' },
    ]);
    should(await Promise.all([bench.readObject('store-id'), bench.readObject('accounts.json')])).eql(before);
  });

  it('refuses the bucket of another database unless it may take it over', async () => {
    should(await findCode(recover({ takesOver: false }))).equal('BUCKET_FOREIGN');
    should(await query('select count(*)::int from "user"')).eql([{ count: 0 }]);
  });

  it('refuses a database that has rows', async () => {
    await recover();
    should(await findCode(recover())).equal('DATABASE_NOT_EMPTY');
    should(await findCode(recover({ isApplied: false }))).equal('DATABASE_NOT_EMPTY');
  });

  it('inserts nothing if the bucket fails, also at the end, and can be repeated', async () => {
    await store('12345');
    const mark = await bench.readObject('store-id');
    for (const failing of [/list-type/, /GET .*records/, /PUT .*store-id/]) {
      const proxy = await startFaultyProxy(bench.swift.endpoint);
      proxy.chooseFault = (line) => (failing.test(line) ? 'error' : undefined);
      should(await findCode(recover({}, proxy.endpoint))).equal('BUCKET_UNAVAILABLE');
      await proxy.close();
      should(await query('select (select count(*) from file) + (select count(*) from "user") as count')).eql([
        { count: '0' },
      ]);
      should(await bench.readObject('store-id')).eql(mark);
    }
    should(await recover()).match({ fileCount: 1, accounts: { state: 'read' } });
  });
});
