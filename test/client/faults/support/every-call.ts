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
import { nextTurn } from '../../../helpers/unheard.js';

/** What the calls work with. `file` holds `bytes`; `folder` is for downloads, `tempDir` for what is kept while it is sent. */
export interface World {
  service: FakeService;
  folder: string;
  tempDir: string;
  file: string;
  bytes: Buffer;
  limits: Partial<ClientLimits>;
}

/** Something with calls, made anew for each run. `run` does what is tested; `close` ends it at any time. */
export interface Subject {
  run(signal: AbortSignal): Promise<unknown>;
  close(): void | Promise<void>;
}

/** Of time that passes at once. */
const REPAIR_MS = 5_000;

/** A way to make a public call. `of`: the name of what is public. `isPrepared`: requests go out before it is open. */
interface PublicCall {
  of: string;
  name: string;
  open: (world: World) => Subject | Promise<Subject>;
  isPrepared?: true;
}

/** Every public call of the client, each in the ways in which it differs. */
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
  { of: 'status', name: 'a status with a token that is no longer taken', open: statusWithStaleToken, isPrepared: true },
  { of: 'result', name: 'a result', open: resultOf },
  {
    of: 'wait',
    name: 'a wait',
    open: operationCallOf((client, id, signal) => client.wait(id, 'repair', { signal, timeoutMs: REPAIR_MS })),
  },
  {
    of: 'wait',
    name: 'a wait with callbacks',
    open: operationCallOf((client, id, signal) =>
      client.wait(id, 'repair', { signal, timeoutMs: REPAIR_MS, callbacks: callbacks() }),
    ),
  },
  { of: 'download', name: 'a download to a Buffer', open: downloadTo(() => ({ to: 'buffer' })) },
  { of: 'download', name: 'a download to a file', open: downloadTo(({ folder }) => ({ to: 'file', folder })) },
  { of: 'download', name: 'a download that goes on where it broke off', open: brokenDownload },
  { of: 'describe', name: 'a description', open: callOf((client, signal) => client.describe({ signal })) },
  { of: 'close', name: 'a close', open: closing },
  { of: 'token', name: 'a token by password, for three at once', open: tokenByPassword },
  { of: 'token', name: 'a token by refresh token', open: tokenByRefresh, isPrepared: true },
  { of: 'token', name: 'a renewal in the background', open: tokenInBackground, isPrepared: true },
  { of: 'add', name: 'jobs of a scheduler that clients share', open: sharedScheduler },
];

function clientOf({ service, tempDir, limits }: World, more: Partial<ClientOptions> = {}): Client {
  const { account } = service;
  const options = { account: () => Promise.resolve(account), tempDir, limits, ...new InstantClock(), ...more };
  return createClient(options);
}

function callOf(run: (client: Client, signal: AbortSignal, world: World) => Promise<unknown>, more = {}) {
  return (world: World): Subject => {
    const client = clientOf(world, more);
    return { run: (signal) => run(client, signal, world), close: () => client.close() };
  };
}

function uploadOf(source: (world: World) => Parameters<Client['upload']>[0]) {
  return callOf((client, signal, world) => client.upload(source(world), { signal, onProgress: () => undefined }));
}

function streamOf(isSizeKnown: boolean) {
  return ({ bytes }: World) => {
    const stream = Readable.from(slowly([bytes.subarray(0, 1000), bytes.subarray(1000)]));
    return { stream, filename: 'a.stl', ...(isSizeKnown && { size: bytes.length }) };
  };
}

/** Each piece comes in a later turn than it was asked for, as from a disk. */
async function* slowly(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    await nextTurn();
    yield piece;
  }
}

function uploadsInARow(world: World): Subject {
  const limits = { ...world.limits, bulkSockets: 1 };
  return callOf((client, signal, { bytes }) => {
    const source = { data: bytes.subarray(0, 10), filename: 'a.stl' };
    return all([client.upload(source, { signal }), client.upload(source), client.upload(source, { signal })]);
  })({ ...world, limits });
}

