import { setTimeout as sleep } from 'node:timers/promises';
import { type Haproxy, startHaproxy } from '../../test/helpers/haproxy.js';
import { median, roundTo } from '../service/service-process.js';
import { findPostgres } from './cpu-by-process.js';
import { sumCpuSeconds } from './cpu-seconds.js';
import type { BenchProcess, Environment } from './environment.js';
import { preparePoll } from './prepare-poll.js';
import { type LoadRequest, runWrk } from './run-wrk.js';

const SECONDS = 5;
const ROUNDS = 5;
const USERS = 8;
const POLL_CONNECTIONS = 16;
const API_COUNTS = [1, 2, 4];
/** Enough for four processes with 16 each. */
const FULL_CONNECTIONS = 64;
/** With 16 connections, 400 polls a second: a tenth of what these machines do. */
const PAUSE_MS = 40;

/** Returns the CPU time per request of the API processes and of the database, in ms, and the requests per second. */
async function measureLoad(
  environment: Environment,
  apis: readonly BenchProcess[],
  baseUrl: string,
  load: { requests: readonly LoadRequest[]; connections: number; pauseMs?: number },
) {
  const apiPids = apis.map(({ pid }) => pid);
  const postgres = findPostgres(environment);
  const before = { api: sumCpuSeconds(apiPids), database: sumCpuSeconds([postgres]) };
  const { count, perSecond } = await runWrk(baseUrl, load.requests, {
    connections: load.connections,
    pauseMs: load.pauseMs,
    seconds: SECONDS,
  });
  const apiMs = ((sumCpuSeconds(apiPids) - before.api) * 1000) / count;
  const databaseMs = ((sumCpuSeconds([postgres]) - before.database) * 1000) / count;
  return { perSecond, apiMs, databaseMs };
}

/** Measures starts by eight users over eight connections, through one API process. No worker runs. */
export async function measureStarts(environment: Environment) {
  const api = await environment.startApi();
  const users = await environment.addUsers(api.baseUrl, USERS);
  const requests: LoadRequest[] = [];
  for (const user of users) {
    const { fileId } = (await user.upload('solid', 'model.stl')).body;
    requests.push({ method: 'POST', path: '/web-api/operation/import', token: user.token, body: { fileId } });
  }
  const rounds: Awaited<ReturnType<typeof measureLoad>>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push(await measureLoad(environment, [api], api.baseUrl, { requests, connections: USERS }));
  }
  const medianOf = (key: 'perSecond' | 'apiMs' | 'databaseMs'): number => median(rounds.map((each) => each[key]));
  return {
    users: USERS,
    connections: USERS,
    perSecond: roundTo(medianOf('perSecond'), 0),
    reach: 300,
    cpuMs: { api: roundTo(medianOf('apiMs')), database: roundTo(medianOf('databaseMs')) },
  };
}

/** Compares status polls of one API process with those of a service on one machine, both without a load balancer. */
async function comparePolls(environment: Environment, api: BenchProcess, poll: LoadRequest) {
  const embedded = await environment.startStubEmbedded(1);
  const embeddedPoll = await preparePoll(embedded.calls);
  const rounds: Record<'shared' | 'alone', Awaited<ReturnType<typeof measureLoad>>>[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const [shared, alone] = [
      await measureLoad(environment, [api], api.baseUrl, { requests: [poll], connections: POLL_CONNECTIONS }),
      await measureLoad(environment, [embedded], embedded.baseUrl, {
        requests: [embeddedPoll],
        connections: POLL_CONNECTIONS,
      }),
    ];
    if (round > 0) rounds.push({ shared, alone }); // the first one warms up
  }
  return {
    perSecond: roundTo(median(rounds.map(({ shared }) => shared.perSecond)), 0),
    embeddedPerSecond: roundTo(median(rounds.map(({ alone }) => alone.perSecond)), 0),
    ratio: roundTo(median(rounds.map(({ shared, alone }) => shared.perSecond / alone.perSecond))),
    reach: 0.25,
    cpuMs: {
      api: roundTo(median(rounds.map(({ shared }) => shared.apiMs)), 3),
      database: roundTo(median(rounds.map(({ shared }) => shared.databaseMs)), 3),
      embedded: roundTo(median(rounds.map(({ alone }) => alone.apiMs)), 3),
    },
  };
}

