import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type CallbackSource,
  type Client,
  ClientError,
  type ClientLimits,
  type ClientOptions,
  createClient,
  createPollScheduler,
  createTokenSource,
} from '../../../../src/client/index.js';
import type { FakeService } from '../../../helpers/fake-service.js';
import { InstantClock } from '../../../helpers/instant-clock.js';
import { reset } from '../../../helpers/socket-faults.js';
import { nextTurn } from '../../../helpers/unhandled-errors.js';

/**
 * The service and the files of the calls. `file` contains `bytes`; `folder` is for downloads, `tempDir` for uploads.
 */
export interface TestEnvironment {
  service: FakeService;
  folder: string;
  tempDir: string;
  file: string;
  bytes: Buffer;
  limits: Partial<ClientLimits>;
}

/** The subject of one run. `run` calls what is tested; `close` can be called at any time. */
export interface Subject {
  run(signal: AbortSignal): Promise<unknown>;
  close(): void | Promise<void>;
}

/** The timeout of a wait, in simulated time. */
const WAIT_MS = 5_000;

/**
 * A variant of a public call. `of` is the name of the exported function or method; `isPrepared`: `open` sends requests.
 */
interface PublicCall {
  of: string;
  name: string;
  open: (environment: TestEnvironment) => Subject | Promise<Subject>;
  isPrepared?: true;
}

/** All public calls of the client, with their variants. */
export const EVERY_CALL: readonly PublicCall[] = [
  { of: 'upload', name: 'an upload of a path', open: uploadOf(({ file }) => ({ path: file })) },
  { of: 'upload', name: 'an upload of bytes', open: uploadOf(({ bytes }) => ({ data: bytes, filename: 'a.stl' })) },
  { of: 'upload', name: 'an upload of a stream of known size', open: uploadOf(streamOf(true)) },
  { of: 'upload', name: 'an upload of a stream of unknown size', open: uploadOf(streamOf(false)) },
  { of: 'upload', name: 'uploads that wait for a connection', open: uploadsInARow },
  { of: 'start', name: 'a start', open: callOf((client, signal) => client.start('repair', parameters(), { signal })) },
  {
    of: 'start',
    name: 'a start that may be repeated',
    open: callOf((client, signal) => client.start('repair', parameters(), { signal }), { repeatStarts: true }),
  },
  { of: 'status', name: 'a status', open: operationCallOf((client, id, signal) => client.status(id, { signal })) },
  { of: 'status', name: 'a status with a revoked token', open: statusWithStaleToken, isPrepared: true },
  { of: 'result', name: 'a result', open: resultOf },
  {
    of: 'wait',
    name: 'a wait',
    open: operationCallOf((client, id, signal) => client.wait(id, 'repair', { signal, timeoutMs: WAIT_MS })),
  },
  {
    of: 'wait',
    name: 'a wait with callbacks',
    open: operationCallOf((client, id, signal) =>
      client.wait(id, 'repair', { signal, timeoutMs: WAIT_MS, callbacks: callbacks() }),
    ),
  },
  { of: 'download', name: 'a download to a Buffer', open: downloadTo(() => ({ to: 'buffer' })) },
  { of: 'download', name: 'a download to a file', open: downloadTo(({ folder }) => ({ to: 'file', folder })) },
  { of: 'download', name: 'a download that continues after a lost connection', open: brokenDownload },
  { of: 'describe', name: 'a description', open: callOf((client, signal) => client.describe({ signal })) },
  { of: 'close', name: 'a close', open: closing },
  { of: 'token', name: 'a token by password, for three concurrent callers', open: tokenByPassword },
  { of: 'token', name: 'a token by refresh token', open: tokenByRefresh, isPrepared: true },
  { of: 'token', name: 'a renewal in the background', open: tokenInBackground, isPrepared: true },
  { of: 'add', name: 'polls of a scheduler that clients share', open: sharedScheduler },
];

function clientOf({ service, tempDir, limits }: TestEnvironment, more: Partial<ClientOptions> = {}): Client {
  const { account } = service;
  const options = { account: () => Promise.resolve(account), tempDir, limits, ...new InstantClock(), ...more };
  return createClient(options);
}

function callOf(
  run: (client: Client, signal: AbortSignal, environment: TestEnvironment) => Promise<unknown>,
  more = {},
) {
  return (environment: TestEnvironment): Subject => {
    const client = clientOf(environment, more);
    return { run: (signal) => run(client, signal, environment), close: () => client.close() };
  };
}

function uploadOf(source: (environment: TestEnvironment) => Parameters<Client['upload']>[0]) {
  return callOf((client, signal, environment) =>
    client.upload(source(environment), { signal, onProgress: () => undefined }),
  );
}

function streamOf(isSizeKnown: boolean) {
  return ({ bytes }: TestEnvironment) => {
    const stream = Readable.from(slowly([bytes.subarray(0, 1000), bytes.subarray(1000)]));
    return { stream, filename: 'a.stl', ...(isSizeKnown && { size: bytes.length }) };
  };
}

/** Yields each chunk in a later tick than it was requested, like a disk. */
async function* slowly(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await nextTurn();
    yield chunk;
  }
}

