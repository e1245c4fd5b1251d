// Soak test: a service on many machines (PostgreSQL, Swift, HAProxy, 2 API processes and 3 workers) under faults of all
// its parts while users run mixed jobs. Then checks that everything that was acknowledged is there and unchanged, that
// each operation ended once, that each callback was delivered, and that rows and objects agree. `npm run soak` injects
// 100 kills of workers, 50 of API processes and 20 of each other fault; `npx tsx test/soak/machines.ts --workers 10
// --apis 5 --postgres 2 --freezes 2 --storage 2 --rolling 2 --longest 15 --seed 42` sets the counts, the longest outage in
// seconds and the random seed. Requires Linux (/proc), PostgreSQL, Swift, HAProxy and `npm run build`. Exits with 1
// after a violation.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { eventually } from '../helpers/processes.js';
import { startReceiver } from '../service/support/receiver.js';
import { auditStore, findDueCallbacks } from './machines/audit-store.js';
import { auditCallbacks, auditWitness } from './machines/audit-witness.js';
import { startCluster } from './machines/cluster.js';
import { type FaultPlan, injectFaults } from './machines/inject-faults.js';
import { createRetryingClient, type RequestCounts } from './machines/retrying-client.js';
import { createUserLoad, type UserLoad } from './machines/user-load.js';
import { createWitness } from './machines/witness.js';
import type { Findings } from './support/audit.js';
import { copyProgram } from './support/marked-program.js';
import { createRandom } from './support/random.js';

const USERS = ['ann', 'bob', 'eve'];
const STREAMS_PER_USER = 2;
// A callback whose sender was killed is sent again after a minute, one that failed after 5 s and then a minute.
const CALLBACK_TIMEOUT_MS = 240_000;
const ORPHAN_TIMEOUT_MS = 30_000;
const MAX_PRINTED = 50;
const PROGRESS_MS = 15_000;
const REFUSED_CALLBACKS = 0.05;

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '100' },
    apis: { type: 'string', default: '50' },
    postgres: { type: 'string', default: '20' },
    freezes: { type: 'string', default: '20' },
    storage: { type: 'string', default: '20' },
    rolling: { type: 'string', default: '20' },
    longest: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
  },
});
const seed = Number(values.seed);
const longestMs = Number(values.longest) * 1000;
const plan: FaultPlan = {
  workerKills: Number(values.workers),
  apiKills: Number(values.apis),
  databaseCrashes: Number(values.postgres),
  freezes: Number(values.freezes),
  storageStops: Number(values.storage),
  rollingRestarts: Number(values.rolling),
  longestFreezeMs: Math.min(30_000, longestMs),
  longestStorageStopMs: longestMs,
};
const random = createRandom(seed);
const folder = mkdtempSync(path.join(os.tmpdir(), 'soak-machines-'));
const program = copyProgram(folder);
const violations: string[] = [];
const requests: RequestCounts = { requests: 0, lostConnections: 0, timeouts: 0, transient: {} };
const counts: Record<string, number> = {};

const statuses = Array.from({ length: 1000 }, () => (random.next() < REFUSED_CALLBACKS ? 503 : 200));
const receiver = await startReceiver([...statuses, 200]);
console.log('starting the service', JSON.stringify({ ...plan, seed }));
const startedAt = performance.now();
const secondsSince = (): number => Math.round((performance.now() - startedAt) / 1000);
const cluster = await startCluster(program, folder);
const processes = [...cluster.apis, ...cluster.workers];
/** SHA-256 of a model → that of its export */
const exports = new Map<string, string>();

async function addUser(username: string) {
  const account = await cluster.addAccount(username);
  const client = createRetryingClient(cluster.balancer.baseUrl, account, requests, violations);
  const witness = createWitness(folder, username);
  const dependencies = { client, witness, random, callbackUrl: receiver.url, exports, violations };
  return { client, witness, load: createUserLoad(dependencies) };
}

const users = await Promise.all(USERS.map(addUser));
const witnesses = users.map(({ witness }) => witness);
const countOperations = (): number => witnesses.reduce((sum, { log }) => sum + log.operations.size, 0);

/** Runs the streams of all users while the faults are injected, and until their last jobs have ended. */
async function runUnderFaults(): Promise<void> {
  let isLoading = true;
  const runStream = async (load: UserLoad): Promise<void> => {
    while (isLoading) await load.runNext().catch((error: unknown) => violations.push(String(error)));
  };
  const streams = users.flatMap(({ load }) => Array.from({ length: STREAMS_PER_USER }, () => runStream(load)));
  let printedCount = 0;
  const progress = setInterval(() => {
    for (; printedCount < violations.length; printedCount++) console.log(`violation: ${violations[printedCount]}`);
    const ended = processes.map(({ name, counts: { kills, freezes, stops } }) =>
      [name, kills, freezes, stops].join(' '),
    );
    console.log(`${secondsSince()} s, kills, freezes, stops: ${ended.join(', ')}`);
    console.log(JSON.stringify({ operations: countOperations(), violations: violations.length, ...requests }));
  }, PROGRESS_MS);
  try {
    await injectFaults(cluster, plan, random);
  } finally {
    clearInterval(progress);
    isLoading = false;
    await Promise.all(streams);
  }
}

function addFindings(findings: Findings): void {
  violations.push(...findings.violations);
  for (const [name, count] of Object.entries(findings.counts)) counts[name] = (counts[name] ?? 0) + count;
}

/** Waits for a condition. A violation if it takes too long. */
async function expectSoon(condition: string, read: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> {
  await eventually(condition, read, timeoutMs).catch((error: unknown) => violations.push(String(error)));
}

async function audit(): Promise<void> {
  for (const { client, witness } of users) addFindings(await auditWitness(client, witness));
  const isDelivered = async (): Promise<boolean> => (await findDueCallbacks(cluster)).length === 0;
  await expectSoon('all callbacks are delivered', isDelivered, CALLBACK_TIMEOUT_MS);
  const bodies = receiver.received.map(({ body }) => JSON.parse(body));
  addFindings(auditCallbacks(bodies, witnesses));
  await Promise.all(processes.map((each) => each.stop()));
  await expectSoon('no process remains', () => program.findProcesses().length === 0, ORPHAN_TIMEOUT_MS);
  addFindings(await auditStore(cluster, witnesses));
  for (const each of processes) violations.push(...each.violations);
}

try {
  await runUnderFaults();
  const faultSeconds = secondsSince();
  await audit();
  const times = { faultSeconds, seconds: secondsSince() };
  console.log({ seed, ...plan, ...counts, ...requests, ...times, violations: violations.length });
} finally {
  for (const pid of program.findProcesses()) process.kill(pid, 'SIGKILL');
  await receiver.close();
  await cluster.stop();
  if (violations.length === 0) rmSync(folder, { recursive: true, force: true });
}
for (const violation of violations.slice(0, MAX_PRINTED)) console.error(`VIOLATION: ${violation}`);
if (violations.length > 0) process.exitCode = 1;
