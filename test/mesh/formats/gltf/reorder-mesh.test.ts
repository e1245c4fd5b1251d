import { MeshoptEncoder } from 'meshoptimizer/encoder';
import should from 'should';
import { MAX_CORNERS_PER_COPY, reorderMesh, splitVertices } from '../../../../src/mesh/formats/gltf/reorder-mesh.js';
import { UNUSED } from '../../../../src/mesh/topology/compact.js';
import { makeCube } from '../../models/cube.js';
import { EXTREME_MODELS } from '../../models/extremes.js';

const COUNT = 3000;

/** Returns each triangle as text that begins with its lowest corner, sorted. */
function listTriangles(corners: Uint32Array, vertexOf: (corner: number) => number): string[] {
  return Array.from({ length: corners.length / 3 }, (_, i) => {
    const triangle = [...corners.subarray(i * 3, i * 3 + 3)].map(vertexOf);
    const first = triangle.indexOf(Math.min(...triangle));
    return [0, 1, 2].map((k) => triangle[(first + k) % 3]).join(' ');
  }).sort((a, b) => (a < b ? -1 : 1));
}

describe('reorderMesh', () => {
  before(() => MeshoptEncoder.ready);

  for (const [name, create] of Object.entries(EXTREME_MODELS)) {
    it(`keeps the triangles, their winding and their common vertices: ${name}`, () => {
      const { triangles } = create(COUNT);
      const { indices, newVertexOf, vertexCount } = reorderMesh(triangles, true);
      const vertexOf = new Map(
        [...newVertexOf.entries()].flatMap(([vertex, id]) => (id === UNUSED ? [] : [[id, vertex]])),
      );
      vertexOf.size.should.equal(vertexCount);
      listTriangles(indices, (id) => vertexOf.get(id) ?? -1).should.deepEqual(listTriangles(triangles, (id) => id));
    });
  }
});

describe('splitVertices', () => {
  for (const [name, create] of Object.entries(EXTREME_MODELS)) {
    it(`leaves at most ${MAX_CORNERS_PER_COPY} corners at a vertex, and adds no more vertices than needed: ${name}`, () => {
      const { triangles, positions } = create(COUNT);
      const split = splitVertices(triangles);
      if (!split) {
        const counts = new Uint32Array(positions.length / 3);
        for (const vertex of triangles) counts[vertex] = (counts[vertex] ?? 0) + 1;
        Math.max(...counts).should.be.belowOrEqual(MAX_CORNERS_PER_COPY);
        return;
      }
      const counts = new Uint32Array(split.vertexOf.length);
      for (const copy of split.copies) counts[copy] = (counts[copy] ?? 0) + 1;
      Math.max(...counts).should.equal(MAX_CORNERS_PER_COPY);
      split.vertexOf.length.should.be.below(positions.length / 3 + triangles.length / MAX_CORNERS_PER_COPY + 3);
      [...split.copies].map((copy) => split.vertexOf[copy]).should.deepEqual([...triangles]);
    });
  }

  it('splits no vertex of a usual mesh', () => {
    should(splitVertices(makeCube().triangles)).be.undefined();
  });
});
