import { createHash, randomUUID } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import type { BucketOptions } from '../../../src/service/blobs/s3/bucket-options.js';
import { createCredentialsWriter, createNewAccount } from '../../../src/service/data-folder/credentials.js';
import { runWorker } from '../../../src/service/database-mode/run-worker.js';
import { createLogger } from '../../../src/service/logger.js';
import { createCleanup } from '../../../src/service/machine/cleanup.js';
import type { RunningService, ServeOptions } from '../../../src/service/serve.js';
import { createAccounts } from '../../../src/service/store/accounts.js';
import type { Store } from '../../../src/service/store/database.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import { startHaproxy } from '../../helpers/haproxy.js';
import { startProgram, untilStarted } from './program.js';

/**
 * The URL of a PostgreSQL server. If it is set, with `TEST_S3_ENDPOINT` and `TEST_BUCKET`, the tests of the API run on two
 * API processes behind HAProxy, which sends each request to the other one, and a worker in the process of the tests.
 */
const SERVER_URL = process.env.TEST_DATABASE_SERVER;

export const isDatabaseMode = SERVER_URL !== undefined;

/** Returns the name of what the tests with a data folder have on the servers. */
function createName(folder: string): string {
  return `test-${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`;
}

function bucketOf(folder: string): BucketOptions {
  const { TEST_BUCKET: bucket = '', TEST_S3_ENDPOINT: endpoint } = process.env;
  return { bucket, endpoint, prefix: `${createName(folder)}/`, forcePathStyle: true };
}

/** Creates the database of a data folder, unless it exists. Resolves with its URL. */
async function createDatabaseOf(folder: string): Promise<string> {
  const name = createName(folder);
  const client = new pg.Client({ connectionString: SERVER_URL });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database "${name}"`);
  } finally {
    await client.end();
  }
  const url = new URL(SERVER_URL ?? '');
  url.pathname = name;
  return url.href;
}

/** Opens the database of a data folder while `use` runs. */
export async function withDatabase<T>(folder: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openPostgres({ url: await createDatabaseOf(folder), logger: createLogger('silent') });
  try {
    return await use(store);
  } finally {
    await store.destroy();
  }
}

/** A running service. `processUrls`: of the processes that reply, without the balancer of `baseUrl`. */
export interface ServiceUnderTest extends RunningService {
  processUrls: string[];
}

/** Starts `serve` as an operator does, without its log. */
function startApi(url: string, { bucket, endpoint = '', prefix = '' }: BucketOptions) {
  const bucketArgs = ['--s3-bucket', bucket, '--s3-endpoint', endpoint, '--s3-prefix', prefix, '--s3-path-style'];
  const args = ['serve', '--port', '0', '--drain-delay', '0', '--trusted-proxies', 'loopback', ...bucketArgs];
  return untilStarted(startProgram(args, { MODEL_PROCESSING_DATABASE_URL: url }));
}

/**
 * Starts two API processes behind HAProxy and a worker, and writes `credentials.json` as a service on one machine does.
 * Throws if there are options for the API processes, which cannot be passed to them.
 */
export async function startOnDatabase(options: ServeOptions): Promise<ServiceUnderTest> {
  const { dataFolder } = options;
  if (options.limits || options.faults || options.isTrustedProxy)
    throw new Error('Not an option of two API processes.');
  const url = await createDatabaseOf(dataFolder);
  const data = { database: { url }, bucket: bucketOf(dataFolder) };
  const scratch = { folder: path.join(dataFolder, 'scratch'), maxBytes: 1024 ** 3 };
  const cleanup = createCleanup();
  try {
    const worker = await runWorker({ ...options, ...data, scratch, port: 0, drainTimeoutMs: 0 });
    cleanup.add(worker.close);
    const apis = await Promise.all([startApi(url, data.bucket), startApi(url, data.bucket)]);
    cleanup.add(() => Promise.all(apis.map(({ child, ended }) => child.kill('SIGTERM') && ended)));
    const processUrls = apis.map((api) => api.baseUrl);
    const { baseUrl, stop } = await startHaproxy(processUrls);
    cleanup.add(stop);
    const instanceId = randomUUID();
    await withDatabase(dataFolder, (store) =>
      createCredentialsWriter(
        path.join(dataFolder, 'credentials.json'),
        createAccounts(store),
        { baseUrl, instanceId, identityKey: '', now: Date.now() },
        createNewAccount(options.passwordCost),
      )(),
    );
    return { baseUrl, instanceId, processUrls, close: cleanup.run };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}
