import should from 'should';
import { analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { type HollowDirection, hollow } from '../../../src/mesh/hollow/hollow.js';
import { reduceSolid } from '../../../src/mesh/reduce/reduce-triangles.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { meshErrorOf } from '../formats/mesh-error-of.js';
import { makeCube } from '../models/cube.js';
import { createExtreme } from '../models/extremes.js';
import { joined, placed, turnedOver, without } from '../models/mesh-of.js';
import { makePrism } from '../models/prism.js';
import { makeGlobe } from '../models/sweeps.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';

function hollowOut(mesh: IndexedMesh, wallMm: number, direction: HollowDirection = 'inward') {
  return hollow(mesh, analyzeWithPlaces(mesh), { wallMm, direction, reduce: reduceSolid });
}

/** A body with a concave edge. */
function makeCorner(): IndexedMesh {
  return makePrism(
    [
      [0, 0],
      [20, 0],
      [20, 8],
      [8, 8],
      [8, 20],
      [0, 20],
    ],
    [
      [0, 1, 2],
      [0, 2, 3],
      [0, 3, 4],
      [0, 4, 5],
    ],
    10,
  );
}

/**
 * Returns the minimum distance of the inner surface from the outer one: at its vertices, edge midpoints and centroids.
 */
function measureMinWall(outer: IndexedMesh, { positions, triangles }: IndexedMesh): number {
  const distanceQuery = new DistanceQuery(outer);
  let min = Number.POSITIVE_INFINITY;
  for (let offset = outer.triangles.length; offset < triangles.length; offset += 3) {
    for (const weights of [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0.5, 0.5, 0],
      [0.5, 0, 0.5],
      [0, 0.5, 0.5],
      [1 / 3, 1 / 3, 1 / 3],
    ]) {
      const [x = 0, y = 0, z = 0] = [0, 1, 2].map((k) =>
        weights.reduce((sum, weight, c) => sum + weight * (positions[(triangles[offset + c] ?? 0) * 3 + k] ?? 0), 0),
      );
      min = Math.min(min, distanceQuery.distanceAt(x, y, z));
    }
  }
  return min;
}

