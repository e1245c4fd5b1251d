import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { repairParts } from '../../../src/mesh/repair/repair-parts.js';
import { repairUnited } from '../../../src/mesh/repair/repair-united.js';
import { countOf } from '../../helpers/counts.js';
import { compareWithTruth } from '../models/compare-with-truth.js';
import { makeBox } from '../models/compositions.js';
import { makeContactCase } from '../models/contacts.js';
import { joined, turnedOver } from '../models/mesh-of.js';
import { loadUnitePrisms, type UnitePrisms } from '../models/prism-union.js';
import { rotated } from '../models/transform.js';

const COUNT = countOf('bodies that touch');
const FIRST_SEED = 1;
/** The volume, the surfaces and the area may differ by this fraction: a slit at a contact would add to the area. */
const TOLERANCE = 0.005;

/** Returns what is wrong with the repair of a case, if anything. */
function findError(seed: number, unite: UnitePrisms): string[] {
  const { name, solids, place, createMesh } = makeContactCase(seed);
  const truth = place(unite(solids));
  const { mesh, report } = repairUnited(createMesh());
  const areaChange = report.after.surfaceAreaMm2 / analyze(truth).surfaceAreaMm2 - 1;
  const difference = compareWithTruth(mesh, truth, TOLERANCE);
  if (difference) return [`${name}: ${difference}`];
  return Math.abs(areaChange) > TOLERANCE ? [`${name}: area ${(areaChange * 100).toFixed(2)} %`] : [];
}

describe('repair of bodies that touch at faces', function () {
  this.timeout(300_000 + COUNT * 1000);
  let unite: UnitePrisms;

  before(async () => {
    unite = await loadUnitePrisms();
  });

  for (let first = 0; first < COUNT; first += 100) {
    const seeds = Array.from({ length: Math.min(100, COUNT - first) }, (_, i) => FIRST_SEED + first + i);
    it(`returns their union in at least 95 of 100 cases: ${seeds[0]} to ${seeds.at(-1)}`, () => {
      const errors = seeds.flatMap((seed) => findError(seed, unite));
      if (errors.length > seeds.length * 0.05) errors.should.deepEqual([]);
    });
  }
});

function expectUnion(mesh: IndexedMesh, volumeMm3: number, areaMm2: number, shells = 1): void {
  const { after, verdict } = repair(mesh).report;
  verdict.level.should.equal('solid');
  after.volumeMm3.should.be.approximately(volumeMm3, volumeMm3 * 1e-9);
  after.surfaceAreaMm2.should.be.approximately(areaMm2, areaMm2 * 1e-9);
  after.shells.should.equal(shells);
}

describe('repair of boxes that touch', () => {
  const base = makeBox([0, 0, 0], [20, 10, 10]);

  it('is exact if a small face is within a large one', () => {
    expectUnion(joined(base, makeBox([3, 2, 10], [4, 5, 6])), 2120, 1108);
  });

  it('is exact if two faces overlap in part', () => {
    expectUnion(joined(base, makeBox([15, 5, 10], [10, 10, 10])), 3000, 1550);
  });

  it('is exact if two equal faces touch', () => {
    expectUnion(joined(base, makeBox([20, 0, 0], [5, 10, 10])), 2500, 1200);
  });

  it('is exact if three boxes share an edge', () => {
    expectUnion(joined(base, makeBox([-5, 0, 0], [5, 10, 8]), makeBox([-3, -4, 0], [8, 4, 6])), 2592, 1292);
  });

  it('is exact for a body that touches a wall of the cavity that it is in', () => {
    const cavity = turnedOver(makeBox([1, 1, 1], [18, 8, 8]));
    expectUnion(joined(base, cavity, makeBox([2, 2, 1], [4, 4, 4])), 2000 - 1152 + 64, 1000 + 704 + 64, 2);
  });

  it('joins faces that are apart by rounding only, also where nothing intersects', () => {
    for (let i = 0; i < 20; i++) {
      const boxes = rotated(joined(base, makeBox([3, 2, 10], [4, 5, 6])), 0.1 + i / 7);
      const { mesh } = repair(boxes);
      const { volumeMm3, surfaceAreaMm2, shells } = analyze(mesh);
      shells.should.equal(1);
      volumeMm3.should.be.approximately(2120, 1e-5);
      surfaceAreaMm2.should.be.approximately(1108, 1e-5);
    }
  });

  it('keeps a gap of a hundred-thousandth of the diagonal', () => {
    const apart = joined(base, makeBox([3, 2, 10.0003], [4, 5, 6]));
    repair(apart).isUnchanged?.should.be.true();
  });

  it('keeps parts apart, and unites them on request', () => {
    const mesh = joined(base, makeBox([3, 2, 10], [4, 5, 6]));
    const objects = [
      { name: 'lower', firstTriangle: 0, triangleCount: 12 },
      { name: 'upper', firstTriangle: 12, triangleCount: 12 },
    ];
    repairParts({ ...mesh, objects }).mesh.triangles.length.should.equal(72);
    const united = repairUnited({ ...mesh, objects });
    united.report.after.surfaceAreaMm2.should.be.approximately(1108, 1e-9);
    const heights = (united.mesh.objects ?? []).map(({ firstTriangle, triangleCount }) => {
      const corners = united.mesh.triangles.subarray(firstTriangle * 3, (firstTriangle + triangleCount) * 3);
      return [...corners].map((vertex) => united.mesh.positions[vertex * 3 + 2] ?? 0);
    });
    Math.max(...(heights[0] ?? [])).should.equal(10);
    Math.min(...(heights[1] ?? [])).should.equal(10);
  });

  it('keeps a wall without thickness between a cavity and the outside', () => {
    const cavity = turnedOver(makeBox([1, 1, 0], [4, 4, 4]));
    const { report } = repair(joined(base, cavity));
    report.verdict.level.should.equal('solid');
    report.after.volumeMm3.should.be.approximately(2000 - 64, 0.1);
  });
});
