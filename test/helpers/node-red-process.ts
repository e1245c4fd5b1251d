import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

// NODE_RED_DIR: a folder in which another Node-RED is installed than the one of this checkout. It runs on the Node of the tests.
const PROGRAM = path.resolve(process.env.NODE_RED_DIR ?? '.', 'node_modules/node-red/red.js');

/** A Node-RED of its own process, as users run it: its address, its log so far, and its end. */
export interface NodeRedProcess {
  url: string;
  child: ChildProcess;
  log: () => string;
  /** Asks it to end (SIGTERM) and waits until it did. */
  stop: () => Promise<void>;
}

export interface NodeRedOptions {
  /** Environment variables beside those of the tests. */
  env?: Record<string, string>;
  /** Further lines of `settings.js`. */
  settings?: string;
  /** A module that is loaded before Node-RED; what it sends by `process.send` comes to `onMessage`. */
  preload?: string;
  onMessage?: (message: unknown) => void;
}

function settingsWith(more: string): string {
  return `module.exports = {
  flowFile: 'flows.json', credentialSecret: 'test', uiHost: '127.0.0.1',
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, projects: { enabled: false }, palette: { catalogues: [] } },
  externalModules: { autoInstall: false, palette: { allowInstall: false }, modules: { allowInstall: false } },
  ${more}
};\n`;
}

/** Starts Node-RED on a user directory and answers when its flows have started. */
export async function startNodeRedProcess(
  userDir: string,
  port: number,
  { env = {}, settings: more = '', preload, onMessage }: NodeRedOptions = {},
): Promise<NodeRedProcess> {
  const settings = path.join(userDir, 'settings.js');
  // At another start of the same Node-RED its disk may be full or read-only.
  const earlier = await readFile(settings, 'utf8').catch(() => undefined);
  if (earlier !== settingsWith(more)) await writeFile(settings, settingsWith(more));
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
      // The flows start before the server listens, or after it.
      if (log.includes('Started flows') && log.includes('Server now running')) resolve();
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('exit', () => reject(new Error(`Node-RED ended before its flows started:\n${log}`)));
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

/** A TCP port that is free now. */
export async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('a listening TCP server has an address');
  return address.port;
}
