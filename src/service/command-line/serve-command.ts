import path from 'node:path';
import { type AddressFilter, isLoopback, parseAddressFilter } from '../callbacks/address-filter.js';
import { LISTEN } from '../defaults.js';
import { createFaultPlan, type FaultPlan } from '../fault-injection/fault-plan.js';
import type { RunningService } from '../running-service.js';
import { serve } from '../serve.js';
import { StartError } from '../start-error.js';
import { DATABASE_OPTIONS, hideArguments, readDatabaseOptions } from './database-options.js';
import { defaultDataFolder } from './default-data-folder.js';
import { type OptionTable, type ParsedOptions, parseOptions, readInteger } from './parse-options.js';
import {
  API_OPTIONS,
  ONE_MACHINE_OPTIONS,
  refuseForApi,
  refuseForOneMachine,
  WORKER_OPTIONS,
} from './refuse-options.js';
import { runUntilStopped } from './run-until-stopped.js';
import {
  DAY_MS,
  readCallbackSecret,
  readOptionFile,
  readServiceOptions,
  refusePositionals,
  SERVICE_OPTIONS,
} from './service-options.js';
import { writeText } from './write-text.js';

const MAX_QUEUED = 10_000_000;
const DRAIN_DELAY_S = 5;

const OPTIONS: OptionTable = {
  ...SERVICE_OPTIONS,
  ...DATABASE_OPTIONS,
  ...ONE_MACHINE_OPTIONS,
  ...API_OPTIONS,
  ...WORKER_OPTIONS, // to say where they belong
};

/**
 * Reads `--fault`: a file, or `header` to accept faults from request headers. Throws `USAGE` if the service does not
 * listen on loopback.
 */
async function readFaultOption(option: string | undefined, host: string): Promise<FaultPlan | undefined> {
  if (option === undefined) return undefined;
  if (host !== 'localhost' && !isLoopback(host)) {
    throw new StartError('USAGE', '--fault requires a loopback --host, such as 127.0.0.1.');
  }
  if (option === 'header') return createFaultPlan([]);
  const createError = (reason: string): Error => new StartError('USAGE', `Invalid --fault "${option}": ${reason}.`);
  const { parseFaults } = await import('../fault-injection/parse-faults.js');
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

/** Returns whether to serve the page: `--web`, but never to a program that started the service. Throws `USAGE`. */
function readWebOption({ stringValues, flags }: ParsedOptions): boolean {
  const text = stringValues.get('web') ?? 'on';
  if (text !== 'on' && text !== 'off') throw new StartError('USAGE', `Invalid --web "${text}": expected on or off.`);
  return text === 'on' && !flags.has('parent-pipe');
}

async function readServeOptions(options: ParsedOptions) {
  const { stringValues } = options;
  const service = readServiceOptions(options, LISTEN);
  const maxQueuedPerUser = readInteger(options, 'queue-per-user', 1, MAX_QUEUED);
  const maxQueued = readInteger(options, 'queue-total', 1, MAX_QUEUED);
  const sessionDays = readInteger(options, 'session-days', 1, 3650);
  return {
    ...service,
    isTrustedProxy: parseTrustedProxies(stringValues.get('trusted-proxies')),
    metricsPort: readInteger(options, 'metrics-port', 0, 65_535),
    publicUrl: parsePublicUrl(stringValues.get('public-url')),
    hasWebPage: readWebOption(options),
    faults: await readFaultOption(stringValues.get('fault'), service.host),
    limits: {
      ...service.limits,
      ...(maxQueuedPerUser !== undefined && { maxQueuedPerUser }),
      ...(maxQueued !== undefined && { maxQueued }),
      ...(sessionDays !== undefined && { maxSessionMs: sessionDays * DAY_MS }),
    },
  };
}

/** Resolves with a function that starts a service on one machine. Throws `USAGE`. */
async function createLocalStart(options: ParsedOptions): Promise<() => Promise<RunningService>> {
  refuseForOneMachine(options);
  const serveOptions = { ...(await readServeOptions(options)), signCallback: readCallbackSecret(options) };
  const folder = options.stringValues.get('data') ?? defaultDataFolder();
  return () => serve({ ...serveOptions, dataFolder: path.resolve(folder) });
}

/** Prints a link that signs an owner in, once, if stderr is a terminal: nobody else should see it in a log. */
async function printSignInLink({ baseUrl, createSignInCode }: RunningService, publicUrl = baseUrl): Promise<void> {
  if (!process.stderr.isTTY || !createSignInCode) return;
  const code = await createSignInCode().catch(() => undefined); // a full disk: sign in with the password
  if (code === undefined) return;
  await writeText(process.stderr, `Sign in within 10 minutes: ${publicUrl}/#code=${code}\n`).catch(() => undefined);
}

/** Reads the options. Resolves with a function that starts the service: on one machine, or as one API process of many. */
async function createStart(options: ParsedOptions): Promise<(signal: AbortSignal) => Promise<RunningService>> {
  refusePositionals(options);
  const database = readDatabaseOptions(options);
  if (!database) return createLocalStart(options);
  refuseForApi(options);
  const serveOptions = await readServeOptions(options);
  const drainDelayMs = (readInteger(options, 'drain-delay', 0, 3600) ?? DRAIN_DELAY_S) * 1000;
  return async (signal) => {
    const { serveApi } = await import('../database-mode/database-mode.js');
    hideArguments('serve');
    return serveApi({ ...serveOptions, ...database, drainDelayMs, signal });
  };
}

/**
 * Runs `model-processing serve` until a stop is requested. Prints the base URL as the only line on stdout. Resolves
 * with the exit status; throws `StartError` if the service cannot start.
 */
export async function serveCommand(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, OPTIONS, process.env);
  const publicUrl = parsePublicUrl(options.stringValues.get('public-url'));
  const onStarted = (service: RunningService): Promise<void> => printSignInLink(service, publicUrl);
  return runUntilStopped(await createStart(options), options.flags.has('parent-pipe'), onStarted);
}
