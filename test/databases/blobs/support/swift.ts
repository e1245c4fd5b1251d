import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { endWithThisProcess } from '../../../helpers/end-with-this-process.js';
import { findFreePort } from '../../../helpers/node-red-process.js';
import { eventually } from '../../../helpers/processes.js';
import { stopAfterAllTests } from '../../../helpers/shared-servers.js';

const run = promisify(execFile);

/** An S3 server on loopback: OpenStack Swift with its S3 interface, from Debian's packages. */
export interface Swift {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Ends the server that replies to requests, so that connections are refused, or suspends it. */
  halt(signal: 'SIGKILL' | 'SIGSTOP'): Promise<void>;
  /** Starts or continues that server. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

const SERVERS = ['account', 'container', 'object'] as const;

// By default a server gives up another one after 0.5 to 3 s. The list of a bucket then lacks an object that was written, or
// has one that was deleted, and nothing corrects it: no updater runs. The proxy would leave out a server after ten errors.
const PATIENCE = `conn_timeout = 100
node_timeout = 100
container_update_timeout = 100
error_suppression_limit = 1000000
`;

/** One replica on one device, which is a folder. */
async function buildRing(folder: string, name: (typeof SERVERS)[number], port: number): Promise<void> {
  const builder = path.join(folder, `${name}.builder`);
  await run('swift-ring-builder', [builder, 'create', '4', '1', '1']);
  await run('swift-ring-builder', [builder, 'add', `r1z1-127.0.0.1:${port}/device`, '1']);
  await run('swift-ring-builder', [builder, 'rebalance']);
}

function serverConfig(folder: string, name: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${path.join(folder, 'devices')}
mount_check = false
workers = 0
${PATIENCE}[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`;
}

function proxyConfig(folder: string, port: number, memcachedPort: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
user = ${userInfo().username}
swift_dir = ${folder}
workers = 0
${PATIENCE}[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${memcachedPort}
[filter:s3api]
use = egg:swift#s3api
${['catch_errors', 'gatekeeper', 'healthcheck', 'listing_formats', 'bulk', 'copy', 'slo', 'dlo', 'versioned_writes']
  .map((name) => `[filter:${name}]\nuse = egg:swift#${name}`)
  .join('\n')}
`;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function waitUntilListening(ports: readonly number[], processes: readonly ChildProcess[]): Promise<void> {
  for (const port of ports) {
    await eventually(`a server of Swift listens on port ${port}`, async () => {
      if (processes.some(({ exitCode }) => exitCode !== null)) throw new Error('A server of Swift has ended.');
      return isListening(port);
    });
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Starts Swift and memcached on free ports of loopback, with all data in a temporary folder. */
export async function startSwift(): Promise<Swift> {
  const folder = await mkdtemp(path.join(tmpdir(), 'swift-'));
  await mkdir(path.join(folder, 'devices/device'), { recursive: true });
  const processes: ChildProcess[] = [];
  const ports: number[] = [];
  const start = (command: string, args: string[]): ChildProcess => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    processes.push(child);
    endWithThisProcess(child);
    return child;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map(endProcess));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [proxyPort, memcachedPort] = [await findFreePort(), await findFreePort()];
    start('memcached', ['-l', '127.0.0.1', '-p', String(memcachedPort), '-u', userInfo().username]);
    await Promise.all(
      SERVERS.map(async (name) => {
        const port = await findFreePort();
        ports.push(port);
        await buildRing(folder, name, port);
        const file = path.join(folder, `${name}-server.conf`);
        await writeFile(file, serverConfig(folder, name, port));
        start(`swift-${name}-server`, [file]);
      }),
    );
    const file = path.join(folder, 'proxy-server.conf');
    await writeFile(file, proxyConfig(folder, proxyPort, memcachedPort));
    let proxy = start('swift-proxy-server', [file]);
    await waitUntilListening([...ports, memcachedPort, proxyPort], processes);
    return {
      ...{ endpoint: `http://127.0.0.1:${proxyPort}`, accessKeyId: 'test:tester', secretAccessKey: 'testing', stop },
      async halt(signal) {
        if (signal === 'SIGKILL') await endProcess(proxy);
        else proxy.kill(signal);
      },
      async resume() {
        if (proxy.signalCode === null) proxy.kill('SIGCONT');
        else proxy = start('swift-proxy-server', [file]);
        await waitUntilListening([proxyPort], [proxy]);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

let shared: Promise<Swift> | undefined;

/** Returns the S3 server that all files of this process share. It stops after all tests. */
export function shareSwift(): Promise<Swift> {
  shared ??= startSwift().then((swift) => {
    stopAfterAllTests(swift.stop);
    return { ...swift, stop: async () => undefined };
  });
  return shared;
}
