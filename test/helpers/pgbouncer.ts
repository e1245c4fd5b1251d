import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from './node-red-process.js';
import { createDatabaseFolder, findDatabaseOwner, waitForLog } from './postgres-server.js';

/** A PgBouncer in transaction mode in front of a PostgreSQL server. */
export interface Pgbouncer {
  port: number;
  stop(): Promise<void>;
}

function end(child: ChildProcess): Promise<unknown> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  return exited;
}

/** Starts PgBouncer with two connections to the server on `serverPort`. `settings`: further lines of its section. */
export async function startPgbouncer(serverPort: number, settings: readonly string[] = []): Promise<Pgbouncer> {
  const owner = await findDatabaseOwner();
  const folder = await createDatabaseFolder(owner);
  const port = await findFreePort();
  const users = path.join(folder, 'users.txt');
  const configuration = path.join(folder, 'pgbouncer.ini');
  await writeFile(users, '"postgres" ""\n');
  const lines = [
    ...['[databases]', `* = host=127.0.0.1 port=${serverPort} user=postgres`, '[pgbouncer]'],
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = trust'],
    ...[`auth_file = ${users}`, 'pool_mode = transaction', 'default_pool_size = 2', ...settings],
  ];
  await writeFile(configuration, `${lines.join('\n')}\n`);
  const child = spawn('pgbouncer', [configuration], { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  await waitForLog(child, /process up/);
  return {
    port,
    stop: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
