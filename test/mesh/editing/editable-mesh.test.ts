import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { tryCollapseEdge } from '../../../src/mesh/editing/collapse-edge.js';
import { EditableMesh } from '../../../src/mesh/editing/editable-mesh.js';
import { tryMoveVertex } from '../../../src/mesh/editing/move-vertices.js';
import { ZERO } from '../../../src/mesh/geometry/far-origin.js';
import { buildBvh } from '../../../src/mesh/spatial/bvh.js';
import { meshOf } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeLathe } from '../models/sweeps.js';

const SEGMENTS = 2000;

function toEditableMesh({ positions, triangles }: IndexedMesh, maxTests?: number): EditableMesh {
  const tree = buildBvh(positions, triangles);
  return new EditableMesh(positions.slice(), triangles.slice(), new Uint8Array(triangles.length / 3), tree, maxTests);
}

/** Creates a double cone of 4,000 triangles whose upper tip is below the lower one: both halves cross. */
function makeCrossingCones(): IndexedMesh {
  const mesh = makeLathe(
    [
      [0, -1],
      [10, 0],
      [0, 1],
    ],
    SEGMENTS,
  );
  const positions = mesh.positions.map((value, i) => (i % 3 === 2 && Math.abs(value) === 1 ? -value : value));
  for (let i = 3; i < positions.length - 3; i += 3) positions[i + 2] = Math.sin(i) * 0.01; // a border that is not planar
  return { ...mesh, positions };
}

/** Three triangles: the second one crosses the first, and the third is apart. */
const CROSSING = meshOf(
  [
    [0, 0, 0],
    [4, 0, 0],
    [0, 4, 0],
    [1, 1, -1],
    [1, 1, 3],
    [2, 1, 3],
    [5, 5, 3],
    [6, 5, 3],
    [5, 6, 3],
  ],
  [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
  ],
);

describe('EditableMesh', () => {
  const cones = makeCrossingCones();
  const tip = cones.positions.length / 3 - 1;

  it('moves a vertex of 2,000 triangles only within the limit of its work', () => {
    const maxTests = 20_000;
    const surface = toEditableMesh(cones, maxTests);
    tryMoveVertex(surface, tip, [[0, 0, 1]], { maxUlps: 256, origin: ZERO, random: createRandom(1) });
    surface.isExhausted.should.be.true();
    surface.testCount.should.be.belowOrEqual(maxTests + SEGMENTS);
    surface.positions.should.deepEqual(cones.positions);
  });

  it('collapses no edge at such a vertex beyond the limit', () => {
    const maxTests = 20_000;
    const surface = toEditableMesh(cones, maxTests);
    tryCollapseEdge(surface, tip, 1).should.be.false();
    surface.testCount.should.be.belowOrEqual(maxTests + SEGMENTS);
    surface.triangles.should.deepEqual(cones.triangles);
    surface.oneRingOf(tip).length.should.equal(SEGMENTS);
  });

  it('finds the neighbors at an edge from its vertex with fewer triangles', () => {
    const surface = toEditableMesh(cones);
    surface.valenceOf(tip).should.equal(SEGMENTS);
    surface.trianglesAtEdge(tip, 1).length.should.equal(2);
    surface
      .commonNeighborsOf(tip, 1)
      .sort((a, b) => a - b)
      .should.deepEqual([2, SEGMENTS]);
  });

  it('finds the defects of a triangle once', () => {
    const surface = toEditableMesh(cones);
    surface.isDefective(0);
    const { testCount } = surface;
    testCount.should.be.above(0);
    surface.isDefective(0);
    surface.createEditRegion([0]);
    surface.testCount.should.equal(testCount);
  });

  it('keeps the defects of triangles around an edit up to date', () => {
    const surface = toEditableMesh(CROSSING);
    [0, 1, 2].map((triangle) => surface.isDefective(triangle)).should.deepEqual([true, true, false]);
    surface.tryEdit(surface.createEditRegion([1]), () => surface.move(3, [1, 1, 1])).should.be.true();
    [0, 1, 2].map((triangle) => surface.isDefective(triangle)).should.deepEqual([false, false, false]);
    surface.drainChanged().should.deepEqual([1]);
  });

  it('rolls back an edit that does not reduce the defects', () => {
    const surface = toEditableMesh(CROSSING);
    surface.tryEdit(surface.createEditRegion([1]), () => surface.move(3, [1, 1, -2])).should.be.false();
    surface.positions.should.deepEqual(CROSSING.positions);
    [0, 1, 2].map((triangle) => surface.isDefective(triangle)).should.deepEqual([true, true, false]);
    surface.drainChanged().should.be.empty();
  });
});
