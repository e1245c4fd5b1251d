import should from 'should';
import { analyze, analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { type HollowOptions, type HollowResult, hollow } from '../../../src/mesh/hollow/hollow.js';
import { reduceSolid } from '../../../src/mesh/reduce/reduce-triangles.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver } from '../models/mesh-of.js';
import { makePrism } from '../models/prism.js';
import { makeGlobe } from '../models/sweeps.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';

type DrainHoles = NonNullable<HollowOptions['drainHoles']>;

/** Hollows a solid, with one drain hole of 2 mm at the bottom of each cavity unless `drainHoles` differs. */
function drain(mesh: IndexedMesh, wallMm: number, drainHoles: Partial<DrainHoles> = {}, more = {}): HollowResult {
  return hollow(mesh, analyzeWithPlaces(mesh), {
    wallMm,
    reduce: reduceSolid,
    drainHoles: { countPerCavity: 1, diameterMm: 2, upAxis: 'z', ...drainHoles },
    ...more,
  });
}

/** Returns the sum of the genera of the shells of a closed mesh, from V - E + F = 2 (shells - genus). */
function genusOf(mesh: IndexedMesh): number {
  const { vertices, triangles, shells } = analyze(mesh);
  return shells - (vertices - triangles / 2) / 2;
}

function mouthsOf({ drainHoles }: HollowResult): number[][] {
  return drainHoles.flatMap(({ holes }) => holes.map(({ mouth }) => mouth));
}

/** Returns whether two lists of numbers are equal up to `tolerance`. */
function areClose(a: readonly number[], b: readonly number[], tolerance: number): boolean {
  return a.every((value, i) => Math.abs(value - (b[i] ?? Number.NaN)) <= tolerance);
}

/** A double cone: it tapers to a point at the bottom. */
function makeSpindle(): IndexedMesh {
  const sides = 24;
  const ring = Array.from({ length: sides }, (_, i) => {
    const angle = (2 * Math.PI * i) / sides;
    return [8 * Math.cos(angle), 8 * Math.sin(angle), 0];
  });
  const triangles = ring.flatMap((_, i) => [0, 2 + ((i + 1) % sides), 2 + i, 1, 2 + i, 2 + ((i + 1) % sides)]);
  const vertices = [[0, 0, -30], [0, 0, 8], ...ring];
  return { positions: Float64Array.from(vertices.flat()), triangles: Uint32Array.from(triangles) };
}

const CUBE = placed(makeCube(), [0, 0, 0], 10);

describe('drain holes', () => {
  it('open the cavity of a cube in the middle of its floor', () => {
    const result = drain(CUBE, 2);
    should(verdictOf(result.analyzed.analysis).level).equal('solid');
    should(result.analyzed).deepEqual(analyzeWithPlaces(result.mesh));
    should(result.analyzed.analysis.shells).equal(1);
    should(genusOf(result.mesh)).equal(0);
    should(mouthsOf(result)).have.length(1);
    should(areClose(mouthsOf(result)[0] ?? [], [0, 0, -10], 2)).be.true();
  });

  it('raise the genus by one for each further hole of a cavity', () => {
    for (const countPerCavity of [2, 3, 5]) {
      const { mesh, analyzed } = drain(CUBE, 2, { countPerCavity });
      should(verdictOf(analyzed.analysis).level).equal('solid');
      should(analyzed.analysis.shells).equal(1);
      should(genusOf(mesh)).equal(countPerCavity - 1);
    }
  });

  it('join the genus of the cavity of a torus with that of its outside', () => {
    const { mesh, analyzed } = drain(makeTorus(), 1.5, { diameterMm: 1 });
    should(analyzed.analysis.shells).equal(1);
    should(genusOf(mesh)).equal(2);
  });

  it('are at the lowest side along the up axis', () => {
    for (const [upAxis, mouth] of [
      ['x', [-10, 0, 0]],
      ['-x', [10, 0, 0]],
      ['y', [0, -10, 0]],
      ['-z', [0, 0, 10]],
    ] as const)
      should(areClose(mouthsOf(drain(CUBE, 3, { upAxis }))[0] ?? [], mouth, 2)).be.true(upAxis);
  });

  it('leave the vertices and the volume of the model elsewhere', () => {
    const closed = hollow(CUBE, analyzeWithPlaces(CUBE), { wallMm: 2, reduce: reduceSolid });
    const { mesh, analyzed } = drain(CUBE, 2);
    should(mesh.positions.slice(0, 24)).deepEqual(CUBE.positions);
    const holeMm3 = closed.analyzed.analysis.volumeMm3 - analyzed.analysis.volumeMm3;
    should(holeMm3).be.approximately(Math.PI * closed.flatWallMm, Math.PI * closed.flatWallMm * 0.05);
  });

  it('open each of several cavities, and each leg of a table', () => {
    const two = joined(CUBE, placed(makeCube(), [50, 0, 3], 10));
    const cubes = drain(two, 3);
    should(cubes.drainHoles.map(({ holes }) => holes.length)).deepEqual([1, 1]);
    should(cubes.analyzed.analysis.shells).equal(2);
    const legs = makePrism(
      [
        [0, 0],
        [10, 0],
        [10, 20],
        [30, 20],
        [30, 1],
        [40, 1],
        [40, 30],
        [0, 30],
      ],
      [
        [0, 1, 2],
        [0, 2, 7],
        [2, 3, 6],
        [2, 6, 7],
        [3, 4, 5],
        [3, 5, 6],
      ],
      10,
    );
    const mouths = mouthsOf(drain(legs, 2, { countPerCavity: 2, upAxis: 'y' })).map(([x = 0, y = 0]) => [x, y]);
    should(areClose(mouths[0] ?? [], [5, 0], 2)).be.true();
    should(areClose(mouths[1] ?? [], [35, 1], 2)).be.true();
  });

  it('do not cut off a thin tip', () => {
    const spindle = makeSpindle();
    const result = drain(spindle, 1, { diameterMm: 2 });
    should(verdictOf(result.analyzed.analysis).level).equal('solid');
    should(result.analyzed.analysis.shells).equal(1);
    should(result.analyzed.analysis.dimensionZMm).equal(38);
  });

  it('are reported as missing if they are larger than the model, or if the cavity is enclosed by another', () => {
    const large = drain(CUBE, 2, { diameterMm: 30 });
    should(large.drainHoles.map(({ holes }) => holes.length)).deepEqual([0]);
    should(large.analyzed.analysis.shells).equal(2);
    should(large.analyzed).deepEqual(analyzeWithPlaces(large.mesh));
    const captive = joined(placed(makeCube(), [0, 0, 0], 20), turnedOver(placed(makeCube(), [0, 0, 0], 14)), CUBE);
    const { drainHoles, analyzed } = drain(captive, 2);
    should(drainHoles.map(({ holes }) => holes.length)).deepEqual([1, 0]);
    should(verdictOf(analyzed.analysis).level).equal('solid');
  });

  it('are higher if the lowest points have no room', () => {
    const ball = makeGlobe(16, 32, () => 10);
    const result = drain(ball, 2, { countPerCavity: 3, diameterMm: 1.5 });
    should(mouthsOf(result)).have.length(3);
    for (const [, , z = 0] of mouthsOf(result)) should(z).be.below(-5);
    should(genusOf(result.mesh)).equal(2);
  });

  it('keep their distance: those without room are missing', () => {
    const { drainHoles, mesh } = drain(placed(makeCube(), [0, 0, 0], 3), 0.5, { countPerCavity: 20 });
    const [{ holes } = { holes: [] }] = drainHoles;
    should(holes.length).be.within(1, 19);
    for (const hole of holes)
      for (const other of holes)
        if (hole !== other)
          should(Math.hypot(...hole.mouth.map((part, k) => part - (other.mouth[k] ?? 0)))).be.aboveOrEqual(4);
    should(genusOf(mesh)).equal(holes.length - 1);
  });

  it('fit models of any size, rotated and far from the origin', () => {
    for (const scale of [1e-3, 1e3]) {
      const mesh = placed(rotated(CUBE), [50 * scale, -70 * scale, 30 * scale], scale);
      const { analyzed } = drain(mesh, 2 * scale, { diameterMm: 2 * scale });
      should(verdictOf(analyzed.analysis).level).equal('solid');
      should(analyzed.analysis.shells).equal(1);
    }
  });

  it('keep the objects of the model', () => {
    const objects = [{ name: 'box', firstTriangle: 0, triangleCount: 12 }];
    const { mesh } = drain({ ...CUBE, objects }, 3);
    should(mesh.objects).have.length(1);
    should(mesh.objects?.[0]?.name).equal('box');
  });

  it('open a model that became the cavity of a shell', () => {
    const result = drain(CUBE, 2, { countPerCavity: 2 }, { direction: 'outward' });
    should(verdictOf(result.analyzed.analysis).level).equal('solid');
    should(result.analyzed.analysis.shells).equal(1);
    should(genusOf(result.mesh)).equal(1);
  });

  it('are deterministic', () => {
    const drainCube = () => drain(CUBE, 2, { countPerCavity: 3 });
    should(drainCube()).deepEqual(drainCube());
  });
});
