import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { BucketOptions } from '../../../src/service/blobs/s3/bucket-options.js';
import { type Swift, startSwift } from '../../databases/blobs/support/swift.js';
import { type Haproxy, startHaproxy } from '../../helpers/haproxy.js';
import { findFreePort } from '../../helpers/node-red-process.js';
import { PostgresServer } from '../../helpers/postgres-server.js';
import { runProgram, startProgram } from '../../service/support/program.js';
import type { MarkedProgram } from '../support/marked-program.js';
import type { Account } from './retrying-client.js';
import { SupervisedProcess } from './supervised-process.js';

const APIS = 2;
const WORKERS = 3;
const DATABASE = 'soak';
const BUCKET: string = 'soak';

/** A service on many machines, all of which are this one: servers, a balancer, and supervised processes. */
export interface Cluster {
  database: PostgresServer;
  storage: Swift;
  bucket: BucketOptions;
  /** The environment of the commands. */
  environment: Record<string, string>;
  databaseName: string;
  balancer: Haproxy;
  apis: SupervisedProcess[];
  workers: SupervisedProcess[];
  scratchFolders: string[];
  addAccount(username: string): Promise<Account>;
  /** Ends all servers; the supervised processes have to be stopped before. */
  stop(): Promise<void>;
}

async function createBucket(endpoint: string): Promise<void> {
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
}

/** Starts everything. `folder`: for the scratch folders of the workers. */
export async function startCluster(program: MarkedProgram, folder: string): Promise<Cluster> {
  const [database, storage] = await Promise.all([PostgresServer.start(), startSwift()]);
  const { endpoint, accessKeyId, secretAccessKey } = storage;
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey });
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  await createBucket(endpoint);
  const environment = { MODEL_PROCESSING_DATABASE_URL: await database.createDatabase(DATABASE) };
  const apiPorts = await Promise.all(Array.from({ length: APIS }, findFreePort));
  const common = ['--s3-bucket', BUCKET, '--s3-endpoint', endpoint, '--s3-path-style'];
  const apis = apiPorts.map((port) => {
    const args = ['serve', '--port', String(port), '--trusted-proxies', 'loopback', '--drain-delay', '2', ...common];
    return new SupervisedProcess(`API process ${port}`, program, args, environment);
  });
  const scratchFolders = Array.from({ length: WORKERS }, (_, index) => path.join(folder, `scratch-${index}`));
  const workers = scratchFolders.map((scratch, index) => {
    mkdirSync(scratch);
    const args = ['worker', '--port', '0', '--scratch', scratch, '--workers', '2', '--memory', '512M', '--drain', '2'];
    return new SupervisedProcess(
      `worker ${index}`,
      program,
      [...args, '--scratch-size', '256M', '--callbacks', 'loopback', ...common],
      environment,
    );
  });
  await Promise.all([...apis, ...workers].map((each) => each.start()));
  const balancer = await startHaproxy(apiPorts.map((port) => `http://127.0.0.1:${port}`));

  const addAccount = async (username: string): Promise<Account> => {
    const password = 'correct horse battery';
    const { lines } = await runProgram(['client', 'add', username], environment);
    const adding = startProgram(['user', 'add', username], environment);
    adding.child.stdin?.end(`${password}\n`);
    if ((await adding.ended) !== 0) throw new Error(`Could not add a user: ${adding.errors()}`);
    return { username, password, ...JSON.parse(lines[0] ?? '') };
  };

  return {
    ...{ database, storage, environment, balancer, apis, workers, scratchFolders, addAccount, databaseName: DATABASE },
    bucket: { bucket: BUCKET, endpoint, forcePathStyle: true },
    async stop() {
      await balancer.stop();
      await Promise.all([database.stop(), storage.stop()]);
    },
  };
}
