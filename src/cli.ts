#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { ACCOUNTS_USAGE } from './service/command-line/accounts-usage.js';
import { PROCESS_USAGE } from './service/command-line/process/process-usage.js';
import { SERVE_USAGE } from './service/command-line/serve-usage.js';
import { readPackageInfo } from './service/package-info.js';
import { StartError, type StartErrorCode } from './service/start-error.js';

const HELP = `Model Processing: repair, check and convert 3D models.

${PROCESS_USAGE}

${SERVE_USAGE}

${ACCOUNTS_USAGE}

model-processing --help | --version
Every option can also be set by an environment variable, e.g. MODEL_PROCESSING_DISK_QUOTA for --disk-quota.`;

// Without this flag the young generation grows to 48 MB under a large upload. That gains nothing, because the
// short-lived objects there are buffers outside of the heap. The flag must be set before the heap grows.
setFlagsFromString('--semi-space-growth-factor=1');

/** Error code → exit status. All other errors exit with 1. */
const EXIT_STATUS: Partial<Record<StartErrorCode, number>> = {
  USAGE: 2,
  FOLDER_LOCKED: 3,
  NATIVE_UNAVAILABLE: 4,
  DATABASE_MISSING: 5,
  DATABASE_DAMAGED: 5,
  DATABASE_FOREIGN: 5,
  DATABASE_OLDER: 5,
};

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

async function run([command, ...args]: readonly string[]): Promise<number> {
  if (command === '--version' || command === '-v') return print(readPackageInfo().version);
  if (
    command === undefined ||
    command === 'help' ||
    [command, ...args].some((one) => one === '--help' || one === '-h')
  ) {
    if (command !== undefined) return print(HELP);
    throw new StartError('USAGE', 'No command given. Use process, serve, user or client; see --help.');
  }
  // Each command loads only the modules that it needs.
  if (command === 'serve') return (await import('./service/command-line/serve-command.js')).serveCommand(args);
  if (command === 'process')
    return (await import('./service/command-line/process/process-command.js')).processCommand(args);
  if (command === 'user') return (await import('./service/command-line/accounts-command.js')).userCommand(args);
  if (command === 'client') return (await import('./service/command-line/accounts-command.js')).clientCommand(args);
  throw new StartError('USAGE', `Unknown command "${command}". See --help.`);
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const code = error instanceof StartError ? error.code : undefined;
  process.stderr.write(`model-processing: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = (code && EXIT_STATUS[code]) ?? 1;
}
// An open stream, such as the stdin pipe of a running parent, would otherwise keep the process alive.
process.exit();
