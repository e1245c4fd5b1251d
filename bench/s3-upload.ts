// Uploads 1 GB to an S3 server on loopback, each time in a new process and alternating: as the service does, from an HTTP
// request through `receiveUpload` to the blob store, and with a bare `Upload` of @aws-sdk/lib-storage from the file.
// `npx tsx bench/s3-upload.ts` prints times and the growth of the resident memory, writes bench/results/s3-upload.json,
// and exits with 1 if the service reaches less than 0.7 of the speed or grows by more than 100 MiB. Needs Debian's
// PostgreSQL, swift, swift-proxy, swift-account, swift-container, swift-object and memcached.
import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  createReadStream,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { openS3Blobs } from '../src/service/blobs/s3/open-s3-blobs.js';
import { receiveUpload } from '../src/service/http/receive-upload.js';
import { createLogger } from '../src/service/logger.js';
import { createFileRow } from '../src/service/store/file-row.js';
import { createFiles } from '../src/service/store/files.js';
import { openPostgres } from '../src/service/store/postgres.js';
import { startSwift } from '../test/databases/blobs/support/swift.js';
import { PostgresServer } from '../test/helpers/postgres-server.js';

const MIB = 1 << 20;
const SIZE_MIB = 1000;
const ROUNDS = 3;
const MIN_RATIO = 0.7;
const MAX_GROWTH_MIB = 100;

/** What one upload took. */
interface Measurement {
  seconds: number;
  cpuSeconds: number;
  /** Of the resident memory, above that before the upload. */
  growthMib: number;
}

const bucket = { bucket: 'bench', endpoint: process.env.S3_ENDPOINT, forcePathStyle: true };

async function measure(run: () => Promise<unknown>): Promise<Measurement> {
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 10);
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(timer);
  return { seconds, cpuSeconds: (user + system) / 1e6, growthMib: Math.round((peak - before) / MIB) };
}

// The warning about the version of Node would be printed for each process.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

async function uploadBare(file: string): Promise<void> {
  const client = new S3Client({ ...bucket, endpoint: bucket.endpoint ?? '', region: 'us-east-1' });
  const params = { Bucket: bucket.bucket, Key: randomUUID(), Body: createReadStream(file) };
  const options = { client, partSize: 8 * MIB, queueSize: 2 };
  await new Upload({ ...options, params: { ...params, Key: 'warm-up', Body: 'warm-up' } }).done();
  process.send?.(await measure(() => new Upload({ ...options, params }).done()));
  client.destroy();
}

async function serveUpload(): Promise<void> {
  const logger = createLogger('warn');
  const store = await openPostgres({ url: process.env.DATABASE ?? '', logger });
  const { blobs, close } = await openS3Blobs(store, { ...bucket, now: Date.now, logger });
  const storeUpload = async (request: http.IncomingMessage): Promise<void> => {
    const id = randomUUID();
    const sink = await blobs.write(id, () => Promise.resolve(), 'me');
    const { digest, filename } = await receiveUpload(request, { sink, maxBytes: Number.POSITIVE_INFINITY });
    const kind = { owner: 'me', kind: 'file', mediaType: 'model/stl', operationId: null } as const;
    const record = { id, filename, ...kind, createdAt: Date.now(), ...digest };
    await createFiles(store).add(createFileRow(record, Date.now(), await sink.commit(record)));
  };
  const server = http.createServer(async (request, reply) => {
    process.send?.(await measure(() => storeUpload(request)));
    reply.end();
    server.close();
    close();
    await store.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server that listens on a port has one
  process.send?.(port);
}

async function sendFile(file: string, port: number): Promise<void> {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.stl"\r\n\r\n';
  const end = '\r\n--b--\r\n';
  const length = head.length + statSync(file).size + end.length;
  const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': length };
  const request = http.request({ port, method: 'POST', headers });
  const replied = once(request, 'response');
  request.write(head);
  const bytes = createReadStream(file, { highWaterMark: MIB / 4 });
  bytes.once('end', () => request.end(end));
  bytes.pipe(request, { end: false });
  const [reply] = await replied;
  reply.resume();
}

async function measureProcess(role: 'bare' | 'service', file: string, env: NodeJS.ProcessEnv): Promise<Measurement> {
  const child = fork(import.meta.filename, [role, file], { env, execArgv: process.execArgv });
  const exited = once(child, 'exit');
  const [first] = await once(child, 'message');
  const measured = typeof first === 'number' ? once(child, 'message') : Promise.resolve([first]);
  if (typeof first === 'number') await sendFile(file, first);
  const [measurement] = await measured;
  await exited;
  return measurement;
}

function sumSeconds(measurements: readonly Measurement[]): number {
  return measurements.reduce((sum, { seconds }) => sum + seconds, 0);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 's3-upload-'));
  const [swift, postgres] = await Promise.all([startSwift(), PostgresServer.start()]);
  try {
    const file = path.join(folder, 'model.stl');
    const target = openSync(file, 'w');
    const chunk = randomBytes(MIB);
    for (let written = 0; written < SIZE_MIB; written++) writeSync(target, chunk);
    closeSync(target);
    const { endpoint, accessKeyId, secretAccessKey } = swift;
    const credentials = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    const env = { ...process.env, ...credentials, S3_ENDPOINT: endpoint, DATABASE: postgres.url() };
    const client = new S3Client({ ...bucket, endpoint, region: 'us-east-1', credentials: swift });
    await client.send(new CreateBucketCommand({ Bucket: bucket.bucket }));
    client.destroy();
    const rounds: { bare: Measurement; service: Measurement }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const measured = {
        bare: await measureProcess('bare', file, env),
        service: await measureProcess('service', file, env),
      };
      rounds.push(measured);
      console.log(JSON.stringify(measured));
    }
    const ratio = sumSeconds(rounds.map(({ bare }) => bare)) / sumSeconds(rounds.map(({ service }) => service));
    const growthMib = Math.max(...rounds.map(({ service }) => service.growthMib));
    const result = { sizeMib: SIZE_MIB, ratio: Number(ratio.toFixed(2)), growthMib, rounds };
    writeFileSync(new URL('results/s3-upload.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
    console.log(`${result.ratio} of the speed of a bare upload, ${growthMib} MiB`);
    if (ratio < MIN_RATIO || growthMib > MAX_GROWTH_MIB) process.exitCode = 1;
  } finally {
    await swift.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  }
}

const [role, file = ''] = process.argv.slice(2);
if (role === 'bare') await uploadBare(file);
else if (role === 'service') await serveUpload();
else await main();
