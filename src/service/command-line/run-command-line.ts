import type { Writable } from 'node:stream';
import { escapeControls } from '../escape-controls.js';
import { describeShortage } from '../machine/system-errors.js';
import { readPackageInfo } from '../package-info.js';
import { StartError, type StartErrorCode } from '../start-error.js';
import { BACKUP_USAGE, RESTORE_USAGE } from './backup-usage.js';
import { CLIENT_USAGE } from './client-usage.js';
import { PROCESS_USAGE } from './process/process-usage.js';
import { RECOVER_USAGE } from './recover-usage.js';
import { SERVE_USAGE } from './serve-usage.js';
import { USER_USAGE } from './user-usage.js';
import { VERIFY_USAGE } from './verify-usage.js';
import { MIGRATE_USAGE, WORKER_USAGE } from './worker-usage.js';
import { ClosedOutputError, writeText } from './write-text.js';

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
    run: async (args) => (await import('./process/process-command.js')).processCommand(args),
  },
  serve: {
    usage: SERVE_USAGE,
    run: async (args) => (await import('./service-commands.js')).serveCommand(args),
  },
  worker: {
    usage: WORKER_USAGE,
    environmentExample: 's3-bucket',
    run: async (args) => (await import('./service-commands.js')).workerCommand(args),
  },
  migrate: {
    usage: MIGRATE_USAGE,
    environmentExample: 'database-url',
    run: async (args) => (await import('./service-commands.js')).migrateCommand(args),
  },
  user: {
    usage: USER_USAGE,
    run: async (args) => (await import('./service-commands.js')).userCommand(args),
  },
  client: {
    usage: CLIENT_USAGE,
    run: async (args) => (await import('./service-commands.js')).clientCommand(args),
  },
  verify: {
    usage: VERIFY_USAGE,
    run: async (args) => (await import('./service-commands.js')).verifyCommand(args),
  },
  backup: {
    usage: BACKUP_USAGE,
    run: async (args) => (await import('./service-commands.js')).backupCommand(args),
  },
  restore: {
    usage: RESTORE_USAGE,
    run: async (args) => (await import('./service-commands.js')).restoreCommand(args),
  },
  recover: {
    usage: RECOVER_USAGE,
    run: async (args) => (await import('./service-commands.js')).recoverCommand(args),
  },
};

async function print(stdout: Writable, text: string): Promise<number> {
  await writeText(stdout, `${text}\n`);
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

async function run([name, ...args]: readonly string[], stdout: Writable): Promise<number> {
  if (name === '--version' || name === '-v') return print(stdout, readPackageInfo().version);
  if (name === undefined) {
    throw new StartError('USAGE', `No command given. Use one of ${Object.keys(COMMANDS).join(', ')}; see --help.`);
  }
  const isHelp = name === 'help';
  const commandName = isHelp ? args[0] : name;
  if (commandName === undefined || commandName === '--help' || commandName === '-h') return print(stdout, HELP);
  const command = findCommand(commandName);
  if (isHelp || hasHelpOption(args)) return print(stdout, formatHelp(command));
  return command.run(args);
}

/** Prints why the command failed. Returns the exit status. */
function reportFailure(error: unknown, stderr: Writable): number {
  if (error instanceof ClosedOutputError) return 0; // as for every program in a pipe: the reader has what it wants
  const shortage = error instanceof StartError ? undefined : describeShortage(error);
  const message = error instanceof Error ? error.message : String(error);
  const reason = shortage === undefined ? message : `Could not run the command: ${shortage}.`;
  stderr.write(`model-processing: ${escapeControls(reason)}\n`);
  return (error instanceof StartError ? EXIT_STATUS[error.code] : undefined) ?? 1;
}

/** Where the help, the version and failures are printed. */
export interface CommandLineOutput {
  stdout: Writable;
  stderr: Writable;
}

/**
 * Runs `model-processing` with arguments. Resolves with the exit status: a failure is printed. `output`: that of the help,
 * the version and failures; a command itself writes to the streams of this process, the default.
 */
export async function runCommandLine(args: readonly string[], output: CommandLineOutput = process): Promise<number> {
  try {
    return await run(args, output.stdout);
  } catch (error) {
    return reportFailure(error, output.stderr);
  }
}
