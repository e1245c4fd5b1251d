import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';

function reasonsOf(mesh: IndexedMesh): string[] {
  return verdictOf(analyze(mesh)).reasons;
}

describe('the reasons of a verdict', () => {
  it('name the boundary edges of a hole, and no shells', () => {
    reasonsOf(without(makeCube(), 0)).should.deepEqual(['3 boundary edges']);
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
