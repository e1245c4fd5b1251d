import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { RETRIANGULATE_PLANAR_REGIONS } from '../../../src/mesh/repair/retriangulate-planar-regions.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed } from '../models/mesh-of.js';
import { rotated } from '../models/transform.js';
import { runStep } from './run-step.js';

/** The cube, its top made of four triangles round a vertex in its plane; where that is not over the top, they lie over each other. */
function withTopRound(x: number, y: number): IndexedMesh {
  const { positions, triangles } = makeCube();
  const top = [4, 5, 8, 5, 6, 8, 6, 7, 8, 7, 4, 8];
  return {
    positions: Float64Array.from([...positions, x, y, 1]),
    triangles: Uint32Array.from([...triangles.subarray(0, 6), ...triangles.subarray(12), ...top]),
  };
}

describe('the step planar-regions', () => {
  it('leaves a sound mesh as it is, also with an open one', () => {
    const sound = withTopRound(0, 0);
    runStep(RETRIANGULATE_PLANAR_REGIONS, sound).should.containEql({ changed: 0, mesh: sound });
    const open = { ...sound, triangles: sound.triangles.subarray(3) };
    runStep(RETRIANGULATE_PLANAR_REGIONS, open).changed.should.equal(0);
  });

  it('triangulates a face anew whose triangles fold over its border, and keeps what it encloses', () => {
    const far = placed(makeCube(), [5, 0, 0]); // so that the fold is not the outermost part
    for (const mesh of [joined(withTopRound(1.5, 0.25), far), rotated(joined(withTopRound(1.5, 0.25), far))]) {
      const { analysis, changed } = runStep(RETRIANGULATE_PLANAR_REGIONS, mesh);
      changed.should.equal(1);
      analysis.should.match({ badEdges: 0, triangles: 24, vertices: 16 });
      analysis.qualityParams.should.match({ overlappingTriangles: 0, intersectingTriangles: 0 });
      analysis.volumeMm3.should.be.approximately(16, 1e-9);
      analysis.surfaceAreaMm2.should.be.approximately(48, 1e-9);
    }
  });

  it('leaves a fold without which the box would shrink', () => {
    const folded = withTopRound(1.5, 0.25);
    runStep(RETRIANGULATE_PLANAR_REGIONS, folded).should.containEql({ changed: 0, mesh: folded });
  });

  it('drops a closed shell that lies in a plane altogether', () => {
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
    runStep(RETRIANGULATE_PLANAR_REGIONS, flat).changed.should.equal(0); // it is all there is
  });

  it('makes one of two bodies that touch by a whole face', () => {
    const { analysis, changed } = runStep(
      RETRIANGULATE_PLANAR_REGIONS,
      joined(makeCube(), placed(makeCube(), [2, 0, 0])),
    );
    changed.should.equal(1);
    analysis.should.match({ triangles: 20, shells: 1, badEdges: 0 });
    analysis.volumeMm3.should.be.approximately(16, 1e-12);
  });

  it('divides edges of a border that crosses itself, and the triangles beyond them', () => {
    // A corner of the cube is drawn along one edge and beyond its end: of the top a part faces down then, of the back a part forward.
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

  it('stands in the report of a repair', () => {
    const { report } = repair(joined(withTopRound(1.5, 0.25), placed(makeCube(), [5, 0, 0])));
    report.steps.should.containEql({ name: 'planar-regions', changed: 1 });
    report.verdict.level.should.equal('solid');
  });
});
