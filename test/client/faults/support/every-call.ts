import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { type CallbackSource, type Client, ClientError, createPollScheduler } from '../../../../src/client/index.js';
import { InstantClock } from '../../../helpers/instant-clock.js';
import { nextTurn } from '../../../helpers/next-turn.js';
import { all, callOf, clientOf, type Subject, type TestEnvironment } from './call-of.js';
import { tokenByPassword, tokenByRefresh, tokenInBackground } from './token-calls.js';
import { brokenDownload, downloadTo, streamOf, uploadOf, uploadsInARow } from './transfer-calls.js';

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
  {
    of: 'start',
    name: 'a start with an idempotency key',
    open: callOf((client, signal) => client.start('repair', parameters(), { signal }), { idempotencyKeys: true }),
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
  {
    of: 'cancel',
    name: 'a cancellation',
    open: operationCallOf((client, id, signal) => client.cancel(id, { signal })),
  },
  { of: 'remove', name: 'a removal', open: removalOf },
  { of: 'list', name: 'a list of several pages', open: listOf },
  { of: 'download', name: 'a download to a Buffer', open: downloadTo(() => ({ to: 'buffer' })) },
  { of: 'download', name: 'a download to a file', open: downloadTo(({ folder }) => ({ to: 'file', folder })) },
  { of: 'download', name: 'a download to a stream', open: downloadTo(() => ({ to: 'stream', stream: sink() })) },
  { of: 'download', name: 'a download that continues after a lost connection', open: brokenDownload },
  { of: 'describe', name: 'a description', open: callOf((client, signal) => client.describe({ signal })) },
  {
    of: 'importExtensions',
    name: 'a list of extensions',
    open: callOf((client, signal) => client.importExtensions({ signal })),
  },
  {
    of: 'operationNames',
    name: 'a list of operations',
    open: callOf((client, signal) => client.operationNames({ signal })),
  },
  { of: 'close', name: 'a close', open: closing },
  { of: 'token', name: 'a token by password, for three concurrent callers', open: tokenByPassword },
  { of: 'token', name: 'a token by refresh token', open: tokenByRefresh, isPrepared: true },
  { of: 'token', name: 'a renewal in the background', open: tokenInBackground, isPrepared: true },
  { of: 'add', name: 'polls of a scheduler that clients share', open: sharedScheduler },
];

function sink(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

function operationCallOf(run: (client: Client, operationId: string, signal: AbortSignal) => Promise<unknown>) {
  return callOf((client, signal, { service }) => run(client, service.addOperation('repair', { pollsLeft: 3 }), signal));
}

function resultOf(environment: TestEnvironment): Subject {
  const operationId = environment.service.addOperation('repair', { pollsLeft: 0 });
  return callOf((client, signal) => client.result(operationId, 'repair', { signal }))(environment);
}

function removalOf(environment: TestEnvironment): Subject {
  const fileId = environment.service.addFile(environment.bytes);
  return callOf((client, signal) => client.remove(fileId, { signal }))(environment);
}

function listOf(environment: TestEnvironment): Subject {
  for (let count = 0; count < 5; count++) environment.service.addOperation('repair', { pollsLeft: 0 });
  return callOf(async (client, signal) => {
    for await (const { isCompleted } of client.list('operations', { pageSize: 2, signal })) if (!isCompleted) return;
  })(environment);
}

async function statusWithStaleToken(environment: TestEnvironment): Promise<Subject> {
  const client = clientOf(environment);
  const operationId = environment.service.addOperation('repair');
  await client.status(operationId);
  environment.service.revokeTokens();
  return { run: (signal) => client.status(operationId, { signal }), close: () => client.close() };
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
