import { EXIT_USAGE, type LocalSettings, type ProgramExit } from './local-program.js';
import { readLogLine } from './service-log.js';

/**
 * Returns the reason why the program exited before it was ready. The exit status `EXIT_USAGE` means invalid options.
 * All options that a user can choose come from `settings.js`.
 */
export function describeStartFailure({ dataDir }: LocalSettings, { exitStatus, lastLine }: ProgramExit): string {
  const { message } = readLogLine(lastLine);
  return exitStatus === EXIT_USAGE
    ? `modelProcessing in settings.js is invalid: ${message}`
    : `it could not start with the data folder ${dataDir}: ${message}`;
}

/** Returns the exit status of the program and its last line on stderr, for the log. */
export function describeExit({ exitStatus, lastLine }: ProgramExit): string {
  const status = exitStatus === undefined ? 'no exit status' : `exit status ${exitStatus}`;
  return lastLine ? `${status}, last line: ${readLogLine(lastLine).message}` : status;
}