/** How polls are sent: the same for each number of processes. */
interface PollLoad {
  connections: number;
  /** The time from a reply to the next request of its connection. Default: 0. */
  pauseMs?: number;
}

/** Returns the CPU time that the API processes and the database use in a second without requests, in ms. */
async function measureIdle(environment: Environment, apis: readonly BenchProcess[]): Promise<number> {
  const pids = [...apis.map(({ pid }) => pid), findPostgres(environment)];
  const before = sumCpuSeconds(pids);
  await sleep(SECONDS * 1000);
  return ((sumCpuSeconds(pids) - before) * 1000) / SECONDS;
}

/**
 * Compares the CPU time of a poll, in the API processes and the database, with 1, 2 and 4 processes behind HAProxy that get
 * the same load together, without `idleMs`, what they use in a second without requests.
 */
async function comparePollCosts(
  environment: Environment,
  apis: readonly BenchProcess[],
  balancers: readonly { count: number; baseUrl: string }[],
  { poll, load, idleMs }: { poll: LoadRequest; load: PollLoad; idleMs: number },
) {
  const costs = balancers.map(({ count }) => ({ processes: count, rounds: [] as Poll[] }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, { baseUrl }] of balancers.entries()) {
      const { perSecond, apiMs, databaseMs } = await measureLoad(environment, apis, baseUrl, {
        requests: [poll],
        ...load,
      });
      if (round > 0) costs[index]?.rounds.push({ perSecond, cpuMs: apiMs + databaseMs - idleMs / perSecond }); // the first one warms up
    }
  }
  const rows = costs.map(({ processes, rounds }) => ({
    processes,
    perSecond: roundTo(median(rounds.map(({ perSecond }) => perSecond)), 0),
    cpuMsPerPoll: roundTo(median(rounds.map(({ cpuMs }) => cpuMs)), 3),
  }));
  const all = rows.map(({ cpuMsPerPoll }) => cpuMsPerPoll);
  return { ...load, rows, mostOfLeast: roundTo(Math.max(...all) / Math.min(...all)) };
}

interface Poll {
  perSecond: number;
  cpuMs: number;
}

/**
 * Measures the cost of polls at a fixed rate, at full load, and of one after the other. Each process gets as many polls
 * before: code that has run some thousand times is compiled, and costs half as much.
 */
async function measurePollCosts(environment: Environment, apis: readonly BenchProcess[], poll: LoadRequest) {
  for (const { baseUrl } of apis) {
    await runWrk(baseUrl, [poll], { connections: POLL_CONNECTIONS, seconds: SECONDS });
  }
  const idleMs = await measureIdle(environment, apis);
  const balancers: (Haproxy & { count: number })[] = [];
  const compare = (load: PollLoad) => comparePollCosts(environment, apis, balancers, { poll, load, idleMs });
  try {
    for (const count of API_COUNTS) {
      const targets = apis.slice(0, count).map(({ baseUrl }) => baseUrl);
      balancers.push({ count, ...(await startHaproxy(targets)) });
    }
    return {
      idleCpuMsPerSecond: { processes: apis.length, ms: roundTo(idleMs, 1) },
      cost: { ...(await compare({ connections: POLL_CONNECTIONS, pauseMs: PAUSE_MS })), reach: 1.15 },
      costAtFullLoad: { ...(await compare({ connections: FULL_CONNECTIONS })), reach: 1.15 },
      costOneByOne: await compare({ connections: 1 }),
    };
  } finally {
    for (const { stop } of balancers) await stop();
  }
}

/** Measures status polls. */
export async function measurePolls(environment: Environment) {
  const apis: BenchProcess[] = [];
  for (let count = 0; count < Math.max(...API_COUNTS); count++) apis.push(await environment.startApi());
  const [api] = apis;
  if (!api) throw new Error('No API process has started.');
  const user = await environment.machines.logIn(api.baseUrl);
  const worker = await environment.startStubWorker(1);
  const poll = await preparePoll(user);
  await worker.end(); // its own queries would count
  return {
    against: await comparePolls(environment, api, poll),
    ...(await measurePollCosts(environment, apis, poll)),
  };
}
