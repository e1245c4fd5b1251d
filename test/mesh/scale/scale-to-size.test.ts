import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { scaleToSize } from '../../../src/mesh/scale/scale-to-size.js';
import { meshErrorOf } from '../formats/mesh-error-of.js';
import { makeCube } from '../models/cube.js';
import { meshOf } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';

describe('scaleToSize', () => {
  it('sets the size along an axis and keeps all proportions', () => {
    const torus = makeTorus();
    const before = analyze(torus);
    for (const axis of ['x', 'y', 'z'] as const) {
      const after = analyze(scaleToSize(torus, axis, 7));
      const name = { x: 'dimensionXMm', y: 'dimensionYMm', z: 'dimensionZMm' } as const;
      should(after[name[axis]]).be.approximately(7, 1e-12);
      const factor = 7 / before[name[axis]];
      should(after.volumeMm3 / before.volumeMm3).be.approximately(factor ** 3, factor ** 3 * 1e-9);
      verdictOf(after).level.should.equal('solid');
    }
  });

  it('keeps triangles and objects', () => {
    const objects = [{ name: 'one', firstTriangle: 0, triangleCount: 12 }];
    const scaled = scaleToSize({ ...makeCube(), objects }, 'x', 1);
    should(scaled).match({ objects, triangles: makeCube().triangles });
  });

  it('throws SIZE_ZERO if the size along the axis is zero or too small to be scaled', () => {
    const flat = (size: number) =>
      meshOf(
        [
          [0, 0, 0],
          [1, 0, 0],
          [0, size, 0],
        ],
        [[0, 1, 2]],
      );
    for (const [mesh, axis] of [
      [flat(1), 'z'],
      [flat(1e-320), 'y'],
    ] as const) {
      meshErrorOf(() => scaleToSize(mesh, axis, 1e6)).code.should.equal('SIZE_ZERO');
    }
  });
});
