import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { findIntersections } from '../../../src/mesh/intersections/find-intersections.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { createExtreme, EXTREME_MODELS } from '../models/extremes.js';
import { without } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { rotated } from '../models/transform.js';

function find(mesh: IndexedMesh, maxPairs?: number) {
  const limits = maxPairs === undefined ? {} : { maxPairs };
  const result = findIntersections(mesh, { twins: createMeshIndex(mesh).twins(), ...limits });
  return { ...result, crossing: [...result.crossing], overlapping: [...result.overlapping] };
}

/** Returns the mesh with its triangles in random order. */
function shuffled({ positions, triangles }: IndexedMesh): IndexedMesh {
  const random = createRandom(4);
  const order = Array.from({ length: triangles.length / 3 }, (_, triangle) => ({ triangle, key: random() }));
  order.sort((a, b) => a.key - b.key);
  const corners = order.flatMap(({ triangle }) => [...triangles.subarray(triangle * 3, triangle * 3 + 3)]);
  return { positions, triangles: Uint32Array.from(corners) };
}

const ARRANGEMENTS = { 'as created': (mesh: IndexedMesh) => mesh, shuffled, rotated };
/** Far fewer pairs than those whose boxes touch. */
const MAX_PAIRS = 100_000;

describe('findIntersections of a closed surface with many triangles at a vertex', () => {
  for (const name of ['cone', 'jagged cone']) {
    for (const [arrangement, arrange] of Object.entries(ARRANGEMENTS)) {
      it(`skips most pairs whose boxes touch: ${name}, ${arrangement}`, () => {
        const mesh = arrange(createExtreme(name, 3000));
        const { crossing, overlapping, isComplete, checkedPairs } = find(mesh, MAX_PAIRS);
        should({ crossing, overlapping, isComplete }).deepEqual({ crossing: [], overlapping: [], isComplete: true });
        checkedPairs.should.be.within(MAX_PAIRS, 2 * MAX_PAIRS);
      });
    }
  }

  it('finds the same intersections as a search of all pairs', () => {
    const random = createRandom(8);
    for (const name of ['cone', 'jagged cone']) {
      for (let round = 0; round < 20; round++) {
        const mesh = createExtreme(name, 1000);
        const positions = mesh.positions.slice();
        for (let change = 0; change < 3; change++) {
          // A vertex of the rim goes to the place of one nearby, or beyond it.
          const from = 2 + Math.floor(random() * 480);
          const to = from + 1 + Math.floor(random() * 15);
          const factor = random() < 0.5 ? 1 : 0.5 + random();
          for (let k = 0; k < 3; k++) positions[from * 3 + k] = (mesh.positions[to * 3 + k] ?? 0) * factor;
        }
        const changed = { positions, triangles: mesh.triangles };
        const { crossing, overlapping } = find(changed);
        const limited = find(changed, 60_000);
        should(limited.checkedPairs).be.above(60_000);
        should(limited).containDeep({ crossing, overlapping, isComplete: true });
        should(limited.crossing.length).equal(crossing.length);
        crossing.length.should.be.above(0);
      }
    }
  });

  it('is not complete if too many pairs remain', () => {
    find(createExtreme('cone', 3000), 1000).isComplete.should.be.false();
  });

  it('is not complete in a surface with boundary edges, which is no solid in any case', () => {
    find(without(createExtreme('jagged cone', 3000), 0), MAX_PAIRS).isComplete.should.be.false();
  });

  for (const [name, create] of Object.entries(EXTREME_MODELS)) {
    it(`tests at most twice as many pairs as the limit: ${name}`, () => {
      for (const count of [500, 2000])
        find(create(count), 30 * count).checkedPairs.should.be.belowOrEqual(60 * count + 2);
    });
  }
});
