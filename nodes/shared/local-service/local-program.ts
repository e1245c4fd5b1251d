import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expandHome } from '../local-path.js';

/**
 * The settings of the local service, as set in `settings.js` under `modelProcessing`. Each is passed on as a
 * command-line option.
 */
export interface LocalSettings {
  dataDir: string;
  keepDays?: string;
  diskQuota?: string;
  workers?: string;
  memory?: string;
  sandbox?: string;
}

/** The names of all local settings. */
export const LOCAL_SETTINGS: readonly string[] = ['dataDir', 'keepDays', 'diskQuota', 'workers', 'memory', 'sandbox'];

/** Exit status of the service program after invalid options. */
export const EXIT_USAGE = 2;
/** Exit status if another service uses the data folder. */
export const EXIT_LOCKED = 3;
/** Exit status if a native module cannot be loaded. */
export const EXIT_NO_NATIVE_CODE = 4;

/** The path of the service program, beside the built nodes. */
export const LOCAL_PROGRAM = fileURLToPath(new URL('../../../src/cli.js', import.meta.url));

/** How a program exited. */
export interface ProgramExit {
  /** `undefined` after a signal or a failed start. */
  exitStatus: number | undefined;
  /** The last line that it wrote to stderr. */
  lastLine: string;
  /** The error of a failed start. */
  spawnError?: Error;
}

/** A started program. Its promises never reject. */
export interface RunningProgram {
  /** `undefined` if the program could not be started. */
  pid: number | undefined;
  /** Resolves to the address that the program prints, or to `undefined` if it exits first. */
  baseUrl: Promise<string | undefined>;
  /** Resolves when the program has exited, or could not be started. */
  exit: Promise<ProgramExit>;
  /** Requests a stop by closing stdin. */
  stop(): void;
  /** Kills the program at once (SIGKILL). */
  kill(): void;
}

/** Starts the program of the service. `onLine` receives each line that the program writes to stderr. */
export type ProgramStarter = (settings: LocalSettings, onLine: (line: string) => void) => RunningProgram;

// The variables needed to find programs, folders and locales. Excludes secrets, and variables that change how Node.js
// runs.
const PASSED_ENVIRONMENT = [
  ...['PATH', 'Path', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH'],
  ...['SystemRoot', 'windir', 'SystemDrive', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

/** Setting → command-line option. */
const OPTIONS = {
  keepDays: '--keep-days',
  diskQuota: '--disk-quota',
  workers: '--workers',
  memory: '--memory',
  sandbox: '--sandbox',
} as const;

/** Returns the environment variables that the service and its kernel processes receive. */
export function filterEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    PASSED_ENVIRONMENT.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
}

/** Returns the command line of the service for these settings. */
export function createArguments(settings: LocalSettings): string[] {
  const chosen = (['keepDays', 'diskQuota', 'workers', 'memory', 'sandbox'] as const).flatMap((name) => {
    const value = settings[name];
    // Joined by `=`: a separate value that begins with a dash would be parsed as an option.
    return value === undefined ? [] : [`${OPTIONS[name]}=${value}`];
  });
  const fixed = ['--host', '127.0.0.1', '--port', '0', '--data', settings.dataDir, '--callbacks', 'loopback'];
  return ['serve', ...fixed, '--parent-pipe', ...chosen];
}

/**
 * Reads the value of `modelProcessing` in `settings.js`. Relative data folders are resolved in the user directory, and
 * `~` is the home folder; the default is `model-processing` in the user directory.
 */
export function readLocalSettings(saved: unknown, userDir: string | undefined): LocalSettings {
  const input = new Map<string, unknown>(Object.entries(Object(saved)));
  const option = (name: keyof typeof OPTIONS) => {
    const value = input.get(name);
    return typeof value === 'number' || (typeof value === 'string' && value !== '') ? { [name]: String(value) } : {};
  };
  const dataDir = input.get('dataDir');
  // The user directory is unknown if an application embeds Node-RED with its own storage module.
  const baseDir = userDir ?? path.join(os.homedir(), '.node-red');
  return {
    dataDir:
      typeof dataDir === 'string' && dataDir
        ? path.resolve(baseDir, expandHome(dataDir))
        : path.join(baseDir, 'model-processing'),
    ...option('keepDays'),
    ...option('diskQuota'),
    ...option('workers'),
    ...option('memory'),
    ...option('sandbox'),
  };
}

/** Returns whether the program exists where the package installs it. */
export function isProgramPresent(program: string = LOCAL_PROGRAM): boolean {
  return existsSync(program);
}

/** Starts the service as a child process. The service stops when this process exits, because that closes its stdin. */
export function startProgram(settings: LocalSettings, onLine: (line: string) => void): RunningProgram {
  const child = spawn(process.execPath, [LOCAL_PROGRAM, ...createArguments(settings)], {
    env: filterEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  return watchProgram(child, onLine);
}

function watchProgram(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  onLine: (line: string) => void,
): RunningProgram {
  let lastLine = '';
  const exit = new Promise<ProgramExit>((resolve) => {
    child.once('error', (spawnError) => resolve({ exitStatus: undefined, lastLine: spawnError.message, spawnError }));
    child.once('close', (status) => resolve({ exitStatus: status ?? undefined, lastLine }));
  });
  // If file descriptors ran out, a child that could not be started has no pipes, contrary to its type. Its `error`
  // event reports the reason.
  if (child.pid === undefined)
    return { pid: undefined, baseUrl: Promise.resolve(undefined), exit, stop: () => undefined, kill: () => undefined };
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => {
    lastLine = line;
    onLine(line);
  });
  // The first line is the address. Reading continues after it, or the program would block on a full pipe.
  const baseUrl = new Promise<string | undefined>((resolve) => {
    const output = createInterface({ input: child.stdout });
    output.once('line', (line) => resolve(line.trim()));
    output.once('close', () => resolve(undefined));
  });
  // Writing to a program that has just exited fails (EPIPE). Its exit is reported by `close`.
  child.stdin.on('error', () => undefined);
  return { pid: child.pid, baseUrl, exit, stop: () => child.stdin.end(), kill: () => child.kill('SIGKILL') };
}
