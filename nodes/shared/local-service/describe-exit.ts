import { EXIT_USAGE, type ProgramExit } from './local-program.js';
import { nameSettings } from './name-settings.js';
import { readLogLine } from './service-log.js';

/** Error code of the system → why a program could not be started, and the remedy. */
const SPAWN_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: `${process.execPath} is missing: Node.js was updated or removed. Restart Node-RED.`,
  EACCES: `this user may not run ${process.execPath}. Check its permissions.`,
  EAGAIN: 'the limit of processes is reached. Raise it (ulimit -u, or the limit of pids of the container).',
  ENOMEM: 'memory is short. Add memory, or stop other programs.',
  EMFILE: 'too many files are open. Raise the limit of open files (ulimit -n).',
  ENFILE: 'too many files are open on this machine. Raise its limit (fs.file-max).',
};

/**
 * Returns the reason why the program exited before it was ready, with the remedy. The exit status `EXIT_USAGE` means
 * invalid options. All options that a user can choose come from `settings.js`.
 */
export function describeStartFailure({ exitStatus, lastLine }: ProgramExit): string {
  const message = readLogLine(lastLine).message.replace(/^model-processing: /, '');
  if (exitStatus === EXIT_USAGE)
    return `modelProcessing in settings.js is invalid: ${nameSettings(message, (name) => name)}`;
  return nameSettings(message) || `its program ended with exit status ${exitStatus}. See the log of Node-RED.`;
}

/** Returns the reason why the program could not be started, with the remedy. */
export function describeSpawnFailure(error: unknown): string {
  const { code, message } = Object(error);
  const reason = Object.hasOwn(SPAWN_FAILURES, code) ? SPAWN_FAILURES[code] : undefined;
  return reason ?? `the system refused to run its program: ${message ?? error}.`;
}

/** Returns the exit status of the program and its last line on stderr, for the log. */
export function describeExit({ exitStatus, lastLine }: ProgramExit): string {
  const status = exitStatus === undefined ? 'no exit status' : `exit status ${exitStatus}`;
  return lastLine ? `${status}, last line: ${readLogLine(lastLine).message}` : status;
}
