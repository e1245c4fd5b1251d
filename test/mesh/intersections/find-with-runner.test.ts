import { deepStrictEqual } from 'node:assert';
import should from 'should';
import { analyzeIndexed, analyzeWithRunner } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import type { TaskRunner } from '../../../src/mesh/core/task-runner.js';
import { findIntersectionsWithRunner } from '../../../src/mesh/intersections/find-with-runner.js';
import { findIntersectionsOf, markDegenerateTrianglesOf } from '../../../src/mesh/intersections/mark-intersecting.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { countOf, sample } from '../../helpers/counts.js';
import { DAMAGES } from '../models/damages.js';
import { joined, meshOf } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';

// 40,000 triangles: pairs are tested below four nodes of the BVH.
const TORUS = makeTorus(200, 100);
const MODELS: Record<string, () => IndexedMesh> = {
  'a solid': () => TORUS,
  'two bodies that cross': () => joined(TORUS, rotated(TORUS)),
  'a body twice': () => joined(TORUS, TORUS),
  'flat bodies': () => ({ ...TORUS, positions: TORUS.positions.map((value, i) => (i % 3 === 2 ? 0 : value)) }),
  'a body far from zero': () => ({ ...TORUS, positions: TORUS.positions.map((value) => value + 1e6) }),
  'a small body': () => makeTorus(5, 4),
  ...Object.fromEntries(Object.entries(DAMAGES).map(([name, damage]) => [name, () => damage(TORUS)])),
};

/** Creates a runner of one thread that runs the parts in random order, on copies of what threads do not share. */
function createShufflingRunner(minTriangles = 0): TaskRunner & { partCounts: Map<string, number> } {
  const random = createRandom(3);
  const partCounts = new Map<string, number>();
  return {
    minTriangles,
    partCounts,
    start(task, input, partCount) {
      const copy = structuredClone(input);
      partCounts.set(task.name, partCount);
      return () => {
        const order = Array.from({ length: partCount }, (_, part) => ({ part, rank: random() }));
        const outputs = order
          .toSorted((a, b) => a.rank - b.rank)
          .map(({ part }) => ({ part, output: structuredClone(task.runPart(copy, part)) }));
        return outputs.toSorted((a, b) => a.part - b.part).map(({ output }) => output);
      };
    },
  };
}

describe('findIntersectionsWithRunner', () => {
  for (const [name, create] of sample(Object.entries(MODELS), countOf('models of a runner'))) {
    it(`finds the same as one thread, and counts the same pairs: ${name}`, () => {
      const [expected, index] = [createMeshIndex(create()), createMeshIndex(create())];
      findIntersectionsWithRunner(index, createShufflingRunner());
      index.isDerived(findIntersectionsOf).should.be.true();
      deepStrictEqual(index.derive(findIntersectionsOf), expected.derive(findIntersectionsOf)); // faster than should
      const isDegenerate = index.derive(markDegenerateTrianglesOf);
      Buffer.compare(isDegenerate, expected.derive(markDegenerateTrianglesOf)).should.equal(0);
      const [tree, expectedTree] = [index.bvh(), expected.bvh()];
      for (const part of ['order', 'boxes', 'nodeBoxes'] as const) {
        Buffer.compare(new Uint8Array(tree[part].buffer), new Uint8Array(expectedTree[part].buffer)).should.equal(0);
      }
    });

    it(`leads to the same analysis and the same repair: ${name}`, () => {
      const analyzed = analyzeWithRunner(createMeshIndex(create()), createShufflingRunner());
      deepStrictEqual(analyzed, createMeshIndex(create()).derive(analyzeIndexed));
      const { mesh, ...result } = repair(create(), { runner: createShufflingRunner() });
      const { mesh: expectedMesh, ...expected } = repair(create());
      deepStrictEqual(result, expected);
      deepStrictEqual(mesh, expectedMesh);
    });
  }

  it('divides the search', () => {
    const runner = createShufflingRunner();
    findIntersectionsWithRunner(createMeshIndex(TORUS), runner);
    should(runner.partCounts.get('search-intersections')).be.above(4);
  });

  it('reuses a BVH that is known', () => {
    const index = createMeshIndex(TORUS);
    index.bvh();
    const runner = createShufflingRunner();
    findIntersectionsWithRunner(index, runner);
    should([...runner.partCounts.keys()]).deepEqual(['mark-degenerate', 'search-intersections']);
    should(index.derive(findIntersectionsOf)).deepEqual(createMeshIndex(TORUS).derive(findIntersectionsOf));
  });

  it('leaves small meshes and known intersections as they are', () => {
    const runner = createShufflingRunner(40_001);
    findIntersectionsWithRunner(createMeshIndex(TORUS), runner);
    const known = createMeshIndex(TORUS);
    known.derive(findIntersectionsOf);
    findIntersectionsWithRunner(known, createShufflingRunner());
    runner.partCounts.size.should.equal(0);
  });

  it('leaves a search that exceeds its limit of pairs to one thread', () => {
    // Long triangles through the origin: the boxes of all pairs touch.
    const random = createRandom(5);
    const corner = () => [random() - 0.5, random() - 0.5, random() - 0.5];
    const star = meshOf(
      Array.from({ length: 3300 }, corner).flatMap((tip) => [tip, tip.map((x) => -x + 1e-3), corner()]),
      Array.from({ length: 3300 }, (_, i) => [i * 3, i * 3 + 1, i * 3 + 2]),
    );
    const index = createMeshIndex(star);
    findIntersectionsWithRunner(index, createShufflingRunner());
    index.isDerived(findIntersectionsOf).should.be.false();
    index.derive(findIntersectionsOf).isComplete.should.be.false();
  });
});
