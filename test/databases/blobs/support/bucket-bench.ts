import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { type Bucket, openBucket } from '../../../../src/service/blobs/s3/bucket.js';
import type { BucketLimits } from '../../../../src/service/blobs/s3/bucket-options.js';
import { type Swift, shareSwift } from './swift.js';

/** Requests that fail are given up fast. */
export const SHORT_LIMITS: BucketLimits = { maxAttempts: 3, connectMs: 3000, responseMs: 3000, idleMs: 3000 };

/** A bucket of Swift, empty before each test. */
export interface BucketBench {
  swift: Swift;
  name: string;
  bucket: Bucket;
  /** The entries of the log. */
  log: object[];
  /** Opens the bucket again, at another endpoint. */
  openAt(endpoint: string, limits?: BucketLimits): Bucket;
  /** Resolves with the keys of all objects. */
  listKeys(): Promise<string[]>;
  removeBucket(): Promise<void>;
  /** Reads an object without the code under test. */
  readObject(key: string): Promise<Buffer>;
}

/** Registers hooks that start Swift for all tests and create a bucket for each. `assign` receives the bench. */
export function registerBucketBench(assign: (bench: BucketBench) => void): void {
  let swift: Swift;
  let client: S3Client;
  const opened: Bucket[] = [];
  const environment = { ...process.env };

  before(async function () {
    this.timeout(300_000); // five Python programs start, which takes minutes on a loaded machine
    swift = await shareSwift();
    const { endpoint, accessKeyId, secretAccessKey } = swift;
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey });
    client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  });

  beforeEach(async () => {
    const name = `bucket-${randomUUID()}`;
    await client.send(new CreateBucketCommand({ Bucket: name }));
    const log: object[] = [];
    const openAt = (endpoint: string, limits?: BucketLimits): Bucket => {
      const logger = { warn: (entry: object) => void log.push(entry) };
      const bucket = openBucket(
        { bucket: name, endpoint, prefix: 'service/', forcePathStyle: true },
        { logger, limits },
      );
      opened.push(bucket);
      return bucket;
    };
    assign({
      ...{ swift, name, log, openAt, bucket: openAt(swift.endpoint) },
      async listKeys() {
        const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: name }));
        return Contents.map(({ Key = '' }) => Key.replace(/^service\//, ''));
      },
      async removeBucket() {
        await client.send(new DeleteBucketCommand({ Bucket: name }));
      },
      async readObject(key) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: name, Key: `service/${key}` }));
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      },
    });
  });

  afterEach(() => {
    for (const bucket of opened.splice(0)) bucket.close();
  });

  after(async () => {
    client?.destroy();
    await swift?.stop();
    process.env = environment;
  });
}
