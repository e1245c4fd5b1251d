import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
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

/** Returns a TCP port that is currently free. Only a test that asks at the same time may get it, too, by chance. */
export async function findFreePort(): Promise<number> {
  const { createServer } = await import('node:net');
  for (;;) {
    const port = randomInt(FREE_PORTS.min, FREE_PORTS.end);
    const server = createServer().listen(port, '127.0.0.1');
    const isListening = await once(server, 'listening').then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
        throw error;
      },
    );
    if (!isListening) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
