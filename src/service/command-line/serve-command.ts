import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAddressFilter } from '../callbacks/address-filter.js';
import { createSigner, type Signer } from '../callbacks/create-signer.js';
import { LISTEN } from '../defaults.js';
import { createFaultPlan, type FaultPlan } from '../fault-injection/fault-plan.js';
import { parseFaults } from '../fault-injection/parse-faults.js';
import { createLogger } from '../logger.js';
import { serve } from '../serve.js';
import { StartError } from '../start-error.js';
import { defaultDataFolder } from './default-data-folder.js';
import { type OptionTable, parseOptions, readByteSize, readInteger } from './parse-options.js';

const DAY_MS = 24 * 60 * 60 * 1000;
// A kernel process needs some 60 MiB before it holds a model.
const MIN_JOB_MEMORY = 128 * 1024 * 1024;
const MIN_QUOTA = 1024 * 1024;

const OPTIONS: OptionTable = {
  host: { type: 'string' },
  port: { type: 'string' },
  data: { type: 'string' },
  workers: { type: 'string' },
  memory: { type: 'string' },
  'keep-days': { type: 'string' },
  'disk-quota': { type: 'string' },
  callbacks: { type: 'string' },
  'callback-secret-file': { type: 'string' },
  cache: { type: 'string' },
  fault: { type: 'string' },
  'log-level': { type: 'string' },
  'parent-pipe': { type: 'boolean' },
};

const LEVELS = ['debug', 'info', 'warn', 'error'];

function readOptionFile(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StartError('USAGE', `--${option}: ${file} cannot be read`, { cause });
  }
}

/** The secret stands in a file and is no argument: others could see it in the list of processes. */
function readCallbackSecret(file: string | undefined): Signer | undefined {
  return file === undefined ? undefined : createSigner(readOptionFile('callback-secret-file', file));
}

const isLoopback = parseAddressFilter('loopback');

/** What `--fault` says: a file, or only that requests may bring faults along. A service that others reach does not go wrong on purpose. */
function readFaultOption(option: string | undefined, host: string): FaultPlan | undefined {
  if (option === undefined) return undefined;
  if (host !== 'localhost' && !isLoopback(host)) {
    throw new StartError('USAGE', '--fault is for tests on one machine: it goes with a --host of loopback only');
  }
  if (option === 'header') return createFaultPlan([]);
  const refuse = (what: string): Error => new StartError('USAGE', `--fault: ${option}: ${what}`);
  return createFaultPlan(parseFaults(readOptionFile('fault', option), refuse));
}

/** Whether a repeated operation is answered with what was made before. */
function parseCacheOption(text = 'on'): boolean {
  if (text !== 'on' && text !== 'off') throw new StartError('USAGE', '--cache is on or off');
  return text === 'on';
}

function readServeOptions(args: readonly string[]) {
  const options = parseOptions(args, OPTIONS, process.env);
  const [unexpected] = options.positionals;
  if (unexpected !== undefined) throw new StartError('USAGE', `serve takes no "${unexpected}"`);
  const level = options.stringValues.get('log-level') ?? 'info';
  if (!LEVELS.includes(level)) throw new StartError('USAGE', `--log-level is one of ${LEVELS.join(', ')}`);
  const workers = readInteger(options, 'workers', 1, 256);
  const jobMemoryBytes = readByteSize(options, 'memory', MIN_JOB_MEMORY);
  const host = options.stringValues.get('host') ?? LISTEN.host;
  const keepDays = readInteger(options, 'keep-days', 1, 36_500);
  return {
    hasParentPipe: options.flags.has('parent-pipe'),
    serveOptions: {
      host,
      port: readInteger(options, 'port', 0, 65_535) ?? LISTEN.port,
      dataFolder: path.resolve(options.stringValues.get('data') ?? defaultDataFolder()),
      allowsCallback: parseAddressFilter(options.stringValues.get('callbacks') ?? 'public'),
      usesResultCache: parseCacheOption(options.stringValues.get('cache')),
      faults: readFaultOption(options.stringValues.get('fault'), host),
      signCallback: readCallbackSecret(options.stringValues.get('callback-secret-file')),
      logger: createLogger(level),
      plan: { ...(workers !== undefined && { workers }), ...(jobMemoryBytes !== undefined && { jobMemoryBytes }) },
      quotaBytes: readByteSize(options, 'disk-quota', MIN_QUOTA),
      limits: keepDays === undefined ? {} : { retentionMs: keepDays * DAY_MS },
    },
  };
}

/** Resolves when somebody wants the service to stop: by a signal, or by the end of its parent. */
function waitForStop(hasParentPipe: boolean): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve());
    process.on('SIGINT', () => resolve());
    if (!hasParentPipe) return;
    process.stdin.on('end', () => resolve());
    process.stdin.on('close', () => resolve());
    process.stdin.on('error', () => resolve());
    process.stdin.resume();
  });
}

/**
 * `model-processing serve`: runs the local service until it is told to stop. The first and only line on stdout is its base URL. Answers the exit
 * status; throws `StartError` where it cannot start.
 */
export async function serveCommand(args: readonly string[]): Promise<number> {
  const { hasParentPipe, serveOptions } = readServeOptions(args);
  const stop = waitForStop(hasParentPipe); // from now on: the order may come while it starts
  const service = await serve(serveOptions);
  process.stdout.on('error', () => undefined); // nobody reads it any more
  process.stdout.write(`${service.baseUrl}\n`);
  await stop;
  await service.close();
  return 0;
}
