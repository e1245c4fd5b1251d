import { readFileSync } from 'node:fs';
import { parseAddressFilter } from '../callbacks/address-filter.js';
import { createSigner, type Signer } from '../callbacks/create-signer.js';
import { JOB_MEMORY, MIN_QUOTA_BYTES } from '../defaults.js';
import type { SandboxMode } from '../kernel/sandbox/open-sandbox.js';
import { createLogger, type Logger } from '../logger.js';
import { StartError } from '../start-error.js';
import { type OptionTable, type ParsedOptions, readByteSize, readInteger } from './parse-options.js';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** The options that `serve` and `worker` have in common. */
export const SERVICE_OPTIONS = {
  host: { type: 'string' },
  port: { type: 'string' },
  workers: { type: 'string' },
  memory: { type: 'string' },
  'keep-days': { type: 'string' },
  'scrub-days': { type: 'string' },
  'disk-quota': { type: 'string' },
  'user-quota': { type: 'string' },
  callbacks: { type: 'string' },
  'callback-secret-file': { type: 'string', isPath: true },
  'max-connections': { type: 'string' },
  'metrics-token': { type: 'string' },
  'metrics-token-file': { type: 'string', isPath: true },
  cache: { type: 'string' },
  sandbox: { type: 'string' },
  'log-level': { type: 'string' },
} as const satisfies OptionTable;

const LEVELS = ['debug', 'info', 'warn', 'error'];

/** Reads the file that an option names. Throws `USAGE`. */
export function readOptionFile(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StartError('USAGE', `Could not read ${file} for --${option}. Check the path and the permissions.`, {
      cause,
    });
  }
}

/**
 * Returns the signer of callbacks, for a process that sends some. Reads its secret from a file, since other users could read
 * an argument in the process list. Throws `USAGE`.
 */
export function readCallbackSecret({ stringValues }: ParsedOptions): Signer | undefined {
  const file = stringValues.get('callback-secret-file');
  return file === undefined ? undefined : createSigner(readOptionFile('callback-secret-file', file));
}

/**
 * Returns the value of `--metrics-token` or the content of `--metrics-token-file`. Throws `USAGE`, without the token in
 * the message.
 */
function readMetricsToken({ stringValues }: ParsedOptions): string | undefined {
  const file = stringValues.get('metrics-token-file');
  const text = stringValues.get('metrics-token');
  if (file !== undefined && text !== undefined) {
    throw new StartError(
      'USAGE',
      'Set only one of --metrics-token and --metrics-token-file (or its environment variable).',
    );
  }
  const token = file === undefined ? text : readOptionFile('metrics-token-file', file).trim();
  if (token === undefined || /^[\x21-\x7e]{16,}$/.test(token)) return token;
  throw new StartError('USAGE', 'Invalid metrics token: expected at least 16 visible ASCII characters without spaces.');
}

/** Returns whether `--cache` is on. Throws `USAGE`. */
function parseCacheOption(text = 'on'): boolean {
  if (text !== 'on' && text !== 'off') throw new StartError('USAGE', `Invalid --cache "${text}": expected on or off.`);
  return text === 'on';
}

/** Returns `--sandbox`. Throws `USAGE`. */
function parseSandboxOption(text = 'auto'): SandboxMode {
  if (text === 'auto' || text === 'on' || text === 'off') return text;
  throw new StartError('USAGE', `Invalid --sandbox "${text}": expected auto, on or off.`);
}

function readLogger({ stringValues }: ParsedOptions): Logger {
  const level = stringValues.get('log-level') ?? 'info';
  if (LEVELS.includes(level)) return createLogger(level);
  throw new StartError('USAGE', `Invalid --log-level "${level}": expected one of ${LEVELS.join(', ')}.`);
}

/** Throws `USAGE` if there are positional arguments. */
export function refusePositionals({ positionals: [unexpected] }: ParsedOptions): void {
  if (unexpected !== undefined) throw new StartError('USAGE', `Unexpected argument "${unexpected}". See --help.`);
}

/** Reads the options that `serve` and `worker` have in common. Throws `USAGE`. */
export function readServiceOptions(options: ParsedOptions, defaults: { host: string; port: number }) {
  const { stringValues } = options;
  const workers = readInteger(options, 'workers', 1, 256);
  const jobMemoryBytes = readByteSize(options, 'memory', JOB_MEMORY.minBytes);
  const keepDays = readInteger(options, 'keep-days', 1, 36_500);
  const scrubDays = readInteger(options, 'scrub-days', 0, 36_500);
  const maxConnections = readInteger(options, 'max-connections', 1, 100_000);
  return {
    host: stringValues.get('host') ?? defaults.host,
    port: readInteger(options, 'port', 0, 65_535) ?? defaults.port,
    isCallbackAllowed: parseAddressFilter(stringValues.get('callbacks') ?? 'public'),
    metricsToken: readMetricsToken(options),
    usesResultCache: parseCacheOption(stringValues.get('cache')),
    sandbox: parseSandboxOption(stringValues.get('sandbox')),
    logger: readLogger(options),
    plan: { ...(workers !== undefined && { workers }), ...(jobMemoryBytes !== undefined && { jobMemoryBytes }) },
    quotaBytes: readByteSize(options, 'disk-quota', MIN_QUOTA_BYTES),
    userQuotaBytes: readByteSize(options, 'user-quota', MIN_QUOTA_BYTES),
    limits: {
      ...(keepDays !== undefined && { retentionMs: keepDays * DAY_MS }),
      ...(scrubDays !== undefined && { scrubPassMs: scrubDays * DAY_MS }),
      ...(maxConnections !== undefined && { maxConnections }),
    },
  };
}
