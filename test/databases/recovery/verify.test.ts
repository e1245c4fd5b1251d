import { randomUUID } from 'node:crypto';
import should from 'should';
import type { BlobRecord } from '../../../src/service/blobs/blob-record.js';
import { createObjectKey, createRecordKey } from '../../../src/service/blobs/s3/object-keys.js';
import { type OpenS3Blobs, openS3Blobs } from '../../../src/service/blobs/s3/open-s3-blobs.js';
import { createLogger } from '../../../src/service/logger.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { createFiles, type Files } from '../../../src/service/store/files.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { runProgram } from '../../service/support/program.js';
import { recordOf } from '../../service/support/records.js';
import { type BucketBench, registerBucketBench } from '../blobs/support/bucket-bench.js';
import { usePostgres } from '../support/use-postgres.js';

const logger = createLogger('silent');

describe('model-processing verify of a bucket', () => {
  let server: PostgresServer;
  let bench: BucketBench;
  let url: string;
  let store: Store;
  let s3: OpenS3Blobs;
  let files: Files;
  registerBucketBench((opened) => (bench = opened));

  usePostgres((started) => (server = started));

  beforeEach(async () => {
    url = await server.createDatabase(randomUUID());
    store = await openPostgres({ url, logger });
    const { name: bucket, swift } = bench;
    const where = { bucket, endpoint: swift.endpoint, prefix: 'service/', forcePathStyle: true };
    s3 = await openS3Blobs(store, { ...where, now: Date.now, logger });
    files = createFiles(store);
  });

  afterEach(async () => {
    s3.close();
    await store.destroy();
  });

  const upload = async (bytes: string, isAdded = true): Promise<BlobRecord> => {
    const record = recordOf(randomUUID(), bytes);
    const sink = await s3.blobs.write(record.id, () => Promise.resolve(), 'me');
    sink.write(Buffer.from(bytes));
    await sink.finish();
    const key = await sink.commit(record);
    if (isAdded) await files.add(createFileRow(record, Date.now(), key));
    return record;
  };

  const verify = async (more: string[] = []) => {
    const bucket = ['--s3-bucket', bench.name, '--s3-endpoint', bench.swift.endpoint, '--s3-path-style'];
    const args = ['verify', ...bucket, '--s3-prefix', 'service/', ...more];
    const { status, lines, errors } = await runProgram(args, { MODEL_PROCESSING_DATABASE_URL: url });
    return { status, lines, errors };
  };

  const keyOf = ({ id }: BlobRecord): string => createObjectKey(id);
  const recordKeyOf = (record: BlobRecord): string => createRecordKey(record.id, keyOf(record));

  it('names what is missing, cut or altered, and delivers it again once it was restored', async () => {
    const [sound, missing, cut, altered] = [
      await upload('sound'),
      await upload('12345'),
      await upload('12345'),
      await upload('12345'),
    ];
    await bench.bucket.remove(keyOf(missing));
    await bench.bucket.put(keyOf(cut), '1234');
    await bench.bucket.put(keyOf(altered), '12346');
    const { status, lines } = await verify();
    should(status).equal(1);
    should(lines.at(-1)).equal(
      'Files and models: 4. Sound: 1. Damaged: 3. Without a digest: 0. Objects without a row: 0.',
    );
    for (const { id } of [missing, cut, altered]) {
      should(lines.filter((line) => line.startsWith(`damaged\tfile\t${id}\ta.stl\t`))).have.length(1);
      should((await files.findStored(id))?.damaged_at).be.above(0);
    }
    should((await files.findStored(sound.id))?.damaged_at).be.null();
    for (const record of [missing, cut, altered]) await bench.bucket.put(keyOf(record), '12345');
    const again = await verify();
    should(again.status).equal(0);
    should(again.lines.filter((line) => line.startsWith('restored\tfile\t'))).have.length(3);
    should((await files.findStored(missing.id))?.damaged_at).be.null();
  });

  it('writes damaged and missing records again', async () => {
    const [missing, altered] = [await upload('12345'), await upload('12345')];
    const text = (await bench.readObject(recordKeyOf(altered))).toString();
    await bench.bucket.remove(recordKeyOf(missing));
    await bench.bucket.put(recordKeyOf(altered), text.replace('a.stl', 'b.stl'));
    const { status, lines } = await verify();
    should(status).equal(0);
    should(lines.filter((line) => line.startsWith('record rebuilt\tfile\t'))).have.length(2);
    should((await bench.readObject(recordKeyOf(altered))).toString()).equal(text);
    should(await s3.blobs.readRecord(missing.id)).deepEqual(missing);
  });

  it('names objects without rows, and deletes nothing', async () => {
    await upload('sound');
    await upload('of a running upload', false);
    const forgotten = await upload('forgotten');
    await store.deleteFrom('file').where('id', '=', forgotten.id).execute();
    await store.deleteFrom('object').where('key', '=', keyOf(forgotten)).execute();
    await bench.bucket.put('README\u0007', 'foreign');
    await bench.bucket.put('accounts.json', '{}');
    const { status, lines } = await verify();
    should(status).equal(0);
    should(new Set(lines.slice(0, -1))).eql(
      new Set([keyOf(forgotten), 'README\uFFFD', recordKeyOf(forgotten)].map((key) => `no row\tobject\t${key}`)),
    );
    should(lines.at(-1)).match(/Objects without a row: 3\.$/);
    for (const key of [keyOf(forgotten), recordKeyOf(forgotten), 'README\u0007']) {
      should(await bench.bucket.exists(key)).be.true();
    }
  });

  it('knows the records of files that share an object', async () => {
    const first = await upload('shared');
    const second = recordOf(randomUUID(), 'shared');
    await s3.bucket.put(createRecordKey(second.id, keyOf(first)), 'a record');
    await store
      .insertInto('file')
      .values(createFileRow(second, 1, keyOf(first)))
      .execute();
    should(await verify()).match({ status: 0, lines: { length: 2, 0: /^record rebuilt/ } });
  });

  it('refuses the bucket of another database and one that no service has used, and marks no file', async () => {
    const { id } = await upload('12345');
    await bench.bucket.put('store-id', 'another');
    should(await verify()).match({ status: 1, errors: /belongs to another database/ });
    await bench.bucket.remove('store-id');
    should(await verify()).match({ status: 1, errors: /No service with this database has used the bucket/ });
    should(await bench.bucket.exists('store-id')).be.false();
    should((await files.findStored(id))?.damaged_at).be.null();
  });

  it('refuses the options of a data folder', async () => {
    should(await verify(['--purge'])).match({ status: 2, errors: /Invalid --data or --purge/ });
  });
});
