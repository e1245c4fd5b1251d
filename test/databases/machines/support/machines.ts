import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { BucketOptions } from '../../../../src/service/blobs/s3/bucket-options.js';
import { PostgresServer } from '../../../helpers/postgres-server.js';
import { type Calls, callsWith } from '../../../service/support/account.js';
import { createFolder, removeFolder } from '../../../service/support/data-folder.js';
import { CLI, type Program, runProgram, startProgram } from '../../../service/support/program.js';
import { type Swift, startSwift } from '../../blobs/support/swift.js';

const PASSWORD = 'correct horse battery';
const WORKER = path.resolve('test/databases/machines/support/worker-process.ts');

/** A program that has printed its URL. */
export interface StartedProgram extends Program {
  baseUrl: string;
}

async function untilStarted(program: Program): Promise<StartedProgram> {
  while (program.lines.length === 0) {
    const status = await Promise.race([program.ended, once(program.child.stdout ?? program.child, 'data')]);
    if (!Array.isArray(status)) throw new Error(`The program has ended (${status}): ${program.errors()}`);
    await new Promise((resolve) => setImmediate(resolve)); // the line reader runs after the data event
  }
  return { ...program, baseUrl: program.lines[0] ?? '' };
}

/** A service on many machines: its servers, and the processes that a test starts on this machine. */
export class Machines {
  readonly server: PostgresServer;
  readonly swift: Swift;
  /** The database of the current test. */
  name = '';
  bucket: BucketOptions = { bucket: '' };
  #running: StartedProgram[] = [];
  #folders: string[] = [];

  private constructor(server: PostgresServer, swift: Swift) {
    this.server = server;
    this.swift = swift;
  }

  static async start(): Promise<Machines> {
    const [server, swift] = await Promise.all([PostgresServer.start(), startSwift()]);
    const { accessKeyId, secretAccessKey } = swift;
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey });
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
    return new Machines(server, swift);
  }

  async stop(): Promise<void> {
    await Promise.all([this.server.stop(), this.swift.stop()]);
  }

  /** Creates the database and the bucket of a test. */
  async reset(): Promise<void> {
    this.name = `test-${randomUUID()}`;
    await this.server.createDatabase(this.name);
    const { endpoint } = this.swift;
    this.bucket = { bucket: this.name, endpoint, forcePathStyle: true };
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: this.name }));
    client.destroy();
    (await this.run(['migrate'])).should.match({ status: 0 });
  }

  /** The environment of `serve`, `worker`, `user` and `client`. */
  get environment(): Record<string, string> {
    return { MODEL_PROCESSING_DATABASE_URL: this.server.url(this.name) };
  }

  get bucketArguments(): string[] {
    return ['--s3-bucket', this.name, '--s3-endpoint', this.swift.endpoint, '--s3-path-style'];
  }

  /** Ends what the test has started, whatever its state. */
  async end(): Promise<void> {
    for (const { child, ended } of this.#running.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
    for (const folder of this.#folders.splice(0)) await removeFolder(folder);
  }

  run(args: string[], more: Record<string, string> = {}) {
    return runProgram(args, { ...this.environment, ...more });
  }

  async #start(args: string[], file = CLI, more: Record<string, string> = {}): Promise<StartedProgram> {
    const program = await untilStarted(startProgram(args, { ...this.environment, ...more }, file));
    this.#running.push(program);
    return program;
  }

  startApi(args: string[] = []): Promise<StartedProgram> {
    return this.#start(['serve', '--port', '0', '--drain-delay', '1', ...this.bucketArguments, ...args]);
  }

  async createScratch(): Promise<string> {
    const folder = await createFolder();
    this.#folders.push(folder);
    return folder;
  }

  /** Starts a worker as an operator does. */
  async startWorker(args: string[] = []): Promise<StartedProgram> {
    const scratch = await this.createScratch();
    return this.#start(['worker', '--port', '0', '--scratch', scratch, ...this.bucketArguments, ...args]);
  }

  /** Starts a worker of two operations at a time whose kernel sleeps. */
  async startSleeper(): Promise<StartedProgram> {
    const args = [this.server.url(this.name), JSON.stringify(this.bucket), await this.createScratch()];
    return this.#start(args, WORKER, { NODE_OPTIONS: '--import tsx' });
  }

  /** Adds a client and a user with the commands for that, and returns the calls of the user. */
  async logIn(baseUrl: string, username = 'ann'): Promise<Calls> {
    const { lines } = await this.run(['client', 'add', username]);
    const { clientId, clientSecret } = JSON.parse(lines[0] ?? '');
    const adding = startProgram(['user', 'add', username], this.environment);
    adding.child.stdin?.end(`${PASSWORD}\n`);
    (await adding.ended)?.should.equal(0);
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const body = new URLSearchParams({ grant_type: 'password', username, password: PASSWORD });
    const reply = await fetch(`${baseUrl}/Token`, { method: 'POST', headers: { authorization }, body });
    return callsWith(baseUrl, Object(await reply.json()).access_token);
  }

  query(text: string): Promise<Record<string, unknown>[]> {
    return this.server.query(text, this.name);
  }
}
