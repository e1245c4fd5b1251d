// Measures waits in a real Node-RED, against a stub service with operations of given durations: 10,000 waits at one
// service node, and 100 operations of 0.2 to 60 s without callbacks, with callbacks, and with one in ten lost. `npm run
// bench -- waits` prints the figures and writes bench/results/waits.json; `npx tsx bench/waits.ts
// pending|polls|callbacks|lost` measures one case and writes nothing. Needs Linux (/proc) and `npm run build`; takes
// about ten minutes.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../test/soak/support/random.js';
import { type Arrival, startWaitingFlow } from './waits/node-red.js';
import { TimedService } from './waits/timed-service.js';

const WAIT_COUNT = 10_000;
const BATCH = 50;
const WATCH_MS = 30_000;
const OPERATIONS = 100;
const DURATION_MS = { min: 200, max: 60_000 };
const SEED = 7;
const POLLS_PER_SECOND = 50;

function roundTo2Digits(value: number): number {
  return Number(value.toFixed(2));
}
function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
function percentile(values: number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(fraction * values.length) - 1] ?? Number.NaN;
}

/** Collects arrivals until there are `count`, or until none has arrived for two minutes. */
async function collectArrivals(arrivals: () => Promise<Arrival[]>, count: number): Promise<Arrival[]> {
  const all: Arrival[] = [];
  for (let quietSince = Date.now(); all.length < count && Date.now() - quietSince < 120_000; await sleep(250)) {
    const more = await arrivals();
    if (more.length > 0) quietSince = Date.now();
    all.push(...more);
  }
  return all;
}

/**
 * Measures operations of unknown duration: durations are log-uniform, as all orders of magnitude are equally likely.
 */
async function measureOperations(useCallbacks: boolean, lostFraction: number): Promise<object> {
  const random = createRandom(SEED);
  const { min, max } = DURATION_MS;
  const durations = Array.from({ length: OPERATIONS }, () => min * (max / min) ** random.next());
  const service = new TimedService({
    nextDurationMs: () => durations.pop() ?? min,
    isCallbackLost: () => random.next() < lostFraction,
  });
  const flow = await startWaitingFlow(await service.listen(), useCallbacks);
  try {
    await flow.start(OPERATIONS);
    const arrivals = await collectArrivals(flow.arrivals, OPERATIONS);
    const late = arrivals.map(
      ({ operationId, at: offset }) => offset - (service.operations.get(operationId)?.completedAt ?? offset),
    );
    return {
      polls: roundTo2Digits(mean([...service.operations.values()].map(({ polls }) => polls))),
      meanMs: roundTo2Digits(mean(late)),
      p95Ms: percentile(late, 0.95),
      mostMs: percentile(late, 1),
      lost: OPERATIONS - new Set(arrivals.map(({ operationId }) => operationId)).size,
      twice: arrivals.length - new Set(arrivals.map(({ operationId }) => operationId)).size,
    };
  } finally {
    await flow.stop();
    service.close();
  }
}

async function measurePending(): Promise<object> {
  const service = new TimedService({ nextDurationMs: () => 0, isCallbackLost: () => true });
  const flow = await startWaitingFlow(await service.listen(), false);
  try {
    // The first wait loads code once, independent of the number of waits.
    await flow.wait([service.add(0)]);
    await collectArrivals(flow.arrivals, 1);
    const before = await flow.usage();
    const ids = Array.from({ length: WAIT_COUNT }, () => service.add(Number.POSITIVE_INFINITY));
    // Batches, because Node-RED itself is slow to pass on ten thousand messages at once.
    for (let offset = 0; offset < ids.length; offset += BATCH) await flow.wait(ids.slice(offset, offset + BATCH));
    const taking = await flow.usage();
    const [polls, started] = [service.pollCount, performance.now()];
    await sleep(WATCH_MS);
    const pollsPerSecond = (service.pollCount - polls) / ((performance.now() - started) / 1000);
    const waiting = await flow.usage();
    for (const operation of service.operations.values()) operation.completedAt = 0;
    const [pollsBefore, drained] = [service.pollCount, performance.now()];
    const arrivals = await collectArrivals(flow.arrivals, WAIT_COUNT);
    const drainSeconds = (performance.now() - drained) / 1000;
    const draining = await flow.usage();
    return {
      waits: WAIT_COUNT,
      sockets: service.maxSockets,
      growthMb: roundTo2Digits(Math.max(taking.residentMb, waiting.residentMb) - before.residentMb),
      loopP99Ms: {
        taking: roundTo2Digits(taking.loopP99Ms),
        waiting: roundTo2Digits(waiting.loopP99Ms),
        draining: roundTo2Digits(draining.loopP99Ms),
      },
      pollsPerSecond: roundTo2Digits(pollsPerSecond),
      drain: {
        seconds: roundTo2Digits(drainSeconds),
        pollsPerSecond: roundTo2Digits((service.pollCount - pollsBefore) / drainSeconds),
      },
      lost: WAIT_COUNT - new Set(arrivals.map(({ operationId }) => operationId)).size,
    };
  } finally {
    await flow.stop();
    service.close();
  }
}

const MEASUREMENTS: Record<string, { reach: object; measure: () => Promise<object> }> = {
  pending: {
    reach: { sockets: 10, growthMb: 48, loopP99Ms: 25, pollsPerSecond: POLLS_PER_SECOND * 1.05, lost: 0 },
    measure: measurePending,
  },
  polls: { reach: { polls: 9.5, meanMs: 700, lost: 0 }, measure: () => measureOperations(false, 0) },
  callbacks: { reach: { polls: 2, p95Ms: 50, lost: 0 }, measure: () => measureOperations(true, 0) },
  lost: { reach: { meanMs: 1000, lost: 0 }, measure: () => measureOperations(true, 0.1) },
};

const requested = process.argv.slice(2);
const result: Record<string, unknown> = {
  what: `${WAIT_COUNT} waits at one service node; ${OPERATIONS} operations of 0.2 to 60 s, log-uniform: polls an operation and ms from completion to message; "reach" is what may not be passed`,
};
for (const [name, { reach, measure }] of Object.entries(MEASUREMENTS)) {
  if (requested.length > 0 && !requested.includes(name)) continue;
  result[name] = { ...(await measure()), reach };
  console.log(name, result[name]);
}
result.machine = { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version, system: os.type() };
if (requested.length === 0) writeFileSync('bench/results/waits.json', `${JSON.stringify(result, null, 2)}\n`);
