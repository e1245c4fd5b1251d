import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { findNesting } from '../../../src/mesh/spatial/nesting.js';
import { findTwinShells } from '../../../src/mesh/topology/shells.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeTube } from '../models/sweeps.js';

/** Returns the containers of each shell, and how many rays were cast. */
function measureNesting(mesh: IndexedMesh) {
  const index = createMeshIndex(mesh);
  const shells = findTwinShells(index.twins());
  let rayCount = 0;
  const counted = {
    ...index,
    bvh: () => {
      rayCount++;
      return index.bvh();
    },
  };
  const { containers } = findNesting(counted, shells, new Uint8Array(shells.count).fill(1));
  return { containers, rayCount };
}

describe('findNesting', () => {
  it('finds the shells around a shell, with one ray', () => {
    const nested = joined(placed(makeCube(), [0, 0, 0], 3), placed(makeCube(), [0, 0, 0], 2), makeCube());
    const { containers, rayCount } = measureNesting(nested);
    containers.should.deepEqual([[], [0], [0, 1]]);
    rayCount.should.equal(2);
  });

  it('finds a shell that encloses another twice', () => {
    const curve = (parameter: number): [number, number, number] => {
      const angle = 2 * Math.PI * parameter;
      return [10 * Math.cos(angle), 5 * Math.sin(2 * angle), 0];
    };
    const { containers } = measureNesting(joined(makeTube(curve, 72, 8, 3, true), makeCube()));
    containers.should.deepEqual([[], [0]]);
  });

  it('casts no rays between triangles that are back to back, which contain nothing', () => {
    const random = createRandom(2);
    const corners = Array.from({ length: 600 }, () => [random(), random(), random()]);
    const pairs = Array.from({ length: 200 }, (_, i) => [
      [i * 3, i * 3 + 1, i * 3 + 2],
      [i * 3, i * 3 + 2, i * 3 + 1],
    ]).flat();
    const { containers, rayCount } = measureNesting(meshOf(corners, pairs));
    containers.every(({ length }) => length === 0).should.be.true();
    rayCount.should.equal(0);
  });
});
