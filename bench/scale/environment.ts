import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import 'should';
import { Machines } from '../../test/databases/machines/support/machines.js';
import { type Calls, logIn } from '../../test/service/support/account.js';

const CLI = path.resolve('dist/src/cli.js');
const STUB_SERVICE = path.resolve('bench/scale/stub-service.ts');

// As an operator would have it, unlike the servers of tests: each commit is on disk before it is answered.
const POSTGRES_SETTINGS = ['fsync=on', 'shared_buffers=256MB', 'max_connections=200', 'max_wal_size=4GB'];

/** A process that has printed its URL. */
export interface BenchProcess {
  child: ChildProcess;
  pid: number;
  baseUrl: string;
  /** Ends it by a signal, by default SIGTERM. Resolves when it has ended. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** A service on one machine. */
export interface EmbeddedService extends BenchProcess {
  calls: Calls;
}

/** Starts a process and waits for its URL. Its stderr is that of the benchmark, or read by `onLog`. */
export async function startProcess(
  args: readonly string[],
  { env = {}, onLog }: { env?: NodeJS.ProcessEnv; onLog?: (line: string) => void } = {},
): Promise<BenchProcess> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', onLog ? 'pipe' : 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  if (child.stderr && onLog) createInterface(child.stderr).on('line', onLog);
  const started = child.stdout && once(createInterface(child.stdout), 'line');
  const [baseUrl] = await Promise.race([started, ended.then(() => [undefined])]).then((line) => line ?? []);
  if (typeof baseUrl !== 'string') throw new Error(`A process of the benchmark has ended: ${args.join(' ')}`);
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return { child, pid: child.pid ?? 0, baseUrl, end };
}

/** PostgreSQL and an S3 server on loopback, and the processes that one measurement starts. */
export class Environment {
  readonly machines: Machines;
  #running: BenchProcess[] = [];
  #folders: string[] = [];

  private constructor(machines: Machines) {
    this.machines = machines;
  }

  static async start(): Promise<Environment> {
    return new Environment(await Machines.start(POSTGRES_SETTINGS));
  }

  /** Runs a measurement on an empty database and bucket, and ends the processes that it has left. */
  async measure<T>(run: (environment: Environment) => Promise<T>): Promise<T> {
    await this.machines.reset();
    try {
      return await run(this);
    } finally {
      await Promise.all(this.#running.splice(0).map((running) => running.end('SIGKILL')));
      await Promise.all(this.#folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
    }
  }

  stop(): Promise<void> {
    return this.machines.stop();
  }

  async createFolder(): Promise<string> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-scale-'));
    this.#folders.push(folder);
    return folder;
  }

  async #start(...args: Parameters<typeof startProcess>): Promise<BenchProcess> {
    const started = await startProcess(...args);
    this.#running.push(started);
    return started;
  }

  /** Starts the built `serve` as an API process. */
  startApi(args: readonly string[] = []): Promise<BenchProcess> {
    const all = [CLI, 'serve', '--port', '0', '--drain-delay', '0', '--log-level', 'warn'];
    return this.#start([...all, ...this.machines.bucketArguments, ...args], { env: this.machines.environment });
  }

  /** Starts the built `worker`. */
  async startWorker(args: readonly string[]): Promise<BenchProcess> {
    const all = [CLI, 'worker', '--port', '0', '--scratch', await this.createFolder(), '--log-level', 'warn'];
    return this.#start([...all, ...this.machines.bucketArguments, ...args], { env: this.machines.environment });
  }

  /** Starts the built `serve` on a data folder of its own. */
  async startEmbedded(args: readonly string[]): Promise<EmbeddedService> {
    const dataFolder = await this.createFolder();
    const all = [CLI, 'serve', '--port', '0', '--data', dataFolder, '--log-level', 'warn', ...args];
    return { ...(await this.#start(all)), calls: await logIn(dataFolder) };
  }

  /** Starts a worker with the kernel that only waits. `onLog`: reads its log lines of level info. */
  async startStubWorker(workers: number, onLog?: (line: string) => void): Promise<BenchProcess> {
    const { server, name, bucket } = this.machines;
    const scratchFolder = await this.createFolder();
    const logLevel = onLog ? 'info' : 'warn';
    const options = { workers, logLevel, url: server.url(name), bucket, scratchFolder };
    return this.#start(['--import', 'tsx', STUB_SERVICE, JSON.stringify(options)], onLog && { onLog });
  }

  /** Starts a service on one machine with the kernel that only waits. */
  async startStubEmbedded(workers: number): Promise<EmbeddedService> {
    const dataFolder = await this.createFolder();
    const options = JSON.stringify({ workers, logLevel: 'warn', dataFolder });
    return { ...(await this.#start(['--import', 'tsx', STUB_SERVICE, options])), calls: await logIn(dataFolder) };
  }

  /** Adds users and signs them in. */
  async addUsers(baseUrl: string, count: number): Promise<Calls[]> {
    const users: Calls[] = [];
    for (let index = 0; index < count; index++) users.push(await this.machines.logIn(baseUrl, `user-${index}`));
    return users;
  }
}
