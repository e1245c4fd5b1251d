import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { RETRIANGULATE_PLANAR_REGIONS } from '../../../src/mesh/repair/retriangulate-planar-regions.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed } from '../models/mesh-of.js';
import { rotated } from '../models/transform.js';
import { runStep } from './run-step.js';

/** A cube whose top is four triangles around a vertex in its plane. They overlap if the vertex is outside the top. */
function makeCubeWithTopVertex(x: number, y: number): IndexedMesh {
  const { positions, triangles } = makeCube();
  const top = [4, 5, 8, 5, 6, 8, 6, 7, 8, 7, 4, 8];
  return {
    positions: Float64Array.from([...positions, x, y, 1]),
    triangles: Uint32Array.from([...triangles.subarray(0, 6), ...triangles.subarray(12), ...top]),
  };
}

describe('the step planar-regions', () => {
  it('leaves a mesh without overlaps and an open mesh unchanged', () => {
    const valid = makeCubeWithTopVertex(0, 0);
    runStep(RETRIANGULATE_PLANAR_REGIONS, valid).should.containEql({ changed: 0, mesh: valid });
    const open = { ...valid, triangles: valid.triangles.subarray(3) };
    runStep(RETRIANGULATE_PLANAR_REGIONS, open).changed.should.equal(0);
  });

  it('retriangulates a face whose triangles fold over its boundary, and preserves the volume', () => {
    const distantCube = placed(makeCube(), [5, 0, 0]); // keeps the bounds without the fold
    for (const mesh of [
      joined(makeCubeWithTopVertex(1.5, 0.25), distantCube),
      rotated(joined(makeCubeWithTopVertex(1.5, 0.25), distantCube)),
    ]) {
      const { analysis, changed } = runStep(RETRIANGULATE_PLANAR_REGIONS, mesh);
      changed.should.equal(1);
      analysis.should.match({ badEdges: 0, triangles: 24, vertices: 16 });
      analysis.qualityParams.should.match({ overlappingTriangles: 0, intersectingTriangles: 0 });
      analysis.volumeMm3.should.be.approximately(16, 1e-9);
      analysis.surfaceAreaMm2.should.be.approximately(48, 1e-9);
    }
  });

  it('keeps a fold if the bounds would shrink without it', () => {
    const folded = makeCubeWithTopVertex(1.5, 0.25);
    runStep(RETRIANGULATE_PLANAR_REGIONS, folded).should.containEql({ changed: 0, mesh: folded });
  });

  it('drops a closed planar shell', () => {
    const flat = meshOf(
      [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 0],
      ],
      [
        [0, 1, 2],
        [0, 2, 3],
        [1, 0, 3],
        [1, 3, 2],
      ],
    );
    runStep(RETRIANGULATE_PLANAR_REGIONS, joined(makeCube(), flat)).analysis.should.match({
      triangles: 12,
      shells: 1,
      badEdges: 0,
    });
    runStep(RETRIANGULATE_PLANAR_REGIONS, flat).changed.should.equal(0); // the mesh has no other shell
  });

  it('merges two bodies that touch at a whole face', () => {
    const { analysis, changed } = runStep(
      RETRIANGULATE_PLANAR_REGIONS,
      joined(makeCube(), placed(makeCube(), [2, 0, 0])),
    );
    changed.should.equal(1);
    analysis.should.match({ triangles: 20, shells: 1, badEdges: 0 });
    analysis.volumeMm3.should.be.approximately(16, 1e-12);
  });

  it('splits the edges of a boundary that crosses itself, and the triangles beyond them', () => {
    // A corner of the cube is moved along an edge beyond its end: a part of the top then faces down, a part of the back
    // forward.
    const { positions, triangles } = makeCube();
    const crossed = { positions: positions.map((value, i) => (i === 6 * 3 ? -3 : value)), triangles };
    for (const mesh of [crossed, rotated(crossed)]) {
      const { analysis, changed } = runStep(RETRIANGULATE_PLANAR_REGIONS, mesh);
      changed.should.equal(2);
      analysis.should.match({ badEdges: 0, vertices: 10, degenerateTriangles: 0 });
      analysis.qualityParams.overlappingTriangles.should.equal(0);
      analysis.volumeMm3.should.be.approximately(analyze(mesh).volumeMm3, 1e-12);
    }
  });

  it('appears in the report of a repair', () => {
    const { report } = repair(joined(makeCubeWithTopVertex(1.5, 0.25), placed(makeCube(), [5, 0, 0])));
    should(report.steps.find(({ name }) => name === 'planar-regions')).match({ changed: 1, removedTriangles: 2 });
    report.verdict.level.should.equal('solid');
  });
});
