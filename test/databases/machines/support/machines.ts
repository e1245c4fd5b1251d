import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { BucketOptions } from '../../../../src/service/blobs/s3/bucket-options.js';
import { type Haproxy, startHaproxy } from '../../../helpers/haproxy.js';
import { PostgresServer } from '../../../helpers/postgres-server.js';
import { eventually } from '../../../helpers/processes.js';
import { type Calls, callsWith } from '../../../service/support/account.js';
import { createFolder, removeFolder } from '../../../service/support/data-folder.js';
import { CLI, runProgram, type StartedProgram, startProgram, untilStarted } from '../../../service/support/program.js';
import { type Swift, shareSwift } from '../../blobs/support/swift.js';

/** The password of every account. */
export const PASSWORD = 'correct horse battery';

const WORKER = path.resolve('test/databases/machines/support/worker-process.ts');

/** Sends the form of a token request. */
export async function requestToken(baseUrl: string, authorization: string, form: Record<string, string>) {
  const body = new URLSearchParams(form);
  const reply = await fetch(`${baseUrl}/Token`, { method: 'POST', headers: { authorization }, body });
  const tokens: { access_token?: string; refresh_token?: string } = Object(await reply.json());
  return { status: reply.status, body: tokens };
}

/** Starts PostgreSQL and Swift at the same time, unless other files have. If one of them fails, neither is left running. */
async function startServers(settings: readonly string[]): Promise<[PostgresServer, Swift]> {
  const database = settings.length === 0 ? PostgresServer.share() : PostgresServer.start(settings);
  const servers = [database, shareSwift()] as const;
  try {
    return await Promise.all(servers);
  } catch (error) {
    for (const outcome of await Promise.allSettled(servers)) {
      if (outcome.status === 'fulfilled') await outcome.value.stop();
    }
    throw error;
  }
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
  #balancers: Haproxy[] = [];
  #credentials = { authorization: '', username: '' };

  private constructor(server: PostgresServer, swift: Swift) {
    this.server = server;
    this.swift = swift;
  }

  /** `settings`: those of PostgreSQL, such as `max_connections=20`. */
  static async start(settings: readonly string[] = []): Promise<Machines> {
    const [server, swift] = await startServers(settings);
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
    const client = this.createS3Client();
    await client.send(new CreateBucketCommand({ Bucket: this.name }));
    client.destroy();
    (await this.run(['migrate'])).should.match({ status: 0 });
  }

  createS3Client(): S3Client {
    return new S3Client({ endpoint: this.swift.endpoint, region: 'us-east-1', forcePathStyle: true });
  }

  /** Replaces the database of the test by an empty one, which has another id. */
  async loseDatabase(): Promise<void> {
    await this.server.query(`drop database "${this.name}" with (force)`);
    await this.server.createDatabase(this.name);
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
    for (const balancer of this.#balancers.splice(0)) await balancer.stop();
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

  /** Starts an API process that trusts a balancer on this machine. `port`: default: a free one. `args`: more options. */
  startApi({ port = '0', drainDelayS = 1 as number | 'default', args = [] as string[] } = {}): Promise<StartedProgram> {
    const drainDelay = drainDelayS === 'default' ? [] : ['--drain-delay', String(drainDelayS)];
    const own = ['serve', '--port', port, '--trusted-proxies', 'loopback', ...drainDelay];
    return this.#start([...own, ...this.bucketArguments, ...args]);
  }

  /** Starts HAProxy in front of API processes. */
  async startBalancer(apis: readonly StartedProgram[]): Promise<Haproxy> {
    const balancer = await startHaproxy(apis.map(({ baseUrl }) => baseUrl));
    this.#balancers.push(balancer);
    return balancer;
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

  /**
   * Starts a worker of `slots` operations at a time whose kernel sleeps. `port` and `endpoint`: of the database and the
   * bucket, if they are behind a proxy. `clockOffsetMs`: how much the clock of its machine is ahead.
   */
  async startSleeper({
    port = this.server.port,
    endpoint = this.swift.endpoint,
    slots = 2,
    clockOffsetMs = 0,
  } = {}): Promise<StartedProgram> {
    const url = this.server.url(this.name).replace(`:${this.server.port}/`, `:${port}/`);
    const bucket = JSON.stringify({ ...this.bucket, endpoint });
    const args = [url, bucket, await this.createScratch(), String(slots)];
    const clock = `data:text/javascript,const{now}=Date;Date.now=()=>now()+${clockOffsetMs}`;
    return this.#start(args, WORKER, { NODE_OPTIONS: `--import tsx --import ${clock}` });
  }

  /** Adds a client and a user with the commands for that. Resolves with the Basic header of the client. */
  async addAccount(username = 'ann'): Promise<string> {
    const { lines } = await this.run(['client', 'add', username, ...this.bucketArguments]);
    const { clientId, clientSecret } = JSON.parse(lines[0] ?? '');
    const adding = startProgram(['user', 'add', username, ...this.bucketArguments], this.environment);
    adding.child.stdin?.end(`${PASSWORD}\n`);
    (await adding.ended)?.should.equal(0);
    return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  }

  /** Sets the password of a user with the command for that. */
  async setPassword(username: string, password: string): Promise<void> {
    const setting = startProgram(['user', 'password', username, ...this.bucketArguments], this.environment);
    setting.child.stdin?.end(`${password}\n`);
    (await setting.ended)?.should.equal(0);
  }

  /** Adds an account, and returns the calls of its user. */
  async logIn(baseUrl: string, username = 'ann'): Promise<Calls> {
    return this.signIn(baseUrl, { authorization: await this.addAccount(username), username });
  }

  /** Returns the calls of a user who was added by `logIn`. Default: the one who was added last. */
  async signIn(baseUrl: string, credentials = this.#credentials): Promise<Calls> {
    this.#credentials = credentials;
    const { authorization, username } = credentials;
    const form = { grant_type: 'password', username, password: PASSWORD };
    return callsWith(baseUrl, (await requestToken(baseUrl, authorization, form)).body.access_token ?? '');
  }

  query(text: string): Promise<Record<string, unknown>[]> {
    return this.server.query(text, this.name);
  }

  /** Reads the row of an operation. */
  async readOperation(id: string): Promise<Record<string, unknown>> {
    return Object((await this.query(`select * from operation where id = '${id}'`))[0]);
  }

  /** Resolves once an operation runs, in this attempt. */
  async untilRunning(id: string, attempts = 1): Promise<void> {
    await eventually(`operation ${id} runs`, async () => {
      const row = await this.readOperation(id);
      return row.state === 'running' && row.attempts === attempts;
    });
  }
}