function operationCallOf(run: (client: Client, operationId: string, signal: AbortSignal) => Promise<unknown>) {
  return callOf((client, signal, { service }) => run(client, service.addOperation('repair', { looksLeft: 3 }), signal));
}

function resultOf(world: World): Subject {
  const operationId = world.service.addOperation('repair', { looksLeft: 0 });
  return callOf((client, signal) => client.result(operationId, 'repair', { signal }))(world);
}

async function statusWithStaleToken(world: World): Promise<Subject> {
  const client = clientOf(world);
  const operationId = world.service.addOperation('repair');
  await client.status(operationId);
  world.service.revokeTokens();
  return { run: (signal) => client.status(operationId, { signal }), close: () => client.close() };
}

function downloadTo(target: (world: World) => Parameters<Client['download']>[1]) {
  return callOf((client, signal, world) =>
    client.download(world.service.addFile(world.bytes, { etag: '"v1"' }), target(world), { signal }),
  );
}

function brokenDownload(world: World): Subject {
  const half = world.bytes.subarray(0, world.bytes.length >> 1);
  world.service.fault('GET', /operation\/file\//, (request, reply) => {
    reply.writeHead(200, { 'Content-Length': world.bytes.length, ETag: '"v1"' });
    reply.write(half, () => void reset(request, reply));
  });
  return downloadTo(({ folder }) => ({ to: 'file', folder }))(world);
}

/** Calls of all kinds are under way when it is closed. */
function closing(world: World): Subject {
  return callOf(async (client, signal, { service, bytes, folder }) => {
    await unlessEnded(client.status(service.addOperation('repair'), { signal }));
    const operationId = service.addOperation('repair', { looksLeft: 3 });
    const calls = [
      client.upload({ data: bytes, filename: 'a.stl' }, { signal }),
      client.start('repair', parameters(), { signal }),
      client.wait(operationId, 'repair', { signal, timeoutMs: REPAIR_MS }),
      client.download(service.addFile(bytes), { to: 'file', folder }, { signal }),
    ].map(unlessEnded);
    await nextTurn();
    await all([...calls, client.close()]);
  })(world);
}

function tokenSourceOf({ service, limits }: World) {
  const clock = new InstantClock();
  return { clock, source: createTokenSource(service.account, { limits, ...clock, now: () => clock.time }) };
}

function tokenByPassword(world: World): Subject {
  const { source } = tokenSourceOf(world);
  source.pause(10);
  return {
    run: (signal) => all([source.token({ signal }), source.token({ signal }), source.token()]),
    close: () => source.close(),
  };
}

async function tokenByRefresh(world: World): Promise<Subject> {
  const { source } = tokenSourceOf(world);
  const staleToken = await source.token();
  return { run: (signal) => source.token({ signal, staleToken }), close: () => source.close() };
}

async function tokenInBackground(world: World): Promise<Subject> {
  const { source, clock } = tokenSourceOf(world);
  const seen = await source.token();
  // Of its 900 s the last two minutes.
  clock.time += 800_000;
  const untilRenewed = async (signal: AbortSignal) => {
    for (let look = 0; look < 200 && (await source.token({ signal })) === seen; look += 1) await clock.sleep(0);
  };
  return { run: untilRenewed, close: () => source.close() };
}

function sharedScheduler(world: World): Subject {
  const clock = new InstantClock();
  const scheduler = createPollScheduler({ limits: world.limits, ...clock });
  const clients = [1, 2].map(() => clientOf(world, { pollScheduler: scheduler, ...clock }));
  const wait = (client: Client, signal: AbortSignal) =>
    client.wait(world.service.addOperation('repair'), 'repair', { signal, timeoutMs: REPAIR_MS });
  return {
    run: (signal) => all(clients.map((client) => wait(client, signal))),
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
      scheduler.close();
    },
  };
}

/** One that comes at once, too early, and another one a little later. */
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

/** A call that may end with an error of ours. */
async function unlessEnded(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ClientError)) throw error;
  });
}

/** All calls, each heard of; then the first error. */
async function all(calls: Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(calls)) if (outcome.status === 'rejected') throw outcome.reason;
}
