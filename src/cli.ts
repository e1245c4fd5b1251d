#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { ACCOUNTS_USAGE } from './service/command-line/accounts-usage.js';
import { PROCESS_USAGE } from './service/command-line/process-usage.js';
import { SERVE_USAGE } from './service/command-line/serve-usage.js';
import { StartError, type StartErrorCode } from './service/start-error.js';

const HELP = `Model Processing: repair, check and convert 3D models.

${PROCESS_USAGE}

${SERVE_USAGE}

${ACCOUNTS_USAGE}

model-processing --help | --version
Each option may also be given as an environment variable: --disk-quota as MODEL_PROCESSING_DISK_QUOTA.`;

// The young generation would grow to 48 MB under a large upload, which makes nothing faster: all that is short-lived there are buffers
// outside of the heap. It must be said before anything grows.
setFlagsFromString('--semi-space-growth-factor=1');

/** What else than 0 and 1 the program ends with. */
const EXIT_STATUS: Partial<Record<StartErrorCode, number>> = {
  USAGE: 2,
  FOLDER_LOCKED: 3,
  NATIVE_UNAVAILABLE: 4,
};

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version: packageVersion }: { version: string } = JSON.parse(text); // our own package.json
  return packageVersion;
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

async function run([command, ...args]: readonly string[]): Promise<number> {
  if (command === '--version' || command === '-v') return say(version());
  if (
    command === undefined ||
    command === 'help' ||
    [command, ...args].some((one) => one === '--help' || one === '-h')
  ) {
    if (command !== undefined) return say(HELP);
    throw new StartError('USAGE', 'say what to do: process, serve, user or client (--help tells more)');
  }
  // Each command loads its own half of the program only.
  if (command === 'serve') return (await import('./service/command-line/serve-command.js')).serveCommand(args);
  if (command === 'process') return (await import('./service/command-line/process-command.js')).processCommand(args);
  if (command === 'user') return (await import('./service/command-line/accounts-command.js')).userCommand(args);
  if (command === 'client') return (await import('./service/command-line/accounts-command.js')).clientCommand(args);
  throw new StartError('USAGE', `there is no command "${command}" (--help tells more)`);
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const code = error instanceof StartError ? error.code : undefined;
  process.stderr.write(`model-processing: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = (code && EXIT_STATUS[code]) ?? 1;
}
// A stream that still holds the loop open (stdin of a parent that lives) must not keep the program.
process.exit();
