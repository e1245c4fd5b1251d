import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { subtract } from '../../../src/mesh/arrangement/subtract.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { createWorkCounter } from '../../../src/mesh/core/work-counter.js';
import { fromTaggedMesh, toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';
import { makeCube } from '../models/cube.js';
import { placed } from '../models/mesh-of.js';

/** Returns the difference of two solids; `undefined` if it fails. */
function difference(solid: IndexedMesh, tool: IndexedMesh, work = createWorkCounter()): IndexedMesh | undefined {
  const state = subtract(toTaggedMesh(solid), tool, 1e-6, 1, work);
  return state && fromTaggedMesh(state.mesh, solid.objects);
}

const CUBE = placed(makeCube(), [0, 0, 0], 10);

describe('subtract', () => {
  it('removes the common volume of a solid and a tool that protrudes from it', () => {
    const result = difference(CUBE, placed(makeCube(), [10, 0, 0], 2));
    if (!result) throw new Error('no difference');
    const analysis = analyze(result);
    should(verdictOf(analysis).level).equal('solid');
    should(analysis.volumeMm3).be.approximately(8000 - 32, 1e-3);
  });

  it('does not keep the part of a large tool that is outside of the solid', () => {
    const result = difference(CUBE, placed(makeCube(), [25, 0, 0], 17));
    if (!result) throw new Error('no difference');
    should(analyze(result)).match({ shells: 1 });
    should(analyze(result).volumeMm3).be.approximately(8000 - 2 * 20 * 20, 0.01);
  });

  it('keeps the vertices of the solid, and the objects of its triangles', () => {
    const objects = [{ name: 'box', firstTriangle: 0, triangleCount: 12 }];
    const result = difference({ ...CUBE, objects }, placed(makeCube(), [10, 0, 0], 2));
    if (!result) throw new Error('no difference');
    should(result.positions.slice(0, 24)).deepEqual(CUBE.positions);
    // The tool belongs to no object: its triangles come first.
    should(result.objects).have.length(1);
    should(result.objects?.[0]?.firstTriangle).be.above(0);
  });

  it('makes a void of a tool inside of the solid', () => {
    const result = difference(CUBE, makeCube());
    if (!result) throw new Error('no difference');
    should(analyze(result)).match({ shells: 2, boundsVolume: true });
  });

  it('returns a mesh without triangles if nothing remains', () => {
    should(difference(makeCube(), CUBE)?.triangles.length).equal(0);
  });

  it('returns nothing if the work exceeds its limit', () => {
    should(difference(CUBE, placed(makeCube(), [10, 0, 0], 2), createWorkCounter(1))).be.undefined();
  });
});
