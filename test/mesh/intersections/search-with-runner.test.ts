import should from 'should';
import type { TaskRunner } from '../../../src/mesh/core/task-runner.js';
import { findIntersections } from '../../../src/mesh/intersections/find-intersections.js';
import { searchWithRunner } from '../../../src/mesh/intersections/search-with-runner.js';
import { buildBvh } from '../../../src/mesh/spatial/bvh.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { joined, meshOf } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeTorus } from '../models/torus.js';

const random = createRandom(7);
const corner = () => [random() * 50 - 25, random() * 50 - 25, random() * 50 - 25];
const LONG_TRIANGLES = meshOf(
  Array.from({ length: 900 }, corner),
  Array.from({ length: 300 }, (_, i) => [i * 3, i * 3 + 1, i * 3 + 2]),
);
/** 60,000 triangles, 300 of them long: the boxes of all four nodes of which the parts consist touch. */
const MESH = joined(makeTorus(199, 150), LONG_TRIANGLES);

/** Returns the arguments of a search, with the number of reads of `isDegenerate`: two for each tested pair. */
function createSearch() {
  const { mesh, twins } = createMeshIndex(MESH);
  const tree = buildBvh(mesh.positions, mesh.triangles);
  const reads = { count: 0 };
  const isDegenerate = new Proxy(new Uint8Array(mesh.triangles.length / 3), {
    get: (array, key) => {
      if (key !== 'length') reads.count += 1;
      return Reflect.get(array, key);
    },
  });
  return { reads, searched: { mesh, tree, isDegenerate, twins: twins() } };
}

/** Creates a runner of one thread. */
function createRunner(): TaskRunner & { partCounts: number[] } {
  const partCounts: number[] = [];
  return {
    minTriangles: 0,
    partCounts,
    start(task, input, partCount) {
      partCounts.push(partCount);
      return () => Array.from({ length: partCount }, (_, part) => task.runPart(input, part));
    },
  };
}

describe('searchWithRunner', () => {
  const expected = findIntersections(MESH, { twins: createMeshIndex(MESH).twins() });

  it('finds the same as one thread if there are as many pairs as allowed', () => {
    const { searched } = createSearch();
    const found = searchWithRunner(searched, createRunner(), { maxPairs: expected.checkedPairs });
    should(found).deepEqual(expected);
  });

  for (const maxPairs of [0, 10_000, expected.checkedPairs - 1]) {
    it(`finds nothing, and tests at most 1,024 more pairs, if there are more than allowed (${maxPairs})`, () => {
      const { reads, searched } = createSearch();
      const runner = createRunner();
      should(searchWithRunner(searched, runner, { maxPairs })).equal(undefined);
      should(runner.partCounts[0]).be.aboveOrEqual(10);
      should(reads.count / 2).be.belowOrEqual(maxPairs + 1024);
    });
  }

  it('runs no part if there are more than allowed', () => {
    const { searched } = createSearch();
    const runner = createRunner();
    should(searchWithRunner(searched, runner, { maxPairs: 1e9, maxParts: 9 })).equal(undefined);
    should(runner.partCounts).deepEqual([]);
  });
});
