import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { perturbVertices } from '../../../src/mesh/arrangement/perturb-vertices.js';
import { computeSelfUnion } from '../../../src/mesh/arrangement/self-union.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { compact } from '../../../src/mesh/topology/compact.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver } from '../models/mesh-of.js';

/** The outer surface with no vertex moved: for meshes in which nothing only just touches. */
const surfaceOf = (mesh: IndexedMesh) => {
  const surface = computeSelfUnion(mesh, new Uint8Array(mesh.triangles.length / 3).fill(1), 0, 1);
  return surface && { parentOf: surface.parentOf, analysis: analyze(compact(surface.positions, surface.triangles)) };
};

const across = placed(makeCube(), [0.71, 0.83, 0.97]);

describe('outerSurface', () => {
  it('unites what crosses, to the last digit', () => {
    const surface = surfaceOf(joined(makeCube(), across));
    should(surface?.analysis.volumeMm3).be.approximately(16 - 1.29 * 1.17 * 1.03, 1e-12);
    should(surface?.analysis.qualityParams.intersectingTriangles).equal(0);
    should(surface?.analysis.badEdges).equal(0);
  });

  it('carves a body that is wound the other way out of the one round it', () => {
    const surface = surfaceOf(joined(placed(makeCube(), [0, 0, 0], 3), turnedOver(across)));
    should(surface?.analysis.volumeMm3).be.approximately(208, 1e-12);
    should(surface?.analysis.boundsVolume).be.true();
  });

  it('leaves out what lies wholly inside, and keeps whole triangles whole', () => {
    const surface = surfaceOf(joined(placed(makeCube(), [0, 0, 0], 3), across));
    should(surface?.analysis.triangles).equal(12);
    should([...(surface?.parentOf ?? [])]).deepEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('gives up where something only just touches and nothing may be moved', () => {
    should(surfaceOf(joined(makeCube(), placed(makeCube(), [1, 1, 0])))).be.undefined();
  });
});

describe('jitter', () => {
  const positions = makeCube().positions;
  const isMoved = Uint8Array.from([1, 0, 0, 1, 0, 0, 0, 0]);

  it('moves the marked vertices by less than the amplitude, and no others', () => {
    perturbVertices(positions, isMoved, 0.01, 1).forEach((value, i) => {
      const apart = Math.abs(value - (positions[i] ?? 0));
      if (isMoved[Math.floor(i / 3)] === 1) apart.should.be.within(1e-9, 0.01);
      else apart.should.equal(0);
    });
  });

  it('does the same for the same seed, and something else for another', () => {
    perturbVertices(positions, isMoved, 0.01, 5).should.deepEqual(perturbVertices(positions, isMoved, 0.01, 5));
    perturbVertices(positions, isMoved, 0.01, 5).should.not.deepEqual(perturbVertices(positions, isMoved, 0.01, 6));
  });
});
