import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { analyzeWalls, WALL_OBJECT_NAMES } from '../../../src/mesh/thickness/analyze-walls.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver } from '../models/mesh-of.js';
import { makePrism } from '../models/prism.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';

function walls(mesh: IndexedMesh, minThicknessMm: number, accuracy = 2) {
  return analyzeWalls(mesh, { minThicknessMm, accuracy });
}

/** A plate of 20 x 20 x `thickness` mm. */
function makePlate(thickness: number): IndexedMesh {
  return makePrism(
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
}

/** A hollow cube of 20 mm with walls of 4 mm, but of 1 mm on the right. */
function makeUnevenBox(): IndexedMesh {
  return joined(
    placed(makeCube(), [0, 0, 0], 10),
    turnedOver({
      ...makeCube(),
      positions: makeCube().positions.map((value, i) => (i % 3 === 0 ? value * 7.5 + 1.5 : value * 6)),
    }),
  );
}

/** A wedge with an angle in degrees, 10 mm high. */
function makeWedge(angle: number): IndexedMesh {
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
}

function computeObjectArea(mesh: IndexedMesh, name: string): number {
  const object = mesh.objects?.find((one) => one.name === name);
  if (!object) return 0;
  const { firstTriangle, triangleCount } = object;
  const triangles = mesh.triangles.slice(firstTriangle * 3, (firstTriangle + triangleCount) * 3);
  return analyze({ positions: mesh.positions, triangles }).surfaceAreaMm2;
}

describe('analyzeWalls', () => {
  for (const [description, transform] of [
    ['unrotated', (mesh: IndexedMesh) => mesh],
    ['rotated', (mesh: IndexedMesh) => rotated(mesh, 1.1)],
  ] as const) {
    it(`classifies a plate of 1 mm as thin for 1.01 mm, not for 0.99 mm, ${description}`, () => {
      const plate = transform(makePlate(1));
      const thin = walls(plate, 1.01);
      should(thin.hasThinWalls).be.true();
      should(computeObjectArea(thin.marked, WALL_OBJECT_NAMES.thin)).be.approximately(800, 40);
      should(walls(plate, 0.99)).match({ hasThinWalls: false, hasPossibleThinWalls: false });
    });
  }

  it('classifies no part of a cube as thin, even near its edges', () => {
    should(walls(placed(makeCube(), [0, 0, 0], 5), 9.9)).match({ hasThinWalls: false, hasPossibleThinWalls: false });
  });

  it('marks both sides of the one thin wall, and nothing else', () => {
    const { hasThinWalls, marked } = walls(makeUnevenBox(), 2);
    should(hasThinWalls).be.true();
    should(computeObjectArea(marked, WALL_OBJECT_NAMES.thin)).be.within(2 * 144 * 0.9, 2 * 144 * 1.3);
    for (const { name, firstTriangle, triangleCount } of marked.objects ?? []) {
      if (name !== WALL_OBJECT_NAMES.thin) continue;
      for (const vertex of marked.triangles.subarray(firstTriangle * 3, (firstTriangle + triangleCount) * 3)) {
        should(marked.positions[vertex * 3]).be.aboveOrEqual(9 - 1e-9);
      }
    }
  });

  it('classifies the edge of a sharp wedge as thin, of a blunt one as possibly thin', () => {
    const sharp = walls(makeWedge(20), 2);
    should(sharp.hasThinWalls).be.true();
    should(computeObjectArea(sharp.marked, WALL_OBJECT_NAMES.thin)).be.below(
      computeObjectArea(sharp.marked, WALL_OBJECT_NAMES.fine),
    );
    should(walls(makeWedge(70), 2)).match({ hasThinWalls: false, hasPossibleThinWalls: true });
  });

  it('classifies a torus as thin only below its thickness', () => {
    should(walls(makeTorus(), 12.5).hasThinWalls).be.true();
    should(walls(makeTorus(), 10).hasThinWalls).be.false();
  });

  it('returns the same surface, closed, and subdivided no finer than the samples', () => {
    const box = makeUnevenBox();
    const { marked, spacingMm } = walls(box, 2);
    const [before, after] = [analyze(box), analyze(marked)];
    should(after.surfaceAreaMm2).be.approximately(before.surfaceAreaMm2, 1e-6);
    should(after.volumeMm3).be.approximately(before.volumeMm3, 1e-6);
    should(after.badEdges).equal(0);
    should(marked.triangles.length / 3).be.below((before.surfaceAreaMm2 / (spacingMm / 2) ** 2) * 4);
  });

  it('samples more densely with a higher accuracy, up to a limit', () => {
    should(walls(makePlate(1), 2, 0).spacingMm).equal(4);
    should(walls(makePlate(1), 2, 3).spacingMm).equal(1);
    const fine = walls(placed(makeCube(), [0, 0, 0], 500), 0.01, 100);
    should(fine.spacingMm).be.above(1);
    should(fine.hasThinWalls).be.false();
  });

  it('lists the thinnest places first, with the thickness and a distance from each other', () => {
    const plates = joined(makePlate(2), placed(makePlate(0.5), [50, 0, 0]), placed(makePlate(1), [0, 50, 0]));
    const { thinnestPlaces } = walls(plates, 1.5);
    const [thinnest] = thinnestPlaces;
    should(thinnest?.thicknessMm).be.approximately(0.5, 1e-9);
    should(thinnest?.x).be.within(50, 70);
    should(thinnest?.y).be.within(0, 20);
    should(thinnestPlaces).have.length(10);
    const thicknesses = thinnestPlaces.map(({ thicknessMm }) => thicknessMm);
    should(thicknesses).deepEqual([...thicknesses].sort((a, b) => a - b));
    for (const [index, place] of thinnestPlaces.entries())
      for (const other of thinnestPlaces.slice(0, index))
        should(Math.hypot(place.x - other.x, place.y - other.y, place.z - other.z)).be.aboveOrEqual(3);
  });

  it('lists both a thin plate and a thicker one if there is room', () => {
    const plates = joined(makePlate(2), placed(placed(makePlate(10), [0, 0, 0], 0.1), [50, 0, 0]));
    const { thinnestPlaces } = walls(plates, 3);
    should(thinnestPlaces[0]?.thicknessMm).be.approximately(1, 1e-9);
    should(thinnestPlaces.at(-1)?.thicknessMm).be.approximately(2, 1e-9);
  });

  it('lists no places if no wall is thin', () => {
    should(walls(makePlate(2), 1).thinnestPlaces).deepEqual([]);
  });
});
