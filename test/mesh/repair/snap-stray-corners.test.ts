import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { SNAP_STRAY_CORNERS } from '../../../src/mesh/repair/snap-stray-corners.js';
import { makeCube } from '../models/cube.js';
import { meshOf, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { rotated, shuffled } from '../models/transform.js';
import { runStep } from './run-step.js';

/** Gives the first corner of a triangle a vertex of its own, moved by `offset` along each axis. */
function addStrayCorner(mesh: IndexedMesh, triangle: number, offset: number): IndexedMesh {
  const vertex = mesh.triangles[triangle * 3] ?? 0;
  const position = Array.from(mesh.positions.subarray(vertex * 3, vertex * 3 + 3), (part) => part + offset);
  const triangles = mesh.triangles.slice();
  triangles[triangle * 3] = mesh.positions.length / 3;
  return { positions: Float64Array.from([...mesh.positions, ...position]), triangles };
}

describe('the step stray-corners', () => {
  it('snaps a stray corner to the vertex of the other triangles', () => {
    for (const change of [(mesh: IndexedMesh) => mesh, rotated, shuffled]) {
      const { analysis, changed, maxDisplacementMm } = runStep(
        SNAP_STRAY_CORNERS,
        change(addStrayCorner(makeCube(), 2, 0.05)),
      );
      changed.should.equal(1);
      analysis.boundaryEdges.should.equal(0);
      analysis.volumeMm3.should.be.approximately(8, 1e-12);
      maxDisplacementMm.should.be.approximately(0.05 * Math.sqrt(3), 1e-12);
    }
  });

  it('snaps four stray corners in one mesh', () => {
    let mesh = makeTorus();
    for (const triangle of [0, 100, 401, 900]) mesh = addStrayCorner(mesh, triangle, 0.03);
    const { analysis, changed } = runStep(SNAP_STRAY_CORNERS, mesh);
    changed.should.equal(4);
    analysis.boundaryEdges.should.equal(0);
  });

  it('leaves a distant corner unchanged', () => {
    runStep(SNAP_STRAY_CORNERS, addStrayCorner(makeCube(), 2, 0.5)).changed.should.equal(0);
  });

  it('leaves two triangles unchanged that share an edge and nearly cover each other', () => {
    const flap = meshOf(
      [
        [0, 0, 0],
        [4, 0, 0],
        [2, 3, 0],
        [2, 3, 0.1],
      ],
      [
        [0, 1, 2],
        [1, 0, 3],
      ],
    );
    runStep(SNAP_STRAY_CORNERS, flap).changed.should.equal(0);
  });

  it('leaves holes and a closed mesh unchanged', () => {
    runStep(SNAP_STRAY_CORNERS, without(makeCube(), 2, 3)).changed.should.equal(0);
    runStep(SNAP_STRAY_CORNERS, without(makeTorus(), 3, 4, 60)).changed.should.equal(0);
    runStep(SNAP_STRAY_CORNERS, makeCube()).changed.should.equal(0);
  });
});
