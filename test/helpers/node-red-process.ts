import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { type EventEmitter, once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';

// NODE_RED_DIR: a folder with another installed version of Node-RED. It runs on the Node.js of the tests.
const PROGRAM = path.resolve(process.env.NODE_RED_DIR ?? '.', 'node_modules/node-red/red.js');

/** A running Node-RED in a separate process. */
export interface NodeRedProcess {
  url: string;
  child: ChildProcess;
  /** Returns the log of this process so far. */
  log: () => string;
  /** Sends SIGTERM and waits for the exit. */
  stop: () => Promise<void>;
}

/** Options of `startNodeRedProcess`. */
export interface NodeRedOptions {
  /** Environment variables in addition to those of the tests. */
  env?: Record<string, string>;
  /** Additional lines of `settings.js`. */
  settings?: string;
  /** A module that is loaded before Node-RED. Messages that it sends with `process.send` are passed to `onMessage`. */
  preload?: string;
  onMessage?: (message: unknown) => void;
}

function createSettings(more: string): string {
  return `module.exports = {
  flowFile: 'flows.json', credentialSecret: 'test', uiHost: '127.0.0.1',
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, projects: { enabled: false }, palette: { catalogues: [] } },
  externalModules: { autoInstall: false, palette: { allowInstall: false }, modules: { allowInstall: false } },
  ${more}
};\n`;
}

/** Starts Node-RED on a user directory. Resolves after its flows have started. */
export async function startNodeRedProcess(
  userDir: string,
  port: number,
  { env = {}, settings: more = '', preload, onMessage }: NodeRedOptions = {},
): Promise<NodeRedProcess> {
  const settings = path.join(userDir, 'settings.js');
  // Only written if it changed: the disk may be full or read-only at a later start.
  const existing = await readFile(settings, 'utf8').catch(() => undefined);
  if (existing !== createSettings(more)) await writeFile(settings, createSettings(more));
  const preloads = preload === undefined ? [] : ['--import', preload];
  const child = spawn(process.execPath, [...preloads, PROGRAM, '-u', userDir, '-s', settings, '-p', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, ...env },
  });
  child.on('message', (message) => onMessage?.(message));
  let log = '';
  const started = new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      log += chunk;
      // The flows may start before or after the server listens.
      if (log.includes('Started flows') && log.includes('Server now running')) resolve();
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('exit', () => reject(new Error(`Node-RED exited before its flows started:\n${log}`)));
  });
  await started;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { url: `http://127.0.0.1:${port}`, child, log: () => log, stop };
}

/** Below the ports that Linux gives to outgoing connections, of which there are many while a server starts. */
const FREE_PORTS = { min: 12_000, end: 32_000 };

/** Resolves with whether a socket could be bound to its port. */
async function isBound(socket: EventEmitter): Promise<boolean> {
  try {
    await once(socket, 'listening');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
}

/**
 * Reserves a TCP port, with the UDP port of the same number, until this process ends. Resolves with whether no other process
 * that calls this has reserved it.
 */
async function reservePort(port: number): Promise<boolean> {
  const socket = createSocket('udp4').bind({ port, address: '127.0.0.1', exclusive: true });
  const isReserved = await isBound(socket);
  if (isReserved) socket.unref();
  else socket.close();
  return isReserved;
}

/**
 * Returns a TCP port that is currently free. No other call returns it while this process runs, also in tests that run at
 * the same time: it may take long until a server listens on it.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FREE_PORTS.min, FREE_PORTS.end);
    if (!(await reservePort(port))) continue;
    const server = createServer().listen(port, '127.0.0.1');
    if (!(await isBound(server))) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
