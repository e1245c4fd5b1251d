import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { separateCoincidentVertices } from '../../../src/mesh/arrangement/separate-coincident-vertices.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver } from '../models/mesh-of.js';
import { rotated, shuffled } from '../models/transform.js';

/** Creates a tetrahedron with one corner at `tip` and the others around `end`. */
function makeSpike(tip: readonly number[], end: readonly number[]): IndexedMesh {
  const [x = 0, y = 0, z = 0] = end;
  const vertices = [[...tip], [x + 0.2, y, z], [x, y + 0.2, z], [x, y, z + 0.2]];
  const mesh = meshOf(vertices, [
    [0, 2, 1],
    [0, 3, 2],
    [0, 1, 3],
    [1, 2, 3],
  ]);
  return analyze(mesh).volumeMm3 > 0 ? mesh : turnedOver(mesh);
}

const TOUCHING: Record<string, { mesh: () => IndexedMesh; volumeMm3: number; shells: number }> = {
  'two cubes that touch at a corner': {
    mesh: () => joined(makeCube(), placed(makeCube(), [2, 2, 2])),
    volumeMm3: 16,
    shells: 2,
  },
  'two cubes that touch along an edge': {
    mesh: () => joined(makeCube(), placed(makeCube(), [2, 2, 0])),
    volumeMm3: 16,
    shells: 2,
  },
  'three cubes in a row, corner to corner': {
    mesh: () => joined(makeCube(), placed(makeCube(), [2, 2, 2]), placed(makeCube(), [4, 4, 4])),
    volumeMm3: 24,
    shells: 3,
  },
  'a void that touches the corner of its cube': {
    mesh: () => joined(makeCube(), turnedOver(makeSpike([1, 1, 1], [0, 0, 0]))),
    volumeMm3: 8 - 0.01,
    shells: 2,
  },
  'a void and a spike that touch the corner of a cube from both sides': {
    mesh: () => joined(makeCube(), turnedOver(makeSpike([1, 1, 1], [0, 0, 0])), makeSpike([1, 1, 1], [2, 2, 2])),
    volumeMm3: 0,
    shells: 3,
  },
};

describe('separateCoincidentVertices', () => {
  for (const [name, { mesh, volumeMm3, shells }] of Object.entries(TOUCHING)) {
    for (const [suffix, transform] of [
      ['', (source) => source],
      [', rotated', rotated],
      [', shuffled', shuffled],
    ] as [string, (source: IndexedMesh) => IndexedMesh][]) {
      it(`turns ${name}${suffix} into a solid and moves no vertex farther than the limit`, () => {
        const touching = transform(mesh());
        verdictOf(analyze(touching)).level.should.equal('manifold');
        const positions = separateCoincidentVertices(createMeshIndex(touching), 1e-4);
        const analysis = analyze({ ...touching, positions });
        verdictOf(analysis).should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
        analysis.shells.should.equal(shells);
        if (volumeMm3 > 0) analysis.volumeMm3.should.be.approximately(volumeMm3, 0.01);
        for (let i = 0; i < positions.length; i += 3) {
          const move = [0, 1, 2].map((k) => (positions[i + k] ?? 0) - (touching.positions[i + k] ?? 0));
          Math.hypot(...move).should.be.belowOrEqual(1e-4 * (1 + 1e-9));
        }
      });
    }
  }

  it('moves vertices of a thin box by less than its thickness', () => {
    const sliver = makeCube();
    for (let i = 2; i < sliver.positions.length; i += 3) sliver.positions[i] = (sliver.positions[i] ?? 0) * 1e-6;
    const touching = joined(sliver, placed(sliver, [2, 2, 0]));
    const analysis = analyze({ ...touching, positions: separateCoincidentVertices(createMeshIndex(touching), 1e-2) });
    verdictOf(analysis).level.should.equal('solid');
    analysis.volumeMm3.should.be.within(1e-6, 16e-6);
  });

  it('gives vertices finite positions beside a triangle whose other two corners coincide', () => {
    const cube = makeCube();
    // A vertex at the position of vertex 4 splits the triangle 4 6 7. Vertex 6 touches the second cube.
    const positions = Float64Array.from([...cube.positions, ...cube.positions.subarray(12, 15)]);
    const triangles = cube.triangles.filter((_, i) => i < 9 || i >= 12);
    const split = { positions, triangles: Uint32Array.from([...triangles, 4, 6, 8, 6, 7, 8, 7, 4, 8]) };
    const touching = joined(split, placed(cube, [2, 2, 2]));
    separateCoincidentVertices(createMeshIndex(touching), 1e-4).every(Number.isFinite).should.equal(true);
  });

  it('returns the positions themselves if no vertices coincide', () => {
    const cube = makeCube();
    separateCoincidentVertices(createMeshIndex(cube), 1).should.equal(cube.positions);
  });

  it('ignores unused vertices', () => {
    const cube = makeCube();
    const positions = Float64Array.from([...cube.positions, ...cube.positions.subarray(0, 3)]);
    separateCoincidentVertices(createMeshIndex({ ...cube, positions }), 1).should.equal(positions);
  });

  it('is deterministic', () => {
    const touching = joined(makeCube(), placed(makeCube(), [2, 2, 2]));
    separateCoincidentVertices(createMeshIndex(touching), 1e-4).should.deepEqual(
      separateCoincidentVertices(createMeshIndex(touching), 1e-4),
    );
  });
});
