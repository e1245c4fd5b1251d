#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { BACKUP_USAGE, RESTORE_USAGE } from './service/command-line/backup-usage.js';
import { CLIENT_USAGE } from './service/command-line/client-usage.js';
import { PROCESS_USAGE } from './service/command-line/process/process-usage.js';
import { RECOVER_USAGE } from './service/command-line/recover-usage.js';
import { SERVE_USAGE } from './service/command-line/serve-usage.js';
import { USER_USAGE } from './service/command-line/user-usage.js';
import { VERIFY_USAGE } from './service/command-line/verify-usage.js';
import { MIGRATE_USAGE, WORKER_USAGE } from './service/command-line/worker-usage.js';
import { ClosedOutputError, writeText } from './service/command-line/write-text.js';
import { escapeControls } from './service/escape-controls.js';
import { readPackageInfo } from './service/package-info.js';
import { StartError, type StartErrorCode } from './service/start-error.js';

const HELP = `Model Processing: repair, check and convert 3D models.

  model-processing process IN...    process files without Node-RED or a service
  model-processing serve            start the local service
  model-processing worker           run the operations of a service on many machines
  model-processing migrate          create or upgrade the database of a service on many machines
  model-processing user             manage the users of a local service
  model-processing client           manage the OAuth clients of a local service
  model-processing verify           check the files of a local service for damage
  model-processing backup DIR       copy the data of a local service, which may be running
  model-processing restore DIR      copy a backup into a new data folder
  model-processing recover          rebuild the database of a local service

  model-processing COMMAND --help   print the options of a command
  model-processing --version`;

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

interface Command {
  usage: string;
  /** An option of the command, as an example of an environment variable. Default: `data`. */
  environmentExample?: string;
  /** Resolves with the exit status. Loads only the modules that the command needs. */
  run: (args: readonly string[]) => Promise<number>;
}

const COMMANDS: Record<string, Command> = {
  process: {
    usage: PROCESS_USAGE,
    environmentExample: 'units',
    run: async (args) => (await import('./service/command-line/process/process-command.js')).processCommand(args),
  },
  serve: {
    usage: SERVE_USAGE,
    run: async (args) => (await import('./service/command-line/service-commands.js')).serveCommand(args),
  },
  worker: {
    usage: WORKER_USAGE,
    environmentExample: 's3-bucket',
    run: async (args) => (await import('./service/command-line/service-commands.js')).workerCommand(args),
  },
  migrate: {
    usage: MIGRATE_USAGE,
    environmentExample: 'database-url',
    run: async (args) => (await import('./service/command-line/service-commands.js')).migrateCommand(args),
  },
  user: {
    usage: USER_USAGE,
    run: async (args) => (await import('./service/command-line/service-commands.js')).userCommand(args),
  },
  client: {
    usage: CLIENT_USAGE,
    run: async (args) => (await import('./service/command-line/service-commands.js')).clientCommand(args),
  },
  verify: {
    usage: VERIFY_USAGE,
    run: async (args) => (await import('./service/command-line/service-commands.js')).verifyCommand(args),
  },
  backup: {
    usage: BACKUP_USAGE,
    run: async (args) => (await import('./service/command-line/service-commands.js')).backupCommand(args),
  },
  restore: {
    usage: RESTORE_USAGE,
    run: async (args) => (await import('./service/command-line/service-commands.js')).restoreCommand(args),
  },
  recover: {
    usage: RECOVER_USAGE,
    run: async (args) => (await import('./service/command-line/service-commands.js')).recoverCommand(args),
  },
};

async function print(text: string): Promise<number> {
  await writeText(process.stdout, `${text}\n`);
  return 0;
}

function findCommand(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command;
  const known = Object.keys(COMMANDS).join(', ');
  throw new StartError('USAGE', `Unknown command "${name}": expected one of ${known}. See --help.`);
}

function formatHelp({ usage, environmentExample: option = 'data' }: Command): string {
  const variable = `MODEL_PROCESSING_${option.toUpperCase().replaceAll('-', '_')}`;
  return `${usage}\nEvery option can also be set by an environment variable, such as ${variable} for --${option}.`;
}

/** Returns whether the arguments contain `--help`, before a `--` that ends the options. */
function hasHelpOption(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? args.length : end).some((one) => one === '--help' || one === '-h');
}

async function run([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v') return print(readPackageInfo().version);
  if (name === undefined) {
    throw new StartError('USAGE', `No command given. Use one of ${Object.keys(COMMANDS).join(', ')}; see --help.`);
  }
  const isHelp = name === 'help';
  const commandName = isHelp ? args[0] : name;
  if (commandName === undefined || commandName === '--help' || commandName === '-h') return print(HELP);
  const command = findCommand(commandName);
  if (isHelp || hasHelpOption(args)) return print(formatHelp(command));
  return command.run(args);
}

/** Prints why the command failed. Returns the exit status. */
function reportFailure(error: unknown): number {
  if (error instanceof ClosedOutputError) return 0; // as for every program in a pipe: the reader has what it wants
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`model-processing: ${escapeControls(reason)}\n`);
  return (error instanceof StartError ? EXIT_STATUS[error.code] : undefined) ?? 1;
}

// A failed write rejects where it was requested. Without a listener, its event would end the process.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportFailure(error);
}
// An open stream, such as the stdin pipe of a running parent, would otherwise keep the process alive.
process.exit();
