import { randomBytes, randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import type { BlobStore } from '../../../src/service/blobs/blob-store.js';
import { digestFile } from '../../../src/service/blobs/digest.js';
import { type OpenS3Blobs, openS3Blobs } from '../../../src/service/blobs/s3/open-s3-blobs.js';
import { LOCK_NAME } from '../../../src/service/data-folder/lock-folder.js';
import { createDamageRecorder } from '../../../src/service/integrity/damage-recorder.js';
import type { JobRequest } from '../../../src/service/kernel/kernel-runner.js';
import type { JobOutcome } from '../../../src/service/kernel/messages.js';
import { createLogger } from '../../../src/service/logger.js';
import { createResultCache } from '../../../src/service/operations/result-cache.js';
import { type RunDependencies, runOperation } from '../../../src/service/operations/run-operation.js';
import { ServiceError } from '../../../src/service/service-error.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { createFiles, type Files } from '../../../src/service/store/files.js';
import { type Completion, createOperations, type Operations } from '../../../src/service/store/operations.js';
import { eventually } from '../../helpers/processes.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { recordOf } from '../../service/support/records.js';
import { type BucketBench, registerBucketBench } from './support/bucket-bench.js';
import { type FaultyProxy, startFaultyProxy } from './support/faulty-proxy.js';
import { type ObjectBench, registerObjectBench } from './support/object-bench.js';

const INPUT_BYTES = 2_000_000;
const { signal } = new AbortController();
const logger = createLogger('silent');

describe('operations of a worker whose files are in a bucket', () => {
  let bench: BucketBench;
  let objects: ObjectBench;
  let proxy: FaultyProxy;
  let folder: string;
  let api: OpenS3Blobs;
  let worker: OpenS3Blobs;
  let files: Files;
  let operations: Operations;
  let jobs: JobRequest[];
  registerBucketBench((opened) => (bench = opened));
  registerObjectBench((opened) => (objects = opened));

  beforeEach(async () => {
    proxy = await startFaultyProxy(bench.swift.endpoint);
    folder = await mkdtemp(path.join(tmpdir(), 'worker-'));
    const bucket = { bucket: bench.name, prefix: 'service/', forcePathStyle: true, now: Date.now, logger };
    const scratch = { folder, maxBytes: 1.5 * INPUT_BYTES };
    api = await openS3Blobs(objects.store, { ...bucket, endpoint: bench.swift.endpoint });
    worker = await openS3Blobs(objects.store, { ...bucket, endpoint: proxy.endpoint, scratch });
    files = createFiles(objects.store);
    operations = createOperations(objects.store);
    jobs = [];
  });
  afterEach(async () => {
    api.close();
    worker.close();
    await proxy.close();
    await rm(folder, { recursive: true });
  });

  /** Returns the names of the files in the scratch folder, without that of its lock. */
  async function listScratch(): Promise<string[]> {
    return (await readdir(folder)).filter((name) => name !== LOCK_NAME);
  }

  async function upload(bytes: Buffer): Promise<string> {
    const record = recordOf(randomUUID(), bytes);
    const sink = await api.blobs.write(record.id, () => Promise.resolve(), 'me');
    sink.write(bytes);
    await sink.finish();
    await files.add(createFileRow(record, Date.now(), await sink.commit(record)));
    return record.id;
  }

  /** The output is a copy of the input. */
  async function copyInput(job: JobRequest): Promise<JobOutcome & { output?: ReturnType<typeof digestFile> }> {
    jobs.push(job);
    try {
      await copyFile(job.inputPath, job.outputPath ?? '');
    } catch {
      return { type: 'failed', code: 'INPUT_MISSING', message: 'The input is missing.' };
    }
    return { type: 'done', result: {}, output: digestFile(job.outputPath ?? '') };
  }

  /** Runs an operation as a worker does. Resolves with the completion and the id of the output. */
  async function run(
    inputId: string,
    {
      blobs = worker.blobs,
      filename = 'a.stl',
      beforeQuery = () => undefined,
    }: { blobs?: BlobStore; filename?: string; beforeQuery?: (name: string) => void } = {},
  ): Promise<{ id: string; completion: Completion }> {
    const row = queuedOperation({ owner: 'me', kind: 'repair', input_id: inputId, filename, state: 'running' });
    await operations.add(row);
    const common = { files, blobs, now: Date.now, clock: { now: Date.now }, logger };
    const damage = createDamageRecorder(common);
    const onHit = (): void => undefined;
    const cache = createResultCache({ ...common, operations, damage, kernelVersion: 'test', onHit });
    const dependencies: RunDependencies = {
      ...common,
      files: {
        async find(...parameters) {
          beforeQuery('input');
          return files.find(...parameters);
        },
      },
      damage,
      resultCache: {
        ...cache,
        async find(...parameters) {
          beforeQuery('cache');
          return cache.find(...parameters);
        },
      },
      runJob: copyInput,
    };
    const onProgress = (): void => undefined;
    const reserveOutput = async (_size: number, key = ''): Promise<void> => {
      beforeQuery('reservation');
      await objects.rows.open(key, 'me');
    };
    const completion = await runOperation(row, dependencies, {
      signal,
      onProgress,
      onJobEnd: onProgress,
      reserveOutput,
    });
    should(await operations.complete(row.id, completion, Date.now(), Date.now())).be.true();
    return { id: row.output_id ?? '', completion };
  }

  async function readOutput(id: string): Promise<Buffer> {
    const { size } = (await files.findStored(id)) ?? { size: 0 };
    const chunks: Buffer[] = [];
    for await (const chunk of api.blobs.read(id, 0, size - 1)) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }

  it('reads the input and stores the output', async () => {
    const bytes = randomBytes(INPUT_BYTES);
    const { id } = await run(await upload(bytes));
    should((await readOutput(id)).equals(bytes)).be.true();
    const states = Object.values(await objects.readStates());
    should(states).deepEqual(['confirmed', 'confirmed']);
  });

  it('reads the output of the operation before from its scratch folder', async () => {
    const first = await run(await upload(randomBytes(INPUT_BYTES)));
    proxy.requests.length = 0;
    await run(first.id, { filename: 'b.stl' });
    should(jobs).have.length(2);
    should(proxy.requests.filter((line) => line.startsWith('GET'))).be.empty();
  });

  it('makes room for the input of the next operation', async () => {
    for (let count = 0; count < 3; count++) await run(await upload(randomBytes(INPUT_BYTES)));
    await eventually('the inputs before are deleted', async () => (await listScratch()).length === 1);
  });

  it('reuses the output of an identical operation, which is kept when that is deleted', async () => {
    const bytes = randomBytes(1000);
    const first = await run(await upload(bytes));
    const second = await run(await upload(bytes));
    should(jobs).have.length(1);
    await files.setDeleted(first.id, Date.now());
    await api.blobs.remove([first.id]);
    await worker.removeObjects(signal);
    should((await readOutput(second.id)).equals(bytes)).be.true();
    should((await api.blobs.readRecord(second.id))?.id).equal(second.id);
    should(await api.blobs.readRecord(first.id)).be.undefined();
  });

  it('waits while the bucket does not answer, and runs the job once', async () => {
    const unavailable = new Set(['toScratch', 'fromScratch']);
    const failOnce = (name: string): void => {
      if (unavailable.delete(name)) throw new ServiceError('STORAGE_UNAVAILABLE', 'Retry later.', { retryAfterS: 0 });
    };
    const blobs: BlobStore = {
      ...worker.blobs,
      async toScratch(id) {
        failOnce('toScratch');
        return worker.blobs.toScratch(id);
      },
      async fromScratch(...parameters) {
        failOnce('fromScratch');
        return worker.blobs.fromScratch(...parameters);
      },
    };
    const { completion } = await run(await upload(randomBytes(1000)), { blobs });
    should(completion.isSuccessful).be.true();
    should(unavailable).be.empty();
    should(jobs).have.length(1);
  });

  it('waits while the database does not answer, and runs the job once', async () => {
    const unavailable = new Set(['input', 'cache', 'reservation']);
    const beforeQuery = (name: string): void => {
      if (unavailable.delete(name)) throw new ServiceError('DATABASE_UNAVAILABLE', 'Retry later.', { retryAfterS: 0 });
    };
    const { completion } = await run(await upload(randomBytes(1000)), { beforeQuery });
    should(completion.isSuccessful).be.true();
    should(unavailable).be.empty();
    should(jobs).have.length(1);
  });

  it('fails for an input that was altered, and marks it as damaged', async () => {
    const inputId = await upload(randomBytes(1000));
    proxy.chooseFault = (line) => (line.startsWith('GET') ? 'alter' : undefined);
    const { completion } = await run(inputId);
    should(completion).match({ isSuccessful: false, error: /"code":41001/ });
    should((await files.findStored(inputId))?.damaged_at).be.above(0);
    should(await listScratch()).be.empty();
  });
});
