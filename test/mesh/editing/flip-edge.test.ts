import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { EditableMesh } from '../../../src/mesh/editing/editable-mesh.js';
import { tryFlipEdge } from '../../../src/mesh/editing/flip-edge.js';
import { buildBvh } from '../../../src/mesh/spatial/bvh.js';
import { joined, meshOf } from '../models/mesh-of.js';

/** An octahedron. Triangle 0 is between the positive axes. */
const OCTAHEDRON = meshOf(
  [
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
  ],
  [
    [0, 2, 4],
    [2, 1, 4],
    [1, 3, 4],
    [3, 0, 4],
    [2, 0, 5],
    [1, 2, 5],
    [3, 1, 5],
    [0, 3, 5],
  ],
);

/** A tetrahedron that pierces the edge between the x and the z axis from outside. */
const SPIKE = meshOf(
  [
    [2, 0.1, 2],
    [2, -0.1, 2],
    [2.1, 0, 1.9],
    [0.4, 0.01, 0.4],
  ],
  [
    [0, 1, 2],
    [0, 3, 1],
    [1, 3, 2],
    [2, 3, 0],
  ],
);

function toEditableMesh({ positions, triangles }: IndexedMesh): EditableMesh {
  const isIgnored = new Uint8Array(triangles.length / 3);
  return new EditableMesh(positions, triangles.slice(), isIgnored, buildBvh(positions, triangles));
}

describe('tryFlipEdge', () => {
  it('flips an edge if that removes an intersection', () => {
    const surface = toEditableMesh(joined(OCTAHEDRON, SPIKE));
    tryFlipEdge(surface, 0, 4, 0, 1).should.be.true();
    surface.neighborsOf(2).should.containEql(3);
    [0, 3].map((triangle) => surface.isDefective(triangle)).should.deepEqual([false, false]);
  });

  it('keeps an edge if the flip would move the surface too far', () => {
    const surface = toEditableMesh(joined(OCTAHEDRON, SPIKE));
    tryFlipEdge(surface, 0, 4, 0, 0.7).should.be.false();
    [...surface.triangles].should.deepEqual([...joined(OCTAHEDRON, SPIKE).triangles]);
  });

  it('keeps an edge without defects', () => {
    tryFlipEdge(toEditableMesh(OCTAHEDRON), 0, 4, 0, 1).should.be.false();
  });
});
