import path from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import should from 'should';
import type { TaskRunner } from '../../../src/mesh/core/task-runner.js';
import { findIntersectionsWithRunner } from '../../../src/mesh/intersections/find-with-runner.js';
import { INTERSECTION_TASKS } from '../../../src/mesh/intersections/intersection-tasks.js';
import { findIntersectionsOf } from '../../../src/mesh/intersections/mark-intersecting.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { createThreadRunner } from '../../../src/service/kernel/thread-runner.js';
import { joined } from '../../mesh/models/mesh-of.js';
import { makeTorus } from '../../mesh/models/torus.js';
import { rotated } from '../../mesh/models/transform.js';

const NAMES = INTERSECTION_TASKS.map(({ name }) => name);
const MAX_WAIT_MS = 60_000;
const TORUS = makeTorus(200, 100);

describe('runTaskThread', () => {
  /** Task → the parts that the other thread has begun. */
  const counts = new Int32Array(new SharedArrayBuffer(NAMES.length * Int32Array.BYTES_PER_ELEMENT));
  const ownCounts = NAMES.map(() => 0);
  const partCounts = NAMES.map(() => 0);
  const { port1, port2 } = new MessageChannel();
  let thread: Worker;

  /** Creates a runner whose thread runs parts only once the other thread has begun one of the same task. */
  const createPatientRunner = (): TaskRunner => {
    const runner = createThreadRunner([port1], 0);
    return {
      minTriangles: 0,
      start(task, input, partCount) {
        const index = NAMES.indexOf(task.name);
        partCounts[index] = partCount;
        const runPart: typeof task.runPart = (taskInput, part) => {
          ownCounts[index] = (ownCounts[index] ?? 0) + 1;
          return task.runPart(taskInput, part);
        };
        const finish = runner.start({ name: task.name, runPart }, input, partCount);
        return () => {
          should(Atomics.wait(counts, index, 0, MAX_WAIT_MS)).not.equal('timed-out');
          return finish();
        };
      },
    };
  };

  before(() => {
    const workerData = { port: port2, counts };
    thread = new Worker(path.resolve('test/service/support/counts-parts.mjs'), { workerData, transferList: [port2] });
  });

  after(async () => {
    port1.close();
    await thread.terminate();
  });

  it('runs parts of each task of the kernel, which give the results of one thread', () => {
    const mesh = joined(TORUS, rotated(TORUS));
    const [index, expected] = [createMeshIndex(mesh), createMeshIndex(mesh)];
    findIntersectionsWithRunner(index, createPatientRunner());
    should(index.isDerived(findIntersectionsOf)).equal(true);
    should(index.derive(findIntersectionsOf)).deepEqual(expected.derive(findIntersectionsOf));
    should(NAMES).have.length(4);
    for (const [task, name] of NAMES.entries()) {
      should(counts[task]).be.above(0, name);
      should((counts[task] ?? 0) + (ownCounts[task] ?? 0)).equal(partCounts[task], name);
    }
  });
});
