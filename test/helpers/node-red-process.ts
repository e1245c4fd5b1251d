import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A Node-RED of its own process, as users run it: its address, its log so far, and its end. */
export interface NodeRedProcess {
  url: string;
  child: ChildProcess;
  log: () => string;
  /** Asks it to end (SIGTERM) and waits until it did. */
  stop: () => Promise<void>;
}

const settingsWith = (more: string): string => `module.exports = {
  flowFile: 'flows.json', credentialSecret: 'test', uiHost: '127.0.0.1',
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, projects: { enabled: false }, palette: { catalogues: [] } },
  externalModules: { autoInstall: false, palette: { allowInstall: false }, modules: { allowInstall: false } },
  ${more}
};\n`;

/** Starts Node-RED on a user directory and answers when its flows have started. `more`: further lines of `settings.js`. */
export const startNodeRedProcess = async (userDir: string, port: number, more = ''): Promise<NodeRedProcess> => {
  const settings = path.join(userDir, 'settings.js');
  await writeFile(settings, settingsWith(more));
  const program = path.resolve('node_modules/node-red/red.js');
  const child = spawn(process.execPath, [program, '-u', userDir, '-s', settings, '-p', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  const started = new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      log += chunk;
      if (log.includes('Started flows')) resolve();
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
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
};

/** A TCP port that is free now. */
export const freePort = async (): Promise<number> => {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('a listening TCP server has an address');
  return address.port;
};