function uploadsInARow(environment: TestEnvironment): Subject {
  const limits = { ...environment.limits, bulkSockets: 1 };
  return callOf((client, signal, { bytes }) => {
    const source = { data: bytes.subarray(0, 10), filename: 'a.stl' };
    return all([client.upload(source, { signal }), client.upload(source), client.upload(source, { signal })]);
  })({ ...environment, limits });
}

function operationCallOf(run: (client: Client, operationId: string, signal: AbortSignal) => Promise<unknown>) {
  return callOf((client, signal, { service }) => run(client, service.addOperation('repair', { pollsLeft: 3 }), signal));
}

function resultOf(environment: TestEnvironment): Subject {
  const operationId = environment.service.addOperation('repair', { pollsLeft: 0 });
  return callOf((client, signal) => client.result(operationId, 'repair', { signal }))(environment);
}

async function statusWithStaleToken(environment: TestEnvironment): Promise<Subject> {
  const client = clientOf(environment);
  const operationId = environment.service.addOperation('repair');
  await client.status(operationId);
  environment.service.revokeTokens();
  return { run: (signal) => client.status(operationId, { signal }), close: () => client.close() };
}

function downloadTo(target: (environment: TestEnvironment) => Parameters<Client['download']>[1]) {
  return callOf((client, signal, environment) =>
    client.download(environment.service.addFile(environment.bytes, { etag: '"v1"' }), target(environment), { signal }),
  );
}

function brokenDownload(environment: TestEnvironment): Subject {
  const half = environment.bytes.subarray(0, environment.bytes.length >> 1);
  environment.service.fault('GET', /operation\/file\//, (request, reply) => {
    reply.writeHead(200, { 'Content-Length': environment.bytes.length, ETag: '"v1"' });
    reply.write(half, () => void reset(request, reply));
  });
  return downloadTo(({ folder }) => ({ to: 'file', folder }))(environment);
}

/** Closes the client while calls of all kinds are running. */
function closing(environment: TestEnvironment): Subject {
  return callOf(async (client, signal, { service, bytes, folder }) => {
    await ignoreClientError(client.status(service.addOperation('repair'), { signal }));
    const operationId = service.addOperation('repair', { pollsLeft: 3 });
    const calls = [
      client.upload({ data: bytes, filename: 'a.stl' }, { signal }),
      client.start('repair', parameters(), { signal }),
      client.wait(operationId, 'repair', { signal, timeoutMs: WAIT_MS }),
      client.download(service.addFile(bytes), { to: 'file', folder }, { signal }),
    ].map(ignoreClientError);
    await nextTurn();
    await all([...calls, client.close()]);
  })(environment);
}

function tokenSourceOf({ service, limits }: TestEnvironment) {
  const clock = new InstantClock();
  return { clock, source: createTokenSource(service.account, { limits, ...clock, now: () => clock.time }) };
}

function tokenByPassword(environment: TestEnvironment): Subject {
  const { source } = tokenSourceOf(environment);
  source.pause(10);
  return {
    run: (signal) => all([source.token({ signal }), source.token({ signal }), source.token()]),
    close: () => source.close(),
  };
}

async function tokenByRefresh(environment: TestEnvironment): Promise<Subject> {
  const { source } = tokenSourceOf(environment);
  const staleToken = await source.token();
  return { run: (signal) => source.token({ signal, staleToken }), close: () => source.close() };
}

async function tokenInBackground(environment: TestEnvironment): Promise<Subject> {
  const { source, clock } = tokenSourceOf(environment);
  const previous = await source.token();
  // The last two minutes of 900 s, in which the renewal runs in the background.
  clock.time += 800_000;
  const untilRenewed = async (signal: AbortSignal) => {
    for (let count = 0; count < 200 && (await source.token({ signal })) === previous; count += 1) await clock.sleep(0);
  };
  return { run: untilRenewed, close: () => source.close() };
}

function sharedScheduler(environment: TestEnvironment): Subject {
  const clock = new InstantClock();
  const scheduler = createPollScheduler({ limits: environment.limits, ...clock });
  const clients = [1, 2].map(() => clientOf(environment, { pollScheduler: scheduler, ...clock }));
  const wait = (client: Client, signal: AbortSignal) =>
    client.wait(environment.service.addOperation('repair'), 'repair', { signal, timeoutMs: WAIT_MS });
  return {
    run: (signal) => all(clients.map((client) => wait(client, signal))),
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
      scheduler.close();
    },
  };
}

/** Delivers one callback immediately, before the completion, and another after 1 ms. */
function callbacks(): CallbackSource {
  return {
    isExpected: () => true,
    listen: (onCallback) => {
      onCallback();
      const timer = setTimeout(onCallback, 1);
      return () => clearTimeout(timer);
    },
  };
}

function parameters() {
  return { inputId: randomUUID() };
}

/** Waits for a call and ignores a `ClientError`. */
async function ignoreClientError(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ClientError)) throw error;
  });
}

/** Waits for all calls, then throws the first error. */
async function all(calls: Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(calls)) if (outcome.status === 'rejected') throw outcome.reason;
}
