import type { Calls } from '../../test/service/support/account.js';
import { measureSeconds, median, roundTo } from '../service/service-process.js';
import { createIntersectingSpheres, createSmallModels } from '../service/small-models.js';
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

/** Measures both sides in turn. Resolves with the median rates, and the median of the ratios of the rounds. */
async function compare(
  measureShared: () => Promise<number>,
  measureEmbedded: () => Promise<number>,
): Promise<{ perSecond: number; embeddedPerSecond: number; ratio: number; ratios: number[] }> {
  await measureShared(); // warms up
  await measureEmbedded();
  const shared: number[] = [];
  const embedded: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    shared.push(await measureShared());
    embedded.push(await measureEmbedded());
  }
  const ratios = shared.map((rate, round) => roundTo(rate / (embedded[round] ?? Number.NaN)));
  return {
    perSecond: roundTo(median(shared), 1),
    embeddedPerSecond: roundTo(median(embedded), 1),
    ratio: median(ratios),
    ratios,
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
  for (let worker = 0; worker < 2; worker++) await environment.startWorker(['--workers', '1', ...common]);
  const embedded = await environment.startEmbedded(['--workers', '2', ...common]);
  const measureModels = async (models: readonly Uint8Array[], count: number) => {
    const [ours, theirs] = [
      await prepareRepairs(user, models, count),
      await prepareRepairs(embedded.calls, models, count),
    ];
    return compare(
      () => measureRate(user, 'repair', ours),
      () => measureRate(embedded.calls, 'repair', theirs),
    );
  };
  const medium = createIntersectingSpheres(MEDIUM_ROWS, MEDIUM_ROWS);
  const small = createSmallModels();
  return {
    medium: { triangles: medium.triangles, ...(await measureModels([medium.stl], 10)), reach: 0.8 },
    small: {
      triangles: small.map(({ triangles }) => triangles).join(', '),
      ...(await measureModels(
        small.map(({ stl }) => stl),
        50,
      )),
    },
  };
}

/** Compares jobs whose kernel does nothing: one worker, and one service, each with `slots` jobs at a time. */
export async function measureEmptyJobs(environment: Environment) {
  const slots = 4;
  const count = 50;
  const api = await environment.startApi();
  const user = await environment.machines.logIn(api.baseUrl);
  await environment.startStubWorker(slots);
  const embedded = await environment.startStubEmbedded(slots);
  const prepare = async (calls: Calls) => {
    const { fileId } = (await calls.upload('solid', '0.stl')).body;
    const bodies = Array.from({ length: count }, () => ({ fileId }));
    return () => measureRate(calls, 'import', bodies);
  };
  return { slots, count, ...(await compare(await prepare(user), await prepare(embedded.calls))), reach: 0.5 };
}
