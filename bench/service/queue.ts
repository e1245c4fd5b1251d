import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { askForToken, type Calls, callsWith } from '../../test/service/support/account.js';
import { sphere } from '../../test/service/support/models.js';
import { startProgram } from '../../test/service/support/program.js';
import { roundTo, type ServiceProcess, startService } from './service-process.js';

const BACKLOG = 10_000;
const SAMPLES = 40;
const STARTS_PER_SECOND = 1000;
const POLLS_PER_SECOND = 200;
const SECONDS = 5;
const ROUNDS = 3;
// 10,000 triangles: each import takes tens of ms.
const MODEL = sphere(51, 100);

/** Runs the load generator. Resolves with what it printed. */
async function generateLoad(body: string, ...args: (string | number)[]) {
  const program = path.resolve('bench/service/requests.mjs');
  const child = spawn(process.execPath, [program, ...args.map(String)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(body);
  return JSON.parse(await text(child.stdout));
}

/** Adds a user and signs in. */
async function addUser({ data, baseUrl }: ServiceProcess, username: string): Promise<Calls> {
  const command = startProgram(['user', 'add', username, '--data', data]);
  command.child.stdin?.end('a long password\n');
  await command.ended;
  const { body } = await askForToken(data, { grant_type: 'password', username, password: 'a long password' });
  return callsWith(baseUrl, body.access_token);
}

function percentile(values: number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(fraction * (values.length - 1))] ?? Number.NaN;
}

/** Measures the time from a start to the result, in ms. */
async function measureResults(user: Calls, fileId: string): Promise<number[]> {
  const all: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const begin = performance.now();
    const { result } = await user.run('import', { fileId });
    if (result.status !== 200) throw new Error(JSON.stringify(result.body));
    all.push(performance.now() - begin);
  }
  return all;
}

/** Keeps at least `count` operations of a user waiting while `work` runs. */
async function withBacklog<T>(user: Calls, fileId: string, count: number, work: () => Promise<T>): Promise<T> {
  const url = `${user.baseUrl}/web-api/operation/import`;
  for (let sent = 0; sent < count; sent += 1000) {
    await generateLoad(JSON.stringify({ fileId }), 'starts', url, user.token, 1000, 1);
  }
  return work();
}

/** Measures the first results of one user, alone and while another user has many operations waiting. */
async function measureFairness(folder: string) {
  const service = await startService(folder, ['--workers', '1', '--memory', '512M']);
  try {
    const [ann, bob] = [await addUser(service, 'ann'), await addUser(service, 'bob')];
    const annFile = (await ann.upload(MODEL, 'a.stl')).body.fileId;
    const bobFile = (await bob.upload(MODEL, 'b.stl')).body.fileId;
    await measureResults(ann, annFile); // warms up
    const alone = await measureResults(ann, annFile);
    const shared = await withBacklog(bob, bobFile, BACKLOG, () => measureResults(ann, annFile));
    const jobMs = percentile(alone, 0.5);
    const [aloneMs, sharedMs] = [percentile(alone, 0.95), percentile(shared, 0.95)];
    const limitMs = 1.5 * aloneMs + jobMs;
    return { waiting: BACKLOG, aloneMs: roundTo(aloneMs, 0), ms: roundTo(sharedMs, 0), reach: roundTo(limitMs, 0) };
  } finally {
    await service.close();
  }
}

/** Measures the polls of one user, alone and while another user starts many operations. */
async function measurePollsBesideStarts(folder: string) {
  const service = await startService(folder, ['--workers', '1', '--memory', '512M', '--queue-per-user', '100000']);
  try {
    const [ann, bob] = [await addUser(service, 'ann'), await addUser(service, 'bob')];
    const annFile = (await ann.upload(MODEL, 'a.stl')).body.fileId;
    const bobFile = (await bob.upload(MODEL, 'b.stl')).body.fileId;
    const { operationId } = await ann.run('import', { fileId: annFile });
    const url = `${service.baseUrl}/web-api/operation`;
    const poll = () => generateLoad('', 'polls', `${url}/${operationId}/status`, ann.token, POLLS_PER_SECOND, SECONDS);
    const startAll = () =>
      generateLoad(
        JSON.stringify({ fileId: bobFile }),
        'starts',
        `${url}/import`,
        bob.token,
        STARTS_PER_SECOND,
        SECONDS,
      );
    return await withBacklog(bob, bobFile, 1000, async () => {
      const alone: number[] = [];
      const beside: number[] = [];
      const starts: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        alone.push((await poll()).p99);
        const [polls, started] = await Promise.all([poll(), startAll()]);
        beside.push(polls.p99);
        starts.push(started.p99);
      }
      const [aloneMs, ms] = [percentile(alone, 0.5), percentile(beside, 0.5)];
      return {
        startsPerSecond: STARTS_PER_SECOND,
        aloneMs: roundTo(aloneMs),
        ms: roundTo(ms),
        startMs: roundTo(percentile(starts, 0.5)),
        reach: roundTo(3 * aloneMs),
      };
    });
  } finally {
    await service.close();
  }
}

/** Measures how many starts and polls the service answers while many operations wait. */
async function measureRates(folder: string) {
  const service = await startService(folder, ['--workers', '1', '--memory', '512M', '--queue-per-user', '100000']);
  try {
    const bob = await addUser(service, 'bob');
    const fileId = (await bob.upload(MODEL, 'b.stl')).body.fileId;
    const url = `${service.baseUrl}/web-api/operation`;
    const { operationId } = (await bob.post('import', { fileId })).body;
    const starts: number[] = [];
    const polls: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const body = JSON.stringify({ fileId });
      starts.push((await generateLoad(body, 'loop', `${url}/import`, bob.token, 16, SECONDS)).perSecond);
      polls.push((await generateLoad('', 'loop', `${url}/${operationId}/status`, bob.token, 16, SECONDS)).perSecond);
    }
    return { startsPerSecond: roundTo(percentile(starts, 0.5), 0), pollsPerSecond: roundTo(percentile(polls, 0.5), 0) };
  } finally {
    await service.close();
  }
}

/** Measures what one user's many operations cost another user. */
export async function measureQueue(folder: string) {
  return {
    firstResultBesideBacklog: await measureFairness(path.join(folder, 'fairness')),
    pollsBesideStarts: await measurePollsBesideStarts(path.join(folder, 'beside')),
    rates: await measureRates(path.join(folder, 'rates')),
  };
}
