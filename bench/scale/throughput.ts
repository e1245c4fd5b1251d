import type { Calls } from '../../test/service/support/account.js';
import { measureSeconds, median, roundTo } from '../service/service-process.js';
import { createIntersectingSpheres, createSmallModels, type SmallModel } from '../service/small-models.js';
import { type CpuTimes, readEmbeddedCpu, readSharedCpu, toCpuMs } from './cpu-by-process.js';
import type { Environment } from './environment.js';
import { runConcurrently } from './run-concurrently.js';

const ROUNDS = 5;
const CONCURRENT_STARTS = 8;
// 160,000 triangles
const MEDIUM_ROWS = 201;
const MEMORY_BYTES = 1024 ** 3;

/** Starts the operations and waits until all have succeeded. Resolves with how many ended per second. */
async function measureRate(user: Calls, operation: string, bodies: readonly object[]): Promise<number> {
  const seconds = await measureSeconds(async () => {
    const ids: string[] = [];
    await runConcurrently(bodies.length, CONCURRENT_STARTS, async (index) => {
      ids.push((await user.post(operation, bodies[index])).body.operationId);
    });
    for (const id of ids.reverse()) {
      const { body } = await user.untilCompleted(id);
      if (!body.isSuccessful) throw new Error(`An operation failed: ${JSON.stringify(body)}`);
    }
  });
  return bodies.length / seconds;
}

/** One side of a comparison: the same jobs each time. */
interface Side {
  user: Calls;
  operation: string;
  bodies: readonly object[];
  readCpu: () => CpuTimes;
}

interface Round {
  perSecond: number;
  cpuMs: CpuTimes;
}

async function measureRound({ user, operation, bodies, readCpu }: Side): Promise<Round> {
  const before = readCpu();
  const perSecond = await measureRate(user, operation, bodies);
  return { perSecond, cpuMs: toCpuMs(before, readCpu(), bodies.length) };
}

function medianCpuMs(rounds: readonly Round[]): CpuTimes {
  const kinds = Object.keys(rounds[0]?.cpuMs ?? {});
  return Object.fromEntries(kinds.map((kind) => [kind, median(rounds.map(({ cpuMs }) => cpuMs[kind] ?? Number.NaN))]));
}

/**
 * Measures both sides in turn. Resolves with the median rates, the median of the ratios of the rounds, and the median CPU
 * time per job of each kind of process.
 */
async function compare(ours: Side, theirs: Side) {
  await measureRound(ours); // warms up
  await measureRound(theirs);
  const shared: Round[] = [];
  const embedded: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    shared.push(await measureRound(ours));
    embedded.push(await measureRound(theirs));
  }
  const ratios = shared.map(({ perSecond }, round) => roundTo(perSecond / (embedded[round]?.perSecond ?? Number.NaN)));
  return {
    perSecond: roundTo(median(shared.map(({ perSecond }) => perSecond)), 1),
    embeddedPerSecond: roundTo(median(embedded.map(({ perSecond }) => perSecond)), 1),
    ratio: median(ratios),
    ratios,
    cpuMs: { shared: medianCpuMs(shared), embedded: medianCpuMs(embedded) },
  };
}

/** Uploads models and imports them. Resolves with the bodies of their repairs, as many as `count`. */
async function prepareRepairs(user: Calls, models: readonly Uint8Array[], count: number): Promise<object[]> {
  const inputIds: string[] = [];
  for (const model of models) {
    const { fileId } = (await user.upload(model, 'model.stl')).body;
    inputIds.push((await user.run('import', { fileId })).result.body.resultId);
  }
  return Array.from({ length: count }, (_, index) => ({ inputId: inputIds[index % inputIds.length] }));
}

/** Compares real repairs by two workers of one slot with those by one service with two workers. */
export async function measureRepairs(environment: Environment) {
  const common = ['--cache', 'off', '--memory', String(MEMORY_BYTES)];
  const api = await environment.startApi();
  const user = await environment.machines.logIn(api.baseUrl);
  const workers = [];
  for (let worker = 0; worker < 2; worker++) {
    workers.push(await environment.startWorker(['--workers', '1', ...common]));
  }
  const embedded = await environment.startEmbedded(['--workers', '2', ...common]);
  const [readCpu, readTheirCpu] = [readSharedCpu(environment, api, workers), readEmbeddedCpu(embedded)];
  const measureModels = async (models: readonly SmallModel[], count: number) => {
    const stls = models.map(({ stl }) => stl);
    const [ours, theirs] = [await prepareRepairs(user, stls, count), await prepareRepairs(embedded.calls, stls, count)];
    return {
      triangles: models.map(({ triangles }) => triangles).join(', '),
      ...(await compare(
        { user, operation: 'repair', bodies: ours, readCpu },
        { user: embedded.calls, operation: 'repair', bodies: theirs, readCpu: readTheirCpu },
      )),
      reach: 0.8,
    };
  };
  return {
    medium: await measureModels([createIntersectingSpheres(MEDIUM_ROWS, MEDIUM_ROWS)], 10),
    small: await measureModels(createSmallModels(), 50),
  };
}

/** Compares jobs whose kernel does nothing: one worker, and one service, each with `slots` jobs at a time. */
export async function measureEmptyJobs(environment: Environment) {
  const slots = 4;
  const count = 50;
  const api = await environment.startApi();
  const user = await environment.machines.logIn(api.baseUrl);
  const worker = await environment.startStubWorker(slots);
  const embedded = await environment.startStubEmbedded(slots);
  const prepare = async (calls: Calls, readCpu: () => CpuTimes): Promise<Side> => {
    const { fileId } = (await calls.upload('solid', '0.stl')).body;
    return { user: calls, operation: 'import', bodies: Array.from({ length: count }, () => ({ fileId })), readCpu };
  };
  const ours = await prepare(user, readSharedCpu(environment, api, [worker]));
  const theirs = await prepare(embedded.calls, readEmbeddedCpu(embedded));
  return { slots, count, ...(await compare(ours, theirs)), reach: 0.5 };
}
