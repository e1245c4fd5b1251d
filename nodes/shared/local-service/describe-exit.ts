import { EXIT_USAGE, type LocalSettings, type ProgramExit } from './local-program.js';
import { readLogLine } from './service-log.js';

/**
 * Returns the reason why the program exited before it served. It rejects invalid options, which come from
 * `settings.js`, with the exit status of incorrect usage.
 */
export function describeStartFailure({ dataDir }: LocalSettings, { exitStatus, lastLine }: ProgramExit): string {
  const { message } = readLogLine(lastLine);
  return exitStatus === EXIT_USAGE
    ? `modelProcessing in settings.js is invalid: ${message}`
    : `it could not start with the data folder ${dataDir}: ${message}`;
}

/** Returns how the program exited, with its last line, for the log. */
export function describeExit({ exitStatus, lastLine }: ProgramExit): string {
  const cause = exitStatus === undefined ? 'no exit status' : `exit status ${exitStatus}`;
  return lastLine ? `${cause}, last line: ${readLogLine(lastLine).message}` : cause;
}
