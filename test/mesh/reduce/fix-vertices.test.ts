import should from 'should';
import { createWorkCounter } from '../../../src/mesh/core/work-counter.js';
import { collapseEdges } from '../../../src/mesh/reduce/collapse-edges.js';
import { fixVertices } from '../../../src/mesh/reduce/fix-vertices.js';
import { HalfEdgeCollapseMesh } from '../../../src/mesh/reduce/half-edge-collapse-mesh.js';
import { buildBvh } from '../../../src/mesh/spatial/bvh.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { buildEdges, findTwins } from '../../../src/mesh/topology/edges.js';
import { makeTorus } from '../models/torus.js';

describe('fixVertices', () => {
  const torus = makeTorus(40, 20);
  const vertexCount = torus.positions.length / 3;
  const original = {
    mesh: torus,
    tree: buildBvh(torus.positions, torus.triangles),
    twins: findTwins(torus.triangles, buildEdges(torus.triangles, vertexCount)),
  };
  const surface = new HalfEdgeCollapseMesh(torus, new DistanceQuery(torus), { accuracyMm: 0.3, maxAngle: 60 });
  collapseEdges(surface, new Uint8Array(vertexCount).fill(1));
  const reduction = { triangles: surface.triangles, remaining: surface.toMesh() };
  const originalOf = Uint32Array.from([...surface.isRemoved.keys()].filter((t) => surface.isRemoved[t] === 0));
  const cornersOf = (triangles: Uint32Array, index: number): number[] => {
    const triangle = originalOf[index] ?? 0;
    return [...triangles.subarray(triangle * 3, triangle * 3 + 3)];
  };
  const moved = [...originalOf.keys()].filter((index) => {
    const after = cornersOf(reduction.triangles, index);
    return cornersOf(torus.triangles, index).filter((vertex) => !after.includes(vertex)).length === 2;
  });
  const kept = [...originalOf.keys()].filter(
    (index) => cornersOf(reduction.triangles, index).join() === cornersOf(torus.triangles, index).join(),
  );

  function listFixed(faults: { intersecting?: number[]; outliers?: []; attempt: number }) {
    const isRemovable = new Uint8Array(vertexCount).fill(1);
    const hasFixed = fixVertices(original, isRemovable, {
      ...{ reduction, originalOf, outliers: [], intersecting: [], work: createWorkCounter() },
      ...faults,
    });
    return { hasFixed, fixed: [...isRemovable.keys()].filter((vertex) => isRemovable[vertex] === 0) };
  }

  it('fixes the vertices that moved corners of an intersecting triangle', () => {
    const index = moved[0] ?? 0;
    const after = cornersOf(reduction.triangles, index);
    const removed = cornersOf(torus.triangles, index).filter((vertex) => !after.includes(vertex));
    const { hasFixed, fixed } = listFixed({ intersecting: [index], attempt: 0 });
    hasFixed.should.be.true();
    fixed.should.deepEqual(removed.sort((a, b) => a - b));
  });

  it('fixes all vertices near intersecting triangles if none of these changed, and in later attempts', () => {
    const index = moved[0] ?? 0;
    const near = listFixed({ intersecting: [index], attempt: 7 }).fixed;
    should(near.length).be.above(3);
    for (const vertex of cornersOf(reduction.triangles, index)) near.should.containEql(vertex);
    const unchanged = kept[0] ?? 0;
    const { hasFixed, fixed } = listFixed({ intersecting: [unchanged], attempt: 0 });
    hasFixed.should.be.true();
    for (const vertex of cornersOf(torus.triangles, unchanged)) fixed.should.containEql(vertex);
  });

  it('fixes nothing without a place that is at fault', () => {
    listFixed({ attempt: 0 }).should.deepEqual({ hasFixed: false, fixed: [] });
  });
});
