import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { endWithThisProcess } from './end-with-this-process.js';
import { findFreePort } from './node-red-process.js';
import { eventually } from './processes.js';
import { stopAfterAllTests } from './shared-servers.js';

const run = promisify(execFile);

// Debian installs the programs here; other systems have them on the path.
const DEBIAN_FOLDER = '/usr/lib/postgresql/15/bin';

function programPath(name: string): string {
  return existsSync(DEBIAN_FOLDER) ? path.join(DEBIAN_FOLDER, name) : name;
}

/** The user and group of a process. Empty: those of this process. */
export type ProcessOwner = { uid: number; gid: number } | Record<string, never>;

/** Returns the user `postgres` if this process is root, which PostgreSQL and PgBouncer refuse. */
export async function findDatabaseOwner(): Promise<ProcessOwner> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

/** Creates an empty folder in which the database user may write. */
export async function createDatabaseFolder(owner: ProcessOwner): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'postgres-test-'));
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid);
  return folder;
}

/** Waits for a line that a process writes to stderr. Rejects with the log if it ends before. */
export async function waitForLog(child: ChildProcess, line: RegExp): Promise<void> {
  const log: string[] = [];
  if (!child.stderr) throw new Error('Expected a pipe as stderr.');
  for await (const text of createInterface({ input: child.stderr })) {
    if (line.test(text)) {
      child.stderr.resume(); // the end of the loop pauses it, and a full pipe would block the process
      return;
    }
    log.push(text);
  }
  throw new Error(`The process ended before it was ready:\n${log.join('\n')}`);
}

/** A PostgreSQL server of its own on loopback, without durability. The user `postgres` needs no password. */
export class PostgresServer {
  port: number;
  readonly folder: string;
  readonly #owner: ProcessOwner;
  readonly #settings: readonly string[];
  #child: ChildProcess | undefined;
  static #shared: Promise<PostgresServer> | undefined;
  /** Databases that the tests of a file have created. */
  readonly #databases = new Set<string>();

  private constructor(port: number, folder: string, owner: ProcessOwner, settings: readonly string[]) {
    this.port = port;
    this.folder = folder;
    this.#owner = owner;
    this.#settings = settings;
  }

  /** Creates and starts a server. `settings`: such as `max_connections=20`. */
  static async start(settings: readonly string[] = []): Promise<PostgresServer> {
    const owner = await findDatabaseOwner();
    const folder = await createDatabaseFolder(owner);
    const options = ['--no-sync', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
    await run(programPath('initdb'), ['-D', path.join(folder, 'data'), ...options], { ...owner, cwd: folder });
    const server = new PostgresServer(await findFreePort(), folder, owner, settings);
    await server.resume();
    return server;
  }

  /**
   * Returns the server that all files of this process share. They release it with `stop`, which removes the databases that
   * `createDatabase` has created.
   */
  static async share(): Promise<PostgresServer> {
    PostgresServer.#shared ??= PostgresServer.start().then((server) => {
      stopAfterAllTests(() => server.#end());
      return server;
    });
    return PostgresServer.#shared;
  }

  /** Returns the URL of a database. `more`: further parameters. */
  url(database = 'postgres', more = ''): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}${more}`;
  }

  /** Runs statements on a connection of its own. Resolves with the rows of the last one. */
  async query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url(database) });
    await client.connect();
    try {
      const results: unknown = await client.query(text);
      return Object((Array.isArray(results) ? results : [results]).at(-1)).rows;
    } finally {
      await client.end();
    }
  }

  /** Creates an empty database. Resolves with its URL. */
  async createDatabase(name: string): Promise<string> {
    await this.query(`create database "${name}"`);
    this.#databases.add(name);
    return this.url(name);
  }

  /** Runs statements in a transaction that is committed, and releases its locks, once `work` has ended. */
  async lockWhile<T>(text: string, database: string, work: () => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: this.url(database) });
    await client.connect();
    try {
      await client.query(`begin; ${text}`);
      const result = await work();
      await client.query('commit');
      return result;
    } finally {
      await client.end();
    }
  }

  /** Resolves once so many connections wait for locks that others hold. */
  async untilWaiting(count = 1): Promise<void> {
    await eventually(`${count} queries wait for a lock`, async () => {
      const rows = await this.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'");
      return rows.length >= count;
    });
  }

  /** Copies this server, and starts the copy as a standby that receives all further transactions. */
  async startStandby(): Promise<PostgresServer> {
    const folder = await createDatabaseFolder(this.#owner);
    const source = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres'];
    const options = ['--no-sync', '--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast'];
    const target = ['-D', path.join(folder, 'data')];
    await run(programPath('pg_basebackup'), [...source, ...options, ...target], { ...this.#owner, cwd: folder });
    const standby = new PostgresServer(await findFreePort(), folder, this.#owner, this.#settings);
    await standby.resume();
    return standby;
  }

  /** Resolves with the position in the write-ahead log up to which a standby has received it. */
  async receivedBytes(): Promise<number> {
    const [row] = await this.query("select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::float8 as bytes");
    return Number(row?.bytes);
  }

  /** Ends the replication of a standby. It has received all transactions before. */
  async disconnectStandby(primary: PostgresServer): Promise<void> {
    const [row] = await primary.query("select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::float8 as bytes");
    await eventually('the standby has received it', async () => (await this.receivedBytes()) >= Number(row?.bytes));
    await this.query("alter system set primary_conninfo = ''");
    await this.query('select pg_reload_conf()');
    const isConnected = async () => (await this.query('select 1 from pg_stat_wal_receiver')).length > 0;
    await eventually('the replication has ended', async () => !(await isConnected()));
  }

  /** Makes a standby the primary, at the port of the one that has failed, as a name that leads to another server. */
  async replacePrimary(port: number): Promise<void> {
    await this.query('select pg_promote()');
    await this.halt();
    this.port = port;
    await this.resume();
  }

  /** Starts the server again after `halt`. */
  async resume(): Promise<void> {
    const fixed = ['listen_addresses=127.0.0.1', `unix_socket_directories=${this.folder}`, 'fsync=off'];
    const settings = [...fixed, 'shared_buffers=32MB', ...this.#settings].flatMap((setting) => ['-c', setting]);
    const args = ['-D', path.join(this.folder, 'data'), '-p', String(this.port), ...settings];
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    this.#child = spawn(programPath('postgres'), args, { ...this.#owner, cwd: this.folder, stdio: [...stdio] });
    await waitForLog(this.#child, /database system is ready to accept (?:read-only )?connections/);
    endWithThisProcess(this.#child, 'SIGQUIT');
  }

  /** Ends the server: by a fast shutdown, which closes all connections, or as in a crash. */
  async halt(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.ref();
    child.kill(signal);
    await exited;
  }

  /** Ends the server and removes its folder. One that files share is only emptied, and runs again if a test ended it. */
  async stop(): Promise<void> {
    if ((await PostgresServer.#shared) !== this) return this.#end();
    if (!this.#child) await this.resume();
    for (const name of this.#databases) await this.query(`drop database if exists "${name}" with (force)`);
    this.#databases.clear();
  }

  async #end(): Promise<void> {
    await this.halt('SIGQUIT');
    await rm(this.folder, { recursive: true, force: true });
  }
}
