import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { analyzeWalls, WALL_OBJECT_NAMES } from '../../../src/mesh/thickness/analyze-walls.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver } from '../models/mesh-of.js';
import { makePrism } from '../models/prism.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';

const walls = (mesh: IndexedMesh, minThicknessMm: number, accuracy = 2) =>
  analyzeWalls(mesh, { minThicknessMm, accuracy });

/** A plate of 20 x 20 x `thickness` mm. */
const makePlate = (thickness: number): IndexedMesh =>
  makePrism(
    [
      [0, 0],
      [20, 0],
      [20, 20],
      [0, 20],
    ],
    [
      [0, 1, 2],
      [0, 2, 3],
    ],
    thickness,
  );

/** A hollow cube of 20 mm whose cavity leaves walls of 4 mm, but of 1 mm on the right. */
const makeUnevenBox = (): IndexedMesh =>
  joined(
    placed(makeCube(), [0, 0, 0], 10),
    turnedOver({
      ...makeCube(),
      positions: makeCube().positions.map((value, i) => (i % 3 === 0 ? value * 7.5 + 1.5 : value * 6)),
    }),
  );

/** A wedge of this angle in degrees, 10 mm high. */
const makeWedge = (angle: number): IndexedMesh => {
  const half = Math.tan((angle / 2) * (Math.PI / 180)) * 20;
  return makePrism(
    [
      [0, 0],
      [20, -half],
      [20, half],
    ],
    [[0, 1, 2]],
    10,
  );
};

const areaOf = (mesh: IndexedMesh, name: string): number => {
  const object = mesh.objects?.find((one) => one.name === name);
  if (!object) return 0;
  const { firstTriangle, triangleCount } = object;
  const triangles = mesh.triangles.slice(firstTriangle * 3, (firstTriangle + triangleCount) * 3);
  return analyze({ positions: mesh.positions, triangles }).surfaceAreaMm2;
};

describe('analyzeWalls', () => {
  for (const [what, turn] of [
    ['as it lies', (mesh: IndexedMesh) => mesh],
    ['turned', (mesh: IndexedMesh) => rotated(mesh, 1.1)],
  ] as const) {
    it(`finds a plate thin below its thickness, and not above it, ${what}`, () => {
      const plate = turn(makePlate(1));
      const thin = walls(plate, 1.01);
      should(thin.hasThinWalls).be.true();
      should(areaOf(thin.marked, WALL_OBJECT_NAMES.thin)).be.approximately(800, 40);
      should(walls(plate, 0.99)).match({ hasThinWalls: false, hasPossibleThinWalls: false });
    });
  }

  it('finds nothing thin in a cube, also beside its edges', () => {
    should(walls(placed(makeCube(), [0, 0, 0], 5), 9.9)).match({ hasThinWalls: false, hasPossibleThinWalls: false });
  });

  it('finds one thin wall among thick ones, on both of its sides, and nothing else', () => {
    const { hasThinWalls, marked } = walls(makeUnevenBox(), 2);
    should(hasThinWalls).be.true();
    should(areaOf(marked, WALL_OBJECT_NAMES.thin)).be.within(2 * 144 * 0.9, 2 * 144 * 1.3);
    for (const { name, firstTriangle, triangleCount } of marked.objects ?? []) {
      if (name !== WALL_OBJECT_NAMES.thin) continue;
      for (const vertex of marked.triangles.subarray(firstTriangle * 3, (firstTriangle + triangleCount) * 3)) {
        should(marked.positions[vertex * 3]).be.aboveOrEqual(9 - 1e-9);
      }
    }
  });

  it('finds a sharp wedge thin at its edge, a blunt one possibly', () => {
    const sharp = walls(makeWedge(20), 2);
    should(sharp.hasThinWalls).be.true();
    should(areaOf(sharp.marked, WALL_OBJECT_NAMES.thin)).be.below(areaOf(sharp.marked, WALL_OBJECT_NAMES.fine));
    should(walls(makeWedge(70), 2)).match({ hasThinWalls: false, hasPossibleThinWalls: true });
  });

  it('finds a thin ring', () => {
    should(walls(makeTorus(), 12.5).hasThinWalls).be.true();
    should(walls(makeTorus(), 10).hasThinWalls).be.false();
  });

  it('marks the surface itself: as large, as closed, and not finer than it looked', () => {
    const box = makeUnevenBox();
    const { marked, spacingMm } = walls(box, 2);
    const [before, after] = [analyze(box), analyze(marked)];
    should(after.surfaceAreaMm2).be.approximately(before.surfaceAreaMm2, 1e-6);
    should(after.volumeMm3).be.approximately(before.volumeMm3, 1e-6);
    should(after.badEdges).equal(0);
    should(marked.triangles.length / 3).be.below((before.surfaceAreaMm2 / (spacingMm / 2) ** 2) * 4);
  });

  it('looks closer with a higher accuracy, and no closer than is affordable', () => {
    should(walls(makePlate(1), 2, 0).spacingMm).equal(4);
    should(walls(makePlate(1), 2, 3).spacingMm).equal(1);
    const fine = walls(placed(makeCube(), [0, 0, 0], 500), 0.01, 100);
    should(fine.spacingMm).be.above(1);
    should(fine.hasThinWalls).be.false();
  });
});
