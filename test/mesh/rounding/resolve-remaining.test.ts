import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { resolveRemainingIntersections } from '../../../src/mesh/rounding/resolve-remaining.js';
import { makeCube } from '../models/cube.js';
import { joined, placed } from '../models/mesh-of.js';

const crossing = joined(makeCube(), placed(makeCube(), [1.5, 1.5, 1.5]));

describe('resolveBroken', () => {
  it('makes one surface of what crosses, and says how far vertices moved for that: some steps of float32', () => {
    for (const offset of [0, 1000]) {
      const resolved = resolveRemainingIntersections(placed(crossing, [offset, offset, offset]), 12);
      if (resolved === undefined) throw new Error('nothing was resolved');
      const { mesh, maxDisplacementMm } = resolved;
      verdictOf(analyze(mesh)).level.should.equal('solid');
      analyze(mesh).shells.should.equal(1);
      maxDisplacementMm.should.be.within(2 ** -22 * offset, 2 ** -18 * (offset + 10));
    }
  });

  it('leaves what does not cross, and what is broken all over', () => {
    should(resolveRemainingIntersections(makeCube(), 1)).be.undefined();
    should(resolveRemainingIntersections(crossing, 13)).be.undefined();
  });
});
