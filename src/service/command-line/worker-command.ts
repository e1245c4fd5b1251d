import path from 'node:path';
import { StartError } from '../start-error.js';
import { DATABASE_OPTIONS, hideArguments, readDatabaseOptions } from './database-options.js';
import { type OptionTable, type ParsedOptions, parseOptions, readByteSize, readInteger } from './parse-options.js';
import { API_OPTIONS, ONE_MACHINE_OPTIONS, refuseForWorker, WORKER_OPTIONS } from './refuse-options.js';
import { runUntilStopped } from './run-until-stopped.js';
import { readCallbackSecret, readServiceOptions, refusePositionals, SERVICE_OPTIONS } from './service-options.js';

const GIB = 1024 ** 3;
const LISTEN = { host: '127.0.0.1', port: 8485 };
const SCRATCH = { defaultBytes: 10 * GIB, minBytes: GIB / 4 };
const DRAIN_S = 30;

const OPTIONS: OptionTable = {
  ...SERVICE_OPTIONS,
  ...DATABASE_OPTIONS,
  ...WORKER_OPTIONS,
  ...API_OPTIONS, // to say where they belong
  ...ONE_MACHINE_OPTIONS,
};

function readWorkerOptions(options: ParsedOptions) {
  refusePositionals(options);
  refuseForWorker(options);
  const data = readDatabaseOptions(options);
  if (!data) throw new StartError('USAGE', 'Missing --database-url: a worker runs the operations of a database.');
  const scratch = options.stringValues.get('scratch');
  if (scratch === undefined) {
    throw new StartError('USAGE', 'Missing --scratch: name a folder that only this worker uses. It is emptied.');
  }
  return {
    ...readServiceOptions(options, LISTEN),
    signCallback: readCallbackSecret(options),
    ...data,
    scratch: {
      folder: path.resolve(scratch),
      maxBytes: readByteSize(options, 'scratch-size', SCRATCH.minBytes) ?? SCRATCH.defaultBytes,
    },
    drainTimeoutMs: (readInteger(options, 'drain', 0, 86_400) ?? DRAIN_S) * 1000,
  };
}

/**
 * Runs `model-processing worker` until a stop is requested. Prints the URL of its health and metrics as the only line on
 * stdout. Resolves with the exit status; throws `StartError` if the worker cannot start.
 */
export function workerCommand(args: readonly string[]): Promise<number> {
  const options = readWorkerOptions(parseOptions(args, OPTIONS, process.env));
  return runUntilStopped(async (signal) => {
    hideArguments('worker');
    const { runWorker } = await import('../database-mode/database-mode.js');
    return runWorker({ ...options, signal });
  });
}
