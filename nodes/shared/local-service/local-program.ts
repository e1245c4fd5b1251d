import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** What `settings.js` may say of the local service under `modelProcessing`; each is handed on as the option of its name. */
export interface LocalSettings {
  dataDir: string;
  keepDays?: string;
  diskQuota?: string;
  workers?: string;
  memory?: string;
}

/** The names of these settings. */
export const LOCAL_SETTINGS: readonly string[] = ['dataDir', 'keepDays', 'diskQuota', 'workers', 'memory'];

/** Exit statuses that the program gives a meaning. */
export const EXIT_USAGE = 2;
export const EXIT_LOCKED = 3;
export const EXIT_NO_NATIVE_CODE = 4;

/** The service's program, beside the built nodes. */
export const LOCAL_PROGRAM = fileURLToPath(new URL('../../../src/cli.js', import.meta.url));

/** How a program ended: its exit status (`undefined`: by a signal) and the last line it wrote. */
export interface ProgramExit {
  exitStatus: number | undefined;
  lastLine: string;
}

/** A started program: its address, once it has said it, and its end. Neither promise ever rejects. */
export interface RunningProgram {
  pid: number | undefined;
  /** `undefined`: it ended without a word. */
  baseUrl: Promise<string | undefined>;
  end: Promise<ProgramExit>;
  /** Asks it to stop, by the end of its stdin. */
  stop(): void;
  kill(): void;
}

export type StartProgram = (settings: LocalSettings, onLine: (line: string) => void) => RunningProgram;

// Enough to find programs, folders and languages by; nothing that changes how Node runs, no secrets of anybody.
const PASSED_ENVIRONMENT = [
  ...['PATH', 'Path', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH'],
  ...['SystemRoot', 'windir', 'SystemDrive', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

const OPTIONS = {
  keepDays: '--keep-days',
  diskQuota: '--disk-quota',
  workers: '--workers',
  memory: '--memory',
} as const;

/** The environment that the service and its kernel processes get. */
export function passedEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    PASSED_ENVIRONMENT.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
}

/** The command line of the service for these settings. */
export function programArguments(settings: LocalSettings): string[] {
  const chosen = (['keepDays', 'diskQuota', 'workers', 'memory'] as const).flatMap((name) => {
    const value = settings[name];
    // As one word: a value that begins with a dash would be taken for another option.
    return value === undefined ? [] : [`${OPTIONS[name]}=${value}`];
  });
  const fixed = ['--host', '127.0.0.1', '--port', '0', '--data', settings.dataDir, '--callbacks', 'loopback'];
  return ['serve', ...fixed, '--parent-pipe', ...chosen];
}

/** Reads `settings.js`; the default folder is `model-processing` in the user directory. */
export function readLocalSettings(saved: unknown, userDir: string | undefined): LocalSettings {
  const input = new Map<string, unknown>(Object.entries(Object(saved)));
  const option = (name: keyof typeof OPTIONS) => {
    const value = input.get(name);
    return typeof value === 'number' || (typeof value === 'string' && value !== '') ? { [name]: String(value) } : {};
  };
  const dataDir = input.get('dataDir');
  // The user directory is unknown where an application embeds Node-RED with a storage of its own.
  const home = userDir ?? path.join(os.homedir(), '.node-red');
  return {
    dataDir: typeof dataDir === 'string' && dataDir ? path.resolve(home, dataDir) : path.join(home, 'model-processing'),
    ...option('keepDays'),
    ...option('diskQuota'),
    ...option('workers'),
    ...option('memory'),
  };
}

/** Is the program where the package brought it? */
export function isProgramPresent(program: string = LOCAL_PROGRAM): boolean {
  return existsSync(program);
}

/** Starts the service as a child process that lives no longer than this one. */
export const startProgram: StartProgram = (settings, onLine) => {
  const child = spawn(process.execPath, [LOCAL_PROGRAM, ...programArguments(settings)], {
    env: passedEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  return watchProgram(child, onLine);
};

function watchProgram(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  onLine: (line: string) => void,
): RunningProgram {
  let lastLine = '';
  const end = new Promise<ProgramExit>((resolve) => {
    child.once('error', (error) => resolve({ exitStatus: undefined, lastLine: error.message }));
    child.once('close', (status) => resolve({ exitStatus: status ?? undefined, lastLine }));
  });
  // What could not be started has no pipes where file descriptors ran out, whatever its type says; `error` tells why.
  if (child.pid === undefined)
    return { pid: undefined, baseUrl: Promise.resolve(undefined), end, stop: () => undefined, kill: () => undefined };
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => {
    lastLine = line;
    onLine(line);
  });
  // The first line is the address. What may follow is read too, or the program would block on a full pipe.
  const baseUrl = new Promise<string | undefined>((resolve) => {
    const output = createInterface({ input: child.stdout });
    output.once('line', (line) => resolve(line.trim()));
    output.once('close', () => resolve(undefined));
  });
  // A pipe to a program that has just died breaks; its end is told by `close`.
  child.stdin.on('error', () => undefined);
  return { pid: child.pid, baseUrl, end, stop: () => child.stdin.end(), kill: () => child.kill('SIGKILL') };
}
