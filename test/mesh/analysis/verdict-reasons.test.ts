import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { gatherPositions, weldPoints } from '../../../src/mesh/welding/weld.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';

function reasonsOf(mesh: IndexedMesh): string[] {
  return verdictOf(analyze(mesh)).reasons;
}

/** The ends of an edge of the cube, and a point away from it. */
const CORNERS = [
  [1, 1, -1],
  [1, 1, 1],
  [5, 5, 0],
];

/** Joins meshes, and merges their equal vertices. */
function weldedTogether(...meshes: IndexedMesh[]): IndexedMesh {
  const { positions, triangles } = joined(...meshes);
  const { vertexOf, firstPoint } = weldPoints(positions);
  return {
    positions: gatherPositions(positions, firstPoint),
    triangles: triangles.map((vertex) => vertexOf[vertex] ?? 0),
  };
}

describe('the level of a model without boundary edges', () => {
  it('is watertight, not open, if edges have other than two triangles of opposite direction', () => {
    const touching = weldedTogether(makeCube(), placed(makeCube(), [2, 2, 0]));
    const stacked = weldedTogether(makeCube(), placed(makeCube(), [2, 0, 0]));
    for (const mesh of [touching, stacked, turnedOver(makeCube(), 0), turnedOver(makeCube(), 0, 5, 7)]) {
      const analysis = analyze(mesh);
      analysis.boundaryEdges.should.equal(0);
      verdictOf(analysis).should.match({ level: 'watertight', needsRepair: true });
    }
  });

  it('is watertight if parts touch at a vertex, and open once a triangle is missing', () => {
    const touching = weldedTogether(makeCube(), placed(makeCube(), [2, 2, 2]));
    verdictOf(analyze(touching)).level.should.equal('watertight');
    verdictOf(analyze(without(touching, 0))).level.should.equal('open');
  });
});

describe('the reasons of a verdict', () => {
  it('name the boundary edges of a hole, and no shells', () => {
    reasonsOf(without(makeCube(), 0)).should.deepEqual(['3 boundary edges']);
  });

  it('say how many triangles the edges of closed bodies that touch have', () => {
    reasonsOf(weldedTogether(makeCube(), placed(makeCube(), [2, 2, 0]))).should.deepEqual([
      '1 edge has four triangles',
    ]);
    const row = weldedTogether(makeCube(), placed(makeCube(), [2, 2, 0]), placed(makeCube(), [-2, -2, 0]));
    reasonsOf(row).should.deepEqual(['2 edges have four triangles']);
    const wall = weldedTogether(makeCube(), meshOf(CORNERS, [[0, 1, 2]]));
    reasonsOf(wall).should.deepEqual(['2 boundary edges', '1 edge has three triangles']);
  });

  it('say only that edges have more than two triangles if an earlier version analyzed the model', () => {
    const { edgesByTriangles: _, ...analysis } = analyze(weldedTogether(makeCube(), placed(makeCube(), [2, 2, 0])));
    verdictOf(analysis).reasons.should.deepEqual(['1 edge has more than two triangles']);
  });

  it('name triangles that face inward', () => {
    reasonsOf(turnedOver(makeCube())).should.deepEqual(['inside out: 12 triangles face inward']);
  });

  it('name a shell directly inside another', () => {
    const outer = placed(makeCube(), [0, 0, 0], 3);
    reasonsOf(joined(outer, makeCube())).should.deepEqual([
      'a shell directly inside another, without a cavity around it',
    ]);
  });

  it('name only the intersections of shells that cross', () => {
    const reasons = reasonsOf(joined(makeCube(), turnedOver(placed(makeCube(), [0.5, 0.4, 0.3]))));
    reasons.should.have.length(1);
    reasons[0]?.should.match(/^\d+ intersecting triangles$/);
  });

  it('name the missing triangles of an empty mesh', () => {
    reasonsOf(meshOf([], [])).should.deepEqual(['no triangles']);
  });
});
