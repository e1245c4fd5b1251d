import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { isPlanar } from '../../../src/mesh/geometry/is-planar.js';
import { makeCube } from '../models/cube.js';
import { meshOf } from '../models/mesh-of.js';
import { rotated } from '../models/transform.js';

/** Creates a square of two triangles, with one corner raised. */
function makeBentSheet(height: number): IndexedMesh {
  return meshOf(
    [
      [0, 0, 0],
      [3, 0, 0],
      [3, 3, 0],
      [0, 2, height],
    ],
    [
      [0, 1, 2],
      [0, 2, 3],
    ],
  );
}

describe('isPlanar', () => {
  it('is true for a tilted planar sheet and for a mesh of zero area', () => {
    isPlanar(rotated(makeBentSheet(0)), 1e-12).should.be.true();
    isPlanar(meshOf([[0, 0, 0]], [[0, 0, 0]]), 0).should.be.true();
  });

  it('compares the distance from the plane of the largest triangle with the tolerance', () => {
    isPlanar(makeBentSheet(0.5), 0.51).should.be.true();
    isPlanar(makeBentSheet(0.5), 0.49).should.be.false();
    isPlanar(makeCube(), 1).should.be.false();
  });
});
