import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../../start-error.js';
import { findLibraries } from './find-libraries.js';
import { createSandboxArguments, programInSandbox } from './sandbox-arguments.js';
import { SandboxFolder } from './sandbox-folder.js';

/** Whether kernel processes run in a sandbox: where that is possible, always, or never. */
export type SandboxMode = 'auto' | 'on' | 'off';

/** A sandbox for kernel processes. */
export interface Sandbox {
  /** The path of the kernel program in the sandbox. */
  program: string;
  /** Creates the folder of a new process. */
  createFolder(): SandboxFolder;
  /** Returns the command line of Node.js in a sandbox with this folder, by `nice`. Its arguments follow. */
  createCommand(folder: string, niceness: number): string[];
}

/** The options of `openSandbox`. */
export interface SandboxOptions {
  mode: SandboxMode;
  /** The kernel program. Its folder is readable in the sandbox. */
  program: string;
  /** Returns the path of a new folder, on the file system of inputs and outputs. */
  createPath: () => string;
  logger: { info(details: object, message: string): void };
}

const PROBE_TIMEOUT_MS = 10_000;
const INSTALL = 'Install the package bubblewrap';
const PERMIT = 'Permit user namespaces, as docs/operating/README.md describes';

/** Returns the path of a program, by PATH. */
async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, name);
    const isExecutable = await access(file, constants.X_OK).then(
      () => path.isAbsolute(file),
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}

async function createSandbox(nice: string, bwrap: string, { program, createPath }: SandboxOptions): Promise<Sandbox> {
  const libraries = await findLibraries(process.execPath);
  return {
    program: programInSandbox(program),
    createFolder: () => new SandboxFolder(createPath()),
    createCommand: (folder, niceness) => [
      ...[nice, '-n', String(niceness), bwrap],
      ...createSandboxArguments(program, libraries, folder),
    ],
  };
}

/** Starts Node.js in a sandbox, once. Returns why that failed, or `undefined`. */
async function probe(sandbox: Sandbox): Promise<string | undefined> {
  const folder = sandbox.createFolder();
  const [command = '', ...args] = sandbox.createCommand(folder.path, 0);
  try {
    await promisify(execFile)(command, [...args, '-e', '0'], { env: {}, timeout: PROBE_TIMEOUT_MS });
    return undefined;
  } catch (error) {
    const { stderr, message } = Object(error);
    return String(stderr || message)
      .trim()
      .split('\n', 1)[0];
  } finally {
    await folder.remove();
  }
}

/** Returns a sandbox that works here, or why there is none, with the remedy. */
async function findSandbox(options: SandboxOptions): Promise<Sandbox | { reason: string; remedy: string }> {
  if (process.platform !== 'linux') {
    return { reason: `bubblewrap does not exist for ${process.platform}`, remedy: 'Run the service on Linux' };
  }
  const [nice, bwrap] = [await findProgram('nice'), await findProgram('bwrap')];
  if (nice === undefined || bwrap === undefined) {
    const [program, remedy] = nice === undefined ? ['nice', 'Install the package coreutils'] : ['bwrap', INSTALL];
    return { reason: `the program ${program} is not in PATH`, remedy };
  }
  const sandbox = await createSandbox(nice, bwrap, options);
  const reason = await probe(sandbox);
  return reason === undefined ? sandbox : { reason, remedy: PERMIT };
}

/**
 * Returns the sandbox for kernel processes, made by bubblewrap; with `auto`, `undefined` if there can be none here. Logs which
 * it is. Throws `SANDBOX_UNAVAILABLE` with `on` if there can be none.
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox | undefined> {
  const { mode, logger } = options;
  if (mode === 'off') {
    logger.info({}, 'Kernel processes run without a sandbox: --sandbox is off');
    return undefined;
  }
  const found = await findSandbox(options);
  if ('program' in found) {
    logger.info({}, 'Kernel processes run in a sandbox');
    return found;
  }
  const { reason, remedy } = found;
  if (mode === 'on') {
    const alternative = 'or set --sandbox to auto';
    throw new StartError('SANDBOX_UNAVAILABLE', `No sandbox for operations: ${reason}. ${remedy}, ${alternative}.`);
  }
  logger.info({ reason, remedy }, 'Kernel processes run without a sandbox');
  return undefined;
}
