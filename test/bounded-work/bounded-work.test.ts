import { rmSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { EXPORT_FORMATS } from '../../src/mesh/formats/registry.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { performJob } from '../../src/service/jobs/perform-job.js';
import type { JobParameters } from '../../src/service/kernel/messages.js';
import { createExtreme, EXTREME_MODELS } from '../mesh/models/extremes.js';

const GROWTH = 4;

/** Jobs that are measured with models of so many triangles, and of `GROWTH` times as many. */
interface Sizes {
  count: number;
  /** Executed blocks that a job may need in any case, such as those of a picture or a grid. */
  constantWork: number;
}

const SMALL: Sizes = { count: 120, constantWork: 3_000_000 };
const LARGE: Sizes = { count: 1000, constantWork: 1_000_000 };
/**
 * Jobs that test pairs of triangles, up to a limit for each triangle that models of 1000 triangles do not reach, may
 * need more.
 */
const SEARCHES_PAIRS = /^(import|scale|preview)/;
const PAIR_WORK = 8_000_000;
/** The operations that search much for each triangle, or compute a grid. */
const OPERATIONS_ON_SMALL = /^(repair|geometrical-repair|hollowing|shrinkwrap-repair|wall-thickness-analysis)$/;

/**
 * The searches that count their own work, and end at a limit: of pairs of triangles, of rays, of the resolution of
 * intersections and of the repair of rounded models. They are quadratic for so few triangles. Tests beside them check
 * what happens at the limit.
 */
const COUNTED_BY_SEARCHES =
  /mesh\/(intersections|arrangement|triangulation|rounding|geometry\/predicates|spatial\/(overlapping-pairs|cast-ray|segment-query|winding-number|first-exit))/;

const CAMERA = { cameraAngleX: 25, cameraAngleY: 0, cameraAngleZ: -35, background: 'plain' };
const OPERATIONS: readonly [operation: string, parameters: JobParameters][] = [
  ['analyze', {}],
  ['repair', {}],
  ['geometrical-repair', {}],
  ['scale', { axis: 'z', scaleToSizeMm: 80 }],
  ['reduce-triangles', { accuracyMm: 0.1, targetTriangles: 0, maxAngle: 15, numberOfIterations: 1 }],
  ['reduce-triangles', { accuracyMm: 1, targetTriangles: 100, maxAngle: 180, numberOfIterations: 1 }],
  ['hollowing', { wallThicknessMm: 12, direction: 'inward', drainHoleCount: 1, drainHoleDiameterMm: 8, upAxis: 'z' }],
  ['shrinkwrap-repair', { accuracy: 'Rough' }],
  ['wall-thickness-analysis', { minimalWallThicknessMm: 20, accuracyWallThickness: 0 }],
  ['thumbnail', { width: 32, height: 32, ...CAMERA }],
  ['preview', { triangles: 100 }],
  ...EXPORT_FORMATS.map(({ id }): [string, JobParameters] => ['export', { exportToFormat: id }]),
];

/** Counts the blocks of the program's own code that `run` executes. */
async function countWork(session: inspector.Session, run: () => Promise<unknown>): Promise<number> {
  const take = (): number => {
    let count = 0;
    session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      for (const { url, functions } of result) {
        if (!url.includes('/src/') || COUNTED_BY_SEARCHES.test(url)) continue;
        for (const { ranges } of functions) for (const range of ranges) count += range.count;
      }
    });
    return count;
  };
  take(); // resets the counters
  await run();
  return take();
}

/** Imports a model, and performs the selected operations with it. Returns job → executed blocks. */
async function measureJobs(
  session: inspector.Session,
  name: string,
  count: number,
  isSelected: (operation: string) => boolean,
): Promise<Map<string, number>> {
  const prefix = path.join(os.tmpdir(), `bounded-work-${process.pid}`);
  const [file, model, output] = [`${prefix}.off`, `${prefix}.model`, `${prefix}.output`];
  const results = new Map<string, number>();
  const measure = async (operation: string, parameters: JobParameters, inputPath: string, outputPath: string) => {
    const paths = operation === 'analyze' ? { inputPath } : { inputPath, outputPath };
    const job = {
      operation,
      ...paths,
      filename: 'model.off',
      parameters,
      memoryBytes: 2 ** 32,
      checksOwnMemory: false,
    };
    const key = [operation, ...Object.values(parameters).slice(0, 2)].join(' ');
    results.set(
      key,
      await countWork(session, async () => {
        const outcome = await performJob(job, () => undefined);
        if (operation === 'import') should(outcome).match({ type: 'done' });
      }),
    );
  };
  try {
    writeFileSync(file, Buffer.concat([...serializeModel(createExtreme(name, count), 'off')]));
    await measure('import', {}, file, model);
    for (const [operation, parameters] of OPERATIONS)
      if (isSelected(operation)) await measure(operation, parameters, model, output);
  } finally {
    for (const created of [file, model, output]) rmSync(created, { force: true });
  }
  return results;
}

/** Lists the jobs whose work grows faster than n log n, with an allowance of a quarter. */
async function listExcessive(
  session: inspector.Session,
  name: string,
  { count, constantWork }: Sizes,
  isSelected: (operation: string) => boolean,
): Promise<string[]> {
  const maxGrowth = GROWTH * (Math.log(GROWTH * count) / Math.log(count)) * 1.25;
  const before = await measureJobs(session, name, count, isSelected);
  const after = await measureJobs(session, name, GROWTH * count, isSelected);
  should(after.get('import')).be.above(GROWTH * count);
  return [...after]
    .filter(([job, work]) => {
      const allowance = SEARCHES_PAIRS.test(job) ? PAIR_WORK : constantWork;
      return work > allowance + maxGrowth * (before.get(job) ?? 0);
    })
    .map(([job, work]) => `${job}: ${before.get(job)} to ${work}`);
}

describe('performJob', () => {
  const session = new inspector.Session();

  before(() => {
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  });

  after(() => {
    session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  });

  for (const name of Object.keys(EXTREME_MODELS)) {
    it(`needs work in proportion to n log n for models with n triangles at one place: ${name}`, async () => {
      const isOnSmall = (operation: string) => OPERATIONS_ON_SMALL.test(operation);
      const excessive = [
        ...(await listExcessive(session, name, LARGE, (operation) => !isOnSmall(operation))),
        ...(await listExcessive(session, name, SMALL, isOnSmall)),
      ];
      excessive.should.deepEqual([]);
    });
  }
});
