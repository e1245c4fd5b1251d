import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { createObjectKey, createRecordKey, parseKey } from '../../../src/service/blobs/s3/object-keys.js';
import type { ObjectRows } from '../../../src/service/blobs/s3/object-rows.js';
import { createS3Blobs, type S3Blobs } from '../../../src/service/blobs/s3/s3-blobs.js';
import { openScratchFolder } from '../../../src/service/blobs/s3/scratch-folder.js';
import { recordOf } from '../../service/support/records.js';
import { type BucketBench, registerBucketBench, SHORT_LIMITS } from './support/bucket-bench.js';
import { type FaultyProxy, startFaultyProxy } from './support/faulty-proxy.js';
import { type ObjectBench, registerObjectBench } from './support/object-bench.js';

const MIB = 1 << 20;
const none = (): Promise<void> => Promise.resolve();

/** A request to write something, and the states of the objects in the database before any of it was forwarded. */
interface Write {
  line: string;
  states: Record<string, string>;
}

/** Returns the rows that allow a request: that of its object, or, for a record, also that of its bytes. */
function findAllowing({ line, states }: Write): string[] {
  const key = decodeURIComponent(line.replace(/^.*\/service\/|\?.*$/g, ''));
  const { type, fileId = '', attempt } = parseKey(key);
  const keys = type === 'record' ? [key, createObjectKey(fileId, attempt)] : [key];
  return keys.filter((candidate) => states[candidate] === 'open');
}

describe('the row of an object, when its first byte arrives at the bucket', () => {
  let bench: BucketBench;
  let objects: ObjectBench;
  let proxy: FaultyProxy;
  let rows: ObjectRows;
  let scratch: string;
  let blobs: S3Blobs;
  let writes: Write[];
  registerBucketBench((opened) => (bench = opened));
  registerObjectBench((opened) => (objects = opened));

  beforeEach(async () => {
    proxy = await startFaultyProxy(bench.swift.endpoint);
    writes = [];
    proxy.onRequest = async (line) => {
      if (/^(?:PUT|POST) /.test(line)) writes.push({ line, states: await objects.readStates() });
    };
    scratch = await mkdtemp(path.join(tmpdir(), 'object-rows-'));
    rows = { ...objects.rows };
    const logger = { warn: (entry: object) => void bench.log.push(entry) };
    const bucket = bench.openAt(proxy.endpoint, SHORT_LIMITS);
    blobs = createS3Blobs({ bucket, rows, scratch: await openScratchFolder(scratch, 100 * MIB, logger), logger });
  });
  afterEach(async () => {
    blobs.close();
    await proxy.close();
    await rm(scratch, { recursive: true });
  });

  const expectRows = (count: number): void => {
    should(writes.length).be.aboveOrEqual(count);
    should(writes.filter((write) => findAllowing(write).length === 0)).be.empty();
  };

  /** Stores an output, or, if `file` has the bytes of another one, a file that shares them. */
  const storeOutput = async (file: string) => {
    const record = recordOf(randomUUID(), 'output', { kind: 'model' });
    const key = (await blobs.fromScratch(file, record, randomUUID())) ?? '';
    await objects.addFile(record, key);
    return { record, key };
  };

  for (const { size, count } of [
    { size: 5, count: 2 },
    { size: 20 * MIB, count: 5 },
  ]) {
    it(`is committed for an upload of ${size} bytes`, async () => {
      const bytes = randomBytes(size);
      const record = recordOf(randomUUID(), bytes);
      const sink = await blobs.write(record.id, none, 'me');
      should(await objects.readStates()).deepEqual({ [createObjectKey(record.id)]: 'open' });
      sink.write(bytes);
      await sink.finish();
      await objects.addFile(record, (await sink.commit(record)) ?? '');
      expectRows(count);
    });
  }

  it('is committed for an output', async () => {
    const file = blobs.scratchPath();
    await writeFile(file, 'output');
    await storeOutput(file);
    expectRows(2);
  });

  it('is committed for the record of a result that is reused', async () => {
    const file = blobs.scratchPath();
    await writeFile(file, 'output');
    const { record: source } = await storeOutput(file);
    writes = [];
    const copy = blobs.scratchPath();
    should(await blobs.share(source.id, copy)).be.true();
    const { record, key } = await storeOutput(copy);
    expectRows(1);
    should(writes.at(-1)?.states).have.property(createRecordKey(record.id, key), 'open');
    await blobs.discard(copy);
  });

  it('keeps all bytes back while the database is away', async () => {
    rows.open = () => Promise.reject(new Error('The database is away.'));
    const file = blobs.scratchPath();
    await writeFile(file, 'output');
    const record = recordOf(randomUUID(), 'output', { kind: 'model' });
    await should(blobs.write(record.id, none)).be.rejectedWith('The database is away.');
    await should(blobs.fromScratch(file, record, randomUUID())).be.rejectedWith('The database is away.');
    should(proxy.requests).be.empty();
  });
});
