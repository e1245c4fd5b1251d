import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { makeBall } from '../models/bodies.js';
import { makeBox } from '../models/compositions.js';
import { makeCube } from '../models/cube.js';
import { createExtreme } from '../models/extremes.js';
import { joined, meshOf, placed, without } from '../models/mesh-of.js';
import { makeLathe } from '../models/sweeps.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';

function warningOf(mesh: IndexedMesh): string | undefined {
  return repair(mesh).report.warnings.find(({ code }) => code === 'HOLES_FILLED')?.message;
}

/** Returns the mesh without the triangles whose centroids are selected. */
function withoutAt(mesh: IndexedMesh, isRemoved: (x: number, y: number, z: number) => boolean): IndexedMesh {
  const { positions } = mesh;
  const triangles: number[] = [];
  for (let offset = 0; offset < mesh.triangles.length; offset += 3) {
    const corners = [...mesh.triangles.subarray(offset, offset + 3)];
    const at = (k: number) => corners.reduce((sum, corner) => sum + (positions[corner * 3 + k] ?? 0), 0) / 3;
    if (!isRemoved(at(0), at(1), at(2))) triangles.push(...corners);
  }
  return { positions, triangles: Uint32Array.from(triangles) };
}

const dome = makeLathe(
  [49, 50].flatMap((radius, i) => {
    const points = Array.from({ length: 19 }, (_, k): [number, number] => {
      const angle = (k * Math.PI) / 36;
      return [k === 18 ? 0 : radius * Math.cos(angle), radius * Math.sin(angle)];
    });
    return i === 0 ? points.reverse() : points;
  }),
  48,
);

describe('the warning HOLES_FILLED', () => {
  it('names the part of the surface and the largest hole with its place if a whole side is filled', () => {
    should(warningOf(without(makeCube(), 2, 3))).equal(
      '17 % of the surface close holes. The largest is 2.83 mm across (4.00 mm²), at 0, 0, 1. Compare the result with the model.',
    );
  });

  it('is absent for a hole in a flat face, however large, and for small holes', () => {
    for (const turn of [(mesh: IndexedMesh) => mesh, rotated])
      should(warningOf(turn(without(makeCube(), 2)))).be.undefined();
    should(warningOf(without(makeTorus(), 3, 4))).be.undefined();
    should(warningOf(without(makeBall(24, 10), 200))).be.undefined();
  });

  it('is absent if nothing was filled, also if the result encloses less than nothing', () => {
    const results = ['needles', 'one vertex'].map((name) => repair(createExtreme(name, 200)));
    results.some(({ report }) => report.after.volumeMm3 < 0).should.be.true();
    for (const { report } of results) {
      report.filledAreaMm2.should.equal(0);
      report.warnings.map(({ code }) => code).should.not.containEql('HOLES_FILLED');
    }
  });

  it('names a small hole in a thin curved wall', () => {
    const isNear = (x: number, y: number, z: number) => Math.hypot(x - 35, y, z - 35) < 9 && Math.hypot(x, y, z) > 49.4;
    const open = withoutAt(dome, isNear);
    const { report } = repair(open);
    (report.filledAreaMm2 / report.after.surfaceAreaMm2).should.be.below(0.05);
    should(warningOf(open)).be.a.String();
  });

  it('is absent if the filling is hidden in another body', () => {
    const tower = without(placed(makeBox([3, 3, 5], [3, 3, 20]), [0, 0, 0]), 0, 1);
    should(warningOf(joined(makeBox([0, 0, 0], [10, 10, 10]), tower))).be.undefined();
  });
});

describe('the repair of a relief', () => {
  it('fails, since the filling would lead back over it', () => {
    const count = 12;
    const points = Array.from({ length: count * count }, (_, i) => {
      const [x, y] = [i % count, Math.floor(i / count)];
      return [x, y, 0.4 * Math.sin(x) * Math.cos(y)];
    });
    const faces = points.flatMap(([x = 0, y = 0], i) =>
      x + 1 < count && y + 1 < count
        ? [
            [i, i + 1, i + count],
            [i + 1, i + count + 1, i + count],
          ]
        : [],
    );
    const { isSuccessful, reason } = repair(meshOf(points, faces));
    isSuccessful.should.be.false();
    should(reason).match(/open sheet/);
  });

  it('succeeds for a plate without its bottom', () => {
    const plate = makeBox([0, 0, 0], [10, 10, 0.5]);
    const open = withoutAt(plate, (_x, _y, z) => z === 0);
    repair(open).isSuccessful.should.be.true();
  });
});
