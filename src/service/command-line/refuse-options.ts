import { StartError } from '../start-error.js';
import type { OptionTable, ParsedOptions } from './parse-options.js';

/** The options of `worker` that `serve` does not have on one machine either. */
export const WORKER_OPTIONS = {
  scratch: { type: 'string', isPath: true },
  'scratch-size': { type: 'string' },
  drain: { type: 'string' },
} as const satisfies OptionTable;

/** The options of `serve` that concern the API only. */
export const API_OPTIONS = {
  'drain-delay': { type: 'string' },
  'metrics-port': { type: 'string' },
  'queue-per-user': { type: 'string' },
  'queue-total': { type: 'string' },
  'session-days': { type: 'string' },
  'trusted-proxies': { type: 'string' },
  'public-url': { type: 'string' },
  'parent-pipe': { type: 'boolean' },
  web: { type: 'string' },
} as const satisfies OptionTable;

/** The options of a service on one machine. */
export const ONE_MACHINE_OPTIONS = {
  data: { type: 'string', isPath: true },
  fault: { type: 'string', isPath: true },
} as const satisfies OptionTable;

/** The options of `serve` on one machine that `worker` has on many. */
const OPERATION_OPTIONS = [
  'workers',
  'memory',
  'cache',
  'sandbox',
  'callbacks',
  'callback-secret-file',
  'keep-days',
  'scrub-days',
];

/**
 * Throws `USAGE` if the command line sets one of these options. Variables of the environment are ignored, so that `serve`
 * and `worker` can share one.
 */
function refuse({ argumentNames }: ParsedOptions, names: readonly string[], command: string, remedy: string): void {
  const name = names.find((candidate) => argumentNames.has(candidate));
  if (name !== undefined) throw new StartError('USAGE', `Option --${name} is not valid for ${command}: ${remedy}.`);
}

/** Throws `USAGE` if a service on one machine gets an option of many. */
export function refuseForOneMachine(options: ParsedOptions): void {
  refuse(options, Object.keys(WORKER_OPTIONS), 'serve', 'set it for worker');
  refuse(options, ['drain-delay'], 'serve', 'it is for a service on many machines, with --database-url');
}

/** Throws `USAGE` if an API process of many machines gets an option that has no effect there. */
export function refuseForApi(options: ParsedOptions): void {
  const command = 'serve with --database-url';
  const remedy = 'set it for worker, which runs the operations';
  refuse(options, [...OPERATION_OPTIONS, ...Object.keys(WORKER_OPTIONS)], command, remedy);
  if (options.stringValues.has('data')) {
    throw new StartError('USAGE', 'Set only one of --data and --database-url (or its environment variable).');
  }
  if (options.stringValues.has('fault')) {
    const reason = 'faults are for testing flows with a service on one machine';
    throw new StartError('USAGE', `Option --fault is not valid for ${command}: ${reason}.`);
  }
  refuse(options, Object.keys(ONE_MACHINE_OPTIONS), command, 'it is for a service on one machine');
}

/** Throws `USAGE` if a worker gets an option that has no effect there. */
export function refuseForWorker(options: ParsedOptions): void {
  refuse(options, Object.keys(API_OPTIONS), 'worker', 'set it for serve');
  refuse(options, Object.keys(ONE_MACHINE_OPTIONS), 'worker', 'it is for a service on one machine');
}