describe('hollow', () => {
  const BODIES: [string, IndexedMesh, number][] = [
    ['a cube', placed(makeCube(), [0, 0, 0], 10), 4],
    ['a rotated cube', rotated(placed(makeCube(), [0, 0, 0], 10)), 4],
    ['a torus', makeTorus(), 3],
    ['a body with a concave edge', makeCorner(), 2],
  ];
  for (const [name, mesh, wallMm] of BODIES) {
    it(`hollows ${name} to a solid with the same outer surface and walls at most 15 % thicker than requested`, () => {
      const { mesh: result, analyzed, cavityCount, flatWallMm } = hollowOut(mesh, wallMm);
      should(verdictOf(analyzed.analysis)).deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
      should(analyzed).deepEqual(analyzeWithPlaces(result));
      should(cavityCount).equal(1);
      should(result.positions.slice(0, mesh.positions.length)).deepEqual(mesh.positions);
      should(result.triangles.slice(0, mesh.triangles.length)).deepEqual(mesh.triangles);
      should(measureMinWall(mesh, result)).be.aboveOrEqual(wallMm);
      should(flatWallMm).be.within(wallMm, wallMm * 1.15);
      analyzed.analysis.volumeMm3.should.be.below(analyzeWithPlaces(mesh).analysis.volumeMm3 * 0.95);
    });
  }

  it('leaves the volume of the walls of a cube', () => {
    const { analyzed, flatWallMm } = hollowOut(placed(makeCube(), [0, 0, 0], 10), 4);
    const cavity = (20 - 2 * flatWallMm) ** 3;
    should(analyzed.analysis.volumeMm3).be.approximately(8000 - cavity, cavity * 0.02);
  });

  it('creates a cavity in each body, and keeps the distance from existing cavities', () => {
    const two = joined(placed(makeCube(), [0, 0, 0], 10), placed(makeCube(), [50, 0, 0], 10));
    hollowOut(two, 5).cavityCount.should.equal(2);
    const magnet = joined(placed(makeCube(), [0, 0, 0], 10), turnedOver(placed(makeCube(), [6, 0, 0], 1)));
    const { mesh, analyzed, looseBodyCount } = hollowOut(magnet, 3);
    verdictOf(analyzed.analysis).level.should.equal('solid');
    should(measureMinWall(magnet, mesh)).be.aboveOrEqual(3);
    should(looseBodyCount).equal(0); // the walls around the void touch the outer wall
  });

  it('counts a cavity around a void of the model once', () => {
    const ball = joined(
      makeGlobe(16, 32, () => 20),
      turnedOver(makeGlobe(16, 32, () => 12)),
    );
    const { analyzed, cavityCount, looseBodyCount } = hollowOut(ball, 2);
    // The outside, the void, and the two sides of the cavity around the void.
    should(analyzed.analysis.shells).equal(4);
    should(cavityCount).equal(1);
    should(looseBodyCount).equal(1); // the wall around the void
  });

  for (const [name, mesh, wallMm] of BODIES) {
    it(`adds walls around ${name}, which becomes the cavity`, () => {
      const { mesh: result, analyzed, cavityCount, flatWallMm } = hollowOut(mesh, wallMm / 2, 'outward');
      should(verdictOf(analyzed.analysis)).deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
      should(analyzed).deepEqual(analyzeWithPlaces(result));
      should(cavityCount).equal(1);
      should(result.positions.slice(0, mesh.positions.length)).deepEqual(mesh.positions);
      should(measureMinWall(mesh, result)).be.aboveOrEqual(wallMm / 2);
      const before = analyzeWithPlaces(mesh).analysis;
      should(analyzed.analysis.dimensionXMm).be.within(
        before.dimensionXMm + wallMm,
        before.dimensionXMm + wallMm * 1.2,
      );
      should(flatWallMm).be.within(wallMm / 2, (wallMm / 2) * 1.15);
    });
  }

  it('fills voids of the model and gaps that the walls around it close', () => {
    const magnet = joined(placed(makeCube(), [0, 0, 0], 10), turnedOver(placed(makeCube(), [6, 0, 0], 1)));
    should(hollowOut(magnet, 2, 'outward').analyzed.analysis.shells).equal(2);
    const near = joined(placed(makeCube(), [0, 0, 0], 10), placed(makeCube(), [22, 0, 0], 10));
    const { analyzed, cavityCount } = hollowOut(near, 3, 'outward');
    should(verdictOf(analyzed.analysis).level).equal('solid');
    should(cavityCount).equal(2);
    should(analyzed.analysis.shells).equal(3);
  });

  it('adds walls that are thicker than the model', () => {
    const { analyzed } = hollowOut(makeCube(), 20, 'outward');
    should(verdictOf(analyzed.analysis).level).equal('solid');
    should(analyzed.analysis.dimensionXMm).be.within(42, 48);
  });

  it('keeps the object of the model, which takes in the cavity', () => {
    const objects = [{ name: 'box', firstTriangle: 0, triangleCount: 12 }];
    const { mesh } = hollowOut({ ...placed(makeCube(), [0, 0, 0], 10), objects }, 5);
    should(mesh.objects).deepEqual([{ ...objects[0], triangleCount: mesh.triangles.length / 3 }]);
  });

  it('throws NOTHING_LEFT for a body that is too thin for the walls', () => {
    meshErrorOf(() => hollowOut(placed(makeCube(), [0, 0, 0], 10), 9.9)).code.should.equal('NOTHING_LEFT');
    meshErrorOf(() => hollowOut(placed(makeCube(), [0, 0, 0], 10), 50)).code.should.equal('NOTHING_LEFT');
  });

  it('throws NOT_SOLID for an open mesh, and TOO_LARGE for walls too thin for the memory', () => {
    meshErrorOf(() => hollowOut(without(makeCube(), 0), 0.2)).code.should.equal('NOT_SOLID');
    const error = meshErrorOf(() => hollowOut(placed(makeCube(), [0, 0, 0], 1000), 0.5));
    error.code.should.equal('TOO_LARGE');
    error.message.should.match(/at least/);
  });

  it('is deterministic', () => {
    should(hollowOut(makeTorus(), 4).mesh).deepEqual(hollowOut(makeTorus(), 4).mesh);
  });

  it('hollows a cone of thousands of segments', () => {
    const cone = createExtreme('cone', 24_000);
    const { mesh, analyzed, cavityCount } = hollowOut(cone, 8);
    verdictOf(analyzed.analysis).level.should.equal('solid');
    cavityCount.should.equal(1);
    // The wall is thinnest at a vertex of the cavity, because the distances in a cone are concave.
    const walls: number[] = [];
    for (let i = cone.positions.length; i < mesh.positions.length; i += 3) {
      const [x = 0, y = 0, z = 0] = mesh.positions.subarray(i, i + 3);
      walls.push(Math.min(z, (100 - 2 * Math.hypot(x, y) - z) / Math.sqrt(5)));
    }
    Math.min(...walls).should.be.within(8, 9.5);
  });
});
