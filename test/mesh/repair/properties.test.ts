import fc from 'fast-check';
import 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { SolidityLevel } from '../../../src/mesh/analysis/report.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { areCollinear } from '../../../src/mesh/geometry/predicates.js';
import { classifyTrianglePair } from '../../../src/mesh/intersections/classify-triangle-pair.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { countOf, SAMPLE_SEED } from '../../helpers/counts.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver, without } from '../models/mesh-of.js';
import { SPOILS, spoilt } from '../models/spoils.js';
import { TANGLES } from '../models/tangles.js';
import { makeTorus } from '../models/torus.js';

const LEVELS: readonly SolidityLevel[] = ['open', 'watertight', 'manifold', 'solid'];
const RUNS = countOf('arbitrary bodies');

/** A few triangles between points of a small lattice: they coincide, overlap and degenerate. */
const randomTriangles = fc
  .array(fc.tuple(fc.nat(3), fc.nat(3), fc.nat(2)), { minLength: 3, maxLength: 12 })
  .chain((points) =>
    fc
      .array(fc.tuple(fc.nat(points.length - 1), fc.nat(points.length - 1), fc.nat(points.length - 1)), {
        minLength: 1,
        maxLength: 24,
      })
      .map(
        (triangles): IndexedMesh => ({
          positions: Float64Array.from(points.flat()),
          triangles: Uint32Array.from(triangles.flat()),
        }),
      ),
  );

const bodies: readonly IndexedMesh[] = [
  makeCube(),
  makeTorus(8, 5),
  ...Object.values(TANGLES).map(({ mesh }) => mesh()),
];

/** Bodies beside, across or inside each other, some of them inverted or with missing triangles, then damaged. */
const randomBodies = fc
  .tuple(
    fc.array(
      fc.record({
        body: fc.constantFrom(...bodies),
        offset: fc.tuple(
          fc.integer({ min: -3, max: 3 }),
          fc.integer({ min: -3, max: 3 }),
          fc.integer({ min: -2, max: 2 }),
        ),
        isTurned: fc.boolean(),
        missing: fc.array(fc.nat(11), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    fc.constantFrom(...Object.values(SPOILS).filter(({ truthMm3 }) => !truthMm3)),
    fc.nat(1000),
    fc.boolean(),
  )
  .map(([parts, spoil, seed, isSpoilt]) => {
    const whole = joined(
      ...parts.map(({ body, offset, isTurned, missing }) => {
        const part = placed(without(body, ...missing), offset);
        return isTurned ? turnedOver(part) : part;
      }),
    );
    return isSpoilt && spoil !== SPOILS['a membrane inside'] ? spoilt(whole, spoil, seed) : whole;
  });

/**
 * Whether no triangle is degenerate and no pair of triangles intersects beyond shared edges and vertices. Tests all
 * pairs.
 */
function isFreeOfIntersections({ positions, triangles }: IndexedMesh): boolean {
  const count = triangles.length / 3;
  const cornersOf = (t: number) => triangles.subarray(t * 3, t * 3 + 3);
  for (let s = 0; s < count; s++) {
    const [a = 0, b = 0, c = 0] = cornersOf(s);
    if (areCollinear(positions, a, b, c)) return false;
    for (let t = s + 1; t < count; t++) if (classifyTrianglePair(positions, triangles, s, t) !== 'apart') return false;
  }
  return true;
}

/** Whether each edge has exactly two triangles that traverse it in opposite directions. */
function isClosed({ triangles }: IndexedMesh): boolean {
  const sides = new Set<string>();
  for (let h = 0; h < triangles.length; h++) {
    const side = `${triangles[h]} ${triangles[h % 3 === 2 ? h - 2 : h + 1]}`;
    if (sides.has(side)) return false;
    sides.add(side);
  }
  return [...sides].every((side) => sides.has(side.split(' ').reverse().join(' ')));
}

function check(mesh: IndexedMesh): void {
  const before = verdictOf(analyze(mesh));
  const { mesh: repaired, report, isSuccessful } = repair(mesh);
  const level = report.verdict.level;
  // The report agrees with an exact analysis of the result.
  const exact = verdictOf(analyze(repaired));
  level.should.equal(exact.level);
  report.verdict.reasons.should.containDeep(exact.reasons);
  if (isSuccessful || level === 'manifold' || level === 'solid') isClosed(repaired).should.be.true();
  if (level === 'solid' && repaired.triangles.length < 1500) isFreeOfIntersections(repaired).should.be.true();
  // The level never drops, and repairing a solid result changes nothing.
  LEVELS.indexOf(level).should.be.aboveOrEqual(LEVELS.indexOf(before.level));
  if (!isSuccessful) repaired.should.equal(mesh);
  if (level === 'solid') repair(repaired).mesh.should.equal(repaired);
}

describe('repair of random meshes', function () {
  this.timeout(300_000);

  it('never lowers the level of a few random triangles, and reports the level of the result', () => {
    fc.assert(fc.property(randomTriangles, check), { seed: SAMPLE_SEED, numRuns: RUNS * 5 });
  });

  it('never lowers the level of damaged bodies, and reports the level of the result', () => {
    fc.assert(fc.property(randomBodies, check), { seed: SAMPLE_SEED, numRuns: RUNS });
  });
});
