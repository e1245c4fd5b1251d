import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { perturbVertices } from '../../../src/mesh/arrangement/perturb-vertices.js';
import { computeSelfUnion } from '../../../src/mesh/arrangement/self-union.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { compact } from '../../../src/mesh/topology/compact.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver } from '../models/mesh-of.js';

/** Computes the self-union without perturbation, for meshes in which no triangles merely touch. */
function unionOf(mesh: IndexedMesh) {
  const surface = computeSelfUnion(createMeshIndex(mesh), new Uint8Array(mesh.triangles.length / 3).fill(1), 0, 1);
  return surface && { parentOf: surface.parentOf, analysis: analyze(compact(surface.positions, surface.triangles)) };
}

const shifted = placed(makeCube(), [0.71, 0.83, 0.97]);

describe('computeSelfUnion', () => {
  it('unites two intersecting cubes with an exact volume', () => {
    const surface = unionOf(joined(makeCube(), shifted));
    should(surface?.analysis.volumeMm3).be.approximately(16 - 1.29 * 1.17 * 1.03, 1e-12);
    should(surface?.analysis.qualityParams.intersectingTriangles).equal(0);
    should(surface?.analysis.badEdges).equal(0);
  });

  it('keeps an inverted shell inside another as a void', () => {
    const surface = unionOf(joined(placed(makeCube(), [0, 0, 0], 3), turnedOver(shifted)));
    should(surface?.analysis.volumeMm3).be.approximately(208, 1e-12);
    should(surface?.analysis.boundsVolume).be.true();
  });

  it('drops a shell inside another and does not split triangles', () => {
    const surface = unionOf(joined(placed(makeCube(), [0, 0, 0], 3), shifted));
    should(surface?.analysis.triangles).equal(12);
    should([...(surface?.parentOf ?? [])]).deepEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('returns undefined for touching cubes without perturbation', () => {
    should(unionOf(joined(makeCube(), placed(makeCube(), [1, 1, 0])))).be.undefined();
  });
});

describe('perturbVertices', () => {
  const positions = makeCube().positions;
  const isMoved = Uint8Array.from([1, 0, 0, 1, 0, 0, 0, 0]);

  it('moves only the marked vertices, by at most the amplitude', () => {
    perturbVertices(positions, isMoved, 0.01, 1).forEach((value, i) => {
      const offset = Math.abs(value - (positions[i] ?? 0));
      if (isMoved[Math.floor(i / 3)] === 1) offset.should.be.within(1e-9, 0.01);
      else offset.should.equal(0);
    });
  });

  it('returns equal positions for equal seeds only', () => {
    perturbVertices(positions, isMoved, 0.01, 5).should.deepEqual(perturbVertices(positions, isMoved, 0.01, 5));
    perturbVertices(positions, isMoved, 0.01, 5).should.not.deepEqual(perturbVertices(positions, isMoved, 0.01, 6));
  });
});
