import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { resolveRemainingIntersections } from '../../../src/mesh/rounding/resolve-remaining.js';
import { makeCube } from '../models/cube.js';
import { joined, placed } from '../models/mesh-of.js';

const intersectingCubes = joined(makeCube(), placed(makeCube(), [1.5, 1.5, 1.5]));

describe('resolveRemainingIntersections', () => {
  it('unites intersecting cubes and returns a displacement of a few float32 ulps', () => {
    for (const offset of [0, 1000]) {
      const resolved = resolveRemainingIntersections(placed(intersectingCubes, [offset, offset, offset]), 12);
      if (resolved === undefined) throw new Error('nothing was resolved');
      const { mesh, maxDisplacementMm } = resolved;
      verdictOf(analyze(mesh)).level.should.equal('solid');
      analyze(mesh).shells.should.equal(1);
      maxDisplacementMm.should.be.within(2 ** -22 * offset, 2 ** -18 * (offset + 10));
    }
  });

  it('returns undefined without intersections and with too many broken triangles', () => {
    should(resolveRemainingIntersections(makeCube(), 1)).be.undefined();
    should(resolveRemainingIntersections(intersectingCubes, 13)).be.undefined();
  });
});
