// Soak test: two users with equal files cancel imports, repairs and exports at random times, also twice at once, by
// deleting the input, and while the service stops. Then checks that each is either complete or cancelled, that its callback
// agrees, and that no process, temporary file, reservation or unused blob remains. `npx tsx test/soak/cancels.ts --count 20
// --seed 42` sets the number of operations and the random seed. Requires Linux (/proc) and `npm run build`. Exits with 1
// after a violation.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { RunningService } from '../../src/service/serve.js';
import { eventually, findKernelProcesses } from '../helpers/processes.js';
import { type Calls, callsWith, logIn } from '../service/support/account.js';
import { sphere } from '../service/support/models.js';
import { startReceiver } from '../service/support/receiver.js';
import { KERNEL_PROGRAM, startService } from '../service/support/running.js';
import { addSignedInUser } from '../service/support/users.js';
import { auditFolder } from './support/audit.js';
import { createCancelLog } from './support/cancel-log.js';
import { createRandom } from './support/random.js';

const USERS = 2;
const KINDS = ['import', 'repair', 'export'] as const;
const ACTIONS = ['cancel', 'cancel', 'cancel', 'cancel twice', 'delete the input', 'stop the service'] as const;
const QUOTA_BYTES = 512 * 1024 * 1024;
// 2,000 to 20,000 triangles: an operation takes 0.1 to 0.5 s.
const ROWS = { min: 11, max: 101 };
/** The latest time of an end, as a fraction of the duration of the operation. */
const LATEST_FRACTION = 1.2;

const { values } = parseArgs({ options: { count: { type: 'string', default: '200' }, seed: { type: 'string' } } });
const count = Number(values.count);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const random = createRandom(seed);
const folder = mkdtempSync(path.join(os.tmpdir(), 'soak-cancels-'));
const data = path.join(folder, 'data');

const receiver = await startReceiver([200]);
const log = createCancelLog();
/** kind → how long it took when it was not cancelled, in ms */
const durations = new Map<string, number>();
const killTimesMs: number[] = [];

function start(): Promise<RunningService> {
  return startService(data, {
    kernelProgram: KERNEL_PROGRAM,
    plan: { workers: USERS, jobMemoryBytes: 512 * 1024 ** 2 },
    quotaBytes: QUOTA_BYTES,
    usesResultCache: random.integer(0, 1) === 1,
    // without waiting processes, those that remain are those of cancelled operations
    limits: { accessTokenMs: 24 * 60 * 60 * 1000, scrubPassMs: 0, usedKernelIdleMs: 1 },
  });
}

let service = await start();
let users: Calls[] = [await logIn(data), await addSignedInUser(data, 'bob')];

/** An operation to start: its kind, the body of its start, and the id of its input. */
interface Planned {
  kind: (typeof KINDS)[number];
  body: Record<string, string>;
  inputId: string;
}

/** Uploads a model, and imports it for operations on models. */
async function prepare(api: Calls, kind: Planned['kind'], bytes: Uint8Array): Promise<Planned> {
  const { fileId } = (await api.upload(bytes, 'sphere.stl')).body;
  if (kind === 'import') return { kind, body: { fileId }, inputId: fileId };
  const { resultId } = (await api.run('import', { fileId })).result.body;
  return { kind, body: { inputId: resultId, exportToFormat: 'obj' }, inputId: resultId };
}

/** Starts an operation. Resolves with its id. */
async function startOperation(user: number, { kind, body }: Planned, action: string): Promise<string> {
  const { operationId } = (await users[user]?.post(kind, { ...body, callbackUrl: receiver.url }))?.body ?? {};
  log.recordStart({ user, kind, operationId, action });
  return operationId;
}

/** Ends an operation after a random time of at most `latestMs`. */
async function end(api: Calls, operationId: string, inputId: string, action: string, latestMs: number): Promise<void> {
  await sleep(random.next() * latestMs);
  const cancel = async (): Promise<void> => log.recordReply(operationId, await api.remove(operationId));
  if (action === 'delete the input') log.recordDeletion(operationId, inputId, await api.remove(`file/${inputId}`));
  else if (action === 'cancel twice') await Promise.all([cancel(), cancel()]);
  else if (action === 'cancel') await cancel();
  else {
    const reply = await api.remove(operationId).catch(() => undefined); // the service may stop first
    if (reply?.status === 200) log.recordReply(operationId, reply);
    else log.recordLostReply();
  }
}

async function runRound(): Promise<void> {
  const rows = random.integer(ROWS.min, ROWS.max);
  const latestMs = (kind: string): number => (LATEST_FRACTION * (durations.get(kind) ?? 0) * rows) / ROWS.max;
  const bytes = sphere(rows, 100);
  const action = random.pick(ACTIONS);
  const planned = await Promise.all(users.map((api) => prepare(api, random.pick(KINDS), bytes)));
  const ids = await Promise.all(planned.map((plan, user) => startOperation(user, plan, action)));
  const ending = users.map((api, user) => {
    const { kind = '', inputId = '' } = planned[user] ?? {};
    return end(api, ids[user] ?? '', inputId, action, latestMs(kind));
  });
  if (action === 'stop the service') {
    await sleep(random.next() * 500);
    await service.close();
    if (findKernelProcesses(process.pid).length > 0) log.violations.push('kernel processes after a stop');
    await Promise.all(ending);
    service = await start();
    users = users.map(({ token }) => callsWith(service.baseUrl, token));
    for (const { user, operationId } of log.lastStarts(USERS)) await users[user]?.remove(operationId);
  }
  await Promise.all(ending);
  const endedAt = performance.now();
  await eventually('no kernel process remains', () => findKernelProcesses(process.pid).length === 0);
  killTimesMs.push(performance.now() - endedAt);
  await log.check(users, USERS);
}

/** Measures how long each kind takes with the largest model. */
async function measureDurations(): Promise<void> {
  for (const kind of KINDS) {
    const { body } = await prepare(users[0] as Calls, kind, sphere(ROWS.max, 100));
    const startedAt = performance.now();
    await users[0]?.run(kind, body);
    durations.set(kind, performance.now() - startedAt);
  }
}

/** Stores a file that fits only if nothing is reserved any more. */
async function checkReservations(): Promise<void> {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  const storedBytes = Number(/^model_processing_stored_bytes (\d+)$/m.exec(text)?.[1]);
  const bytes = new Uint8Array(QUOTA_BYTES - storedBytes - 64 * 1024);
  const { status } = (await users[0]?.upload(bytes, 'rest.stl')) ?? {};
  if (status !== 200) log.violations.push(`a file of the remaining ${bytes.length} bytes: ${status}`);
}

console.log(`cancelling ${count} operations, seed ${seed}`);
const startedAt = performance.now();
try {
  await measureDurations();
  while (log.size < count) await runRound();
  await log.check(users, log.size);
  await eventually('all callbacks were sent', () => receiver.received.length >= log.size, 30_000).catch(
    () => undefined,
  );
  await log.checkCallbacks(receiver.received.map(({ body }) => JSON.parse(body)));
  await checkReservations();
  await service.close();
  log.violations.push(...auditFolder(data).violations);
  killTimesMs.sort((a, b) => a - b);
  const kernelGoneMs = { median: killTimesMs[killTimesMs.length >> 1], max: killTimesMs.at(-1) };
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log({ count: log.size, seed, ...log.counts, kernelGoneMs, violations: log.violations.length, seconds });
  for (const violation of log.violations) console.error(`VIOLATION: ${violation}`);
  if (log.violations.length > 0) process.exitCode = 1;
} finally {
  await service.close();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
}
