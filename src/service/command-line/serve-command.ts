import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type AddressFilter, parseAddressFilter } from '../callbacks/address-filter.js';
import { createSigner, type Signer } from '../callbacks/create-signer.js';
import { JOB_MEMORY, LISTEN, MIN_QUOTA_BYTES } from '../defaults.js';
import { createFaultPlan, type FaultPlan } from '../fault-injection/fault-plan.js';
import { parseFaults } from '../fault-injection/parse-faults.js';
import { createLogger } from '../logger.js';
import { serve } from '../serve.js';
import { StartError } from '../start-error.js';
import { defaultDataFolder } from './default-data-folder.js';
import { type OptionTable, type ParsedOptions, parseOptions, readByteSize, readInteger } from './parse-options.js';
import { writeText } from './write-text.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_QUEUED = 10_000_000;

const OPTIONS: OptionTable = {
  host: { type: 'string' },
  port: { type: 'string' },
  data: { type: 'string', isPath: true },
  workers: { type: 'string' },
  memory: { type: 'string' },
  'keep-days': { type: 'string' },
  'disk-quota': { type: 'string' },
  'user-quota': { type: 'string' },
  'scrub-days': { type: 'string' },
  'queue-per-user': { type: 'string' },
  'queue-total': { type: 'string' },
  callbacks: { type: 'string' },
  'callback-secret-file': { type: 'string', isPath: true },
  'trusted-proxies': { type: 'string' },
  'public-url': { type: 'string' },
  'max-connections': { type: 'string' },
  'metrics-token': { type: 'string' },
  'metrics-token-file': { type: 'string', isPath: true },
  cache: { type: 'string' },
  fault: { type: 'string', isPath: true },
  'log-level': { type: 'string' },
  'parent-pipe': { type: 'boolean' },
};

const LEVELS = ['debug', 'info', 'warn', 'error'];

function readOptionFile(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StartError('USAGE', `Could not read ${file} for --${option}. Check the path and the permissions.`, {
      cause,
    });
  }
}

/** Reads the secret from a file, since other users could read an argument in the process list. */
function readCallbackSecret(file: string | undefined): Signer | undefined {
  return file === undefined ? undefined : createSigner(readOptionFile('callback-secret-file', file));
}

const isLoopback = parseAddressFilter('loopback');

/**
 * Reads `--fault`: a file, or `header` to accept faults from request headers. Throws `USAGE` if the service does not
 * listen on loopback.
 */
function readFaultOption(option: string | undefined, host: string): FaultPlan | undefined {
  if (option === undefined) return undefined;
  if (host !== 'localhost' && !isLoopback(host)) {
    throw new StartError('USAGE', '--fault requires a loopback --host, such as 127.0.0.1.');
  }
  if (option === 'header') return createFaultPlan([]);
  const createError = (reason: string): Error => new StartError('USAGE', `Invalid --fault "${option}": ${reason}.`);
  return createFaultPlan(parseFaults(readOptionFile('fault', option), createError));
}

/**
 * Returns `--public-url` without the slash at its end. Throws `USAGE`, without the URL in the message, which could contain
 * a password.
 */
function parsePublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isValid = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (isValid) return url.href.replace(/\/+$/, '');
  throw new StartError('USAGE', 'Invalid --public-url: expected a URL such as https://models.example.com.');
}

/** Returns the filter of `--trusted-proxies`. Throws `USAGE`. */
function parseTrustedProxies(text: string | undefined): AddressFilter | undefined {
  if (text === undefined) return undefined;
  if (!/\bpublic\b|\/0\b/i.test(text)) return parseAddressFilter(text, 'trusted-proxies');
  const expected = 'expected the addresses of your proxies, such as loopback or 172.18.0.0/16';
  throw new StartError('USAGE', `Invalid --trusted-proxies "${text}": ${expected}.`);
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

function readServeOptions(args: readonly string[]) {
  const options = parseOptions(args, OPTIONS, process.env);
  const [unexpected] = options.positionals;
  if (unexpected !== undefined) throw new StartError('USAGE', `Unexpected argument "${unexpected}". See --help.`);
  const level = options.stringValues.get('log-level') ?? 'info';
  if (!LEVELS.includes(level)) {
    throw new StartError('USAGE', `Invalid --log-level "${level}": expected one of ${LEVELS.join(', ')}.`);
  }
  const workers = readInteger(options, 'workers', 1, 256);
  const jobMemoryBytes = readByteSize(options, 'memory', JOB_MEMORY.minBytes);
  const host = options.stringValues.get('host') ?? LISTEN.host;
  const keepDays = readInteger(options, 'keep-days', 1, 36_500);
  const maxConnections = readInteger(options, 'max-connections', 1, 100_000);
  const scrubDays = readInteger(options, 'scrub-days', 0, 36_500);
  const maxQueuedPerUser = readInteger(options, 'queue-per-user', 1, MAX_QUEUED);
  const maxQueued = readInteger(options, 'queue-total', 1, MAX_QUEUED);
  return {
    hasParentPipe: options.flags.has('parent-pipe'),
    serveOptions: {
      host,
      port: readInteger(options, 'port', 0, 65_535) ?? LISTEN.port,
      dataFolder: path.resolve(options.stringValues.get('data') ?? defaultDataFolder()),
      isCallbackAllowed: parseAddressFilter(options.stringValues.get('callbacks') ?? 'public'),
      isTrustedProxy: parseTrustedProxies(options.stringValues.get('trusted-proxies')),
      publicUrl: parsePublicUrl(options.stringValues.get('public-url')),
      metricsToken: readMetricsToken(options),
      usesResultCache: parseCacheOption(options.stringValues.get('cache')),
      faults: readFaultOption(options.stringValues.get('fault'), host),
      signCallback: readCallbackSecret(options.stringValues.get('callback-secret-file')),
      logger: createLogger(level),
      plan: { ...(workers !== undefined && { workers }), ...(jobMemoryBytes !== undefined && { jobMemoryBytes }) },
      quotaBytes: readByteSize(options, 'disk-quota', MIN_QUOTA_BYTES),
      userQuotaBytes: readByteSize(options, 'user-quota', MIN_QUOTA_BYTES),
      limits: {
        ...(keepDays !== undefined && { retentionMs: keepDays * DAY_MS }),
        ...(maxConnections !== undefined && { maxConnections }),
        ...(scrubDays !== undefined && { scrubPassMs: scrubDays * DAY_MS }),
        ...(maxQueuedPerUser !== undefined && { maxQueuedPerUser }),
        ...(maxQueued !== undefined && { maxQueued }),
      },
    },
  };
}

/** Resolves on SIGTERM or SIGINT or, with `--parent-pipe`, when stdin is closed because the parent ended. */
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
 * Runs `model-processing serve` until a stop is requested. Prints the base URL as the only line on stdout. Resolves
 * with the exit status; throws `StartError` if the service cannot start.
 */
export async function serveCommand(args: readonly string[]): Promise<number> {
  const { hasParentPipe, serveOptions } = readServeOptions(args);
  process.umask(0o077); // also for kernel processes: all that they write belongs to the owner
  const stop = waitForStop(hasParentPipe); // registered first: a stop may be requested during the start
  const service = await serve(serveOptions);
  writeText(process.stdout, `${service.baseUrl}\n`).catch(() => undefined); // the reader of stdout may be gone
  await stop;
  await service.close();
  return 0;
}
