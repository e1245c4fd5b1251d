import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';
import { makeVoxels } from '../models/voxels.js';

/** Lists the cells of a grid that `isFilled` accepts. */
function listCells(counts: readonly number[], isFilled: (cell: number[]) => boolean = () => true): number[][] {
  const [x = 1, y = 1, z = 1] = counts;
  return Array.from({ length: x * y * z }, (_, i) => [i % x, Math.floor(i / x) % y, Math.floor(i / (x * y))]).filter(
    isFilled,
  );
}

/** Creates a closed box for each cell, as voxel editors do: neighbors have a back-to-back wall between them. */
function makeBoxes(cells: readonly number[][]): IndexedMesh {
  return joined(...cells.map((cell) => makeVoxels([cell])));
}

function drawnFromBothSides(mesh: IndexedMesh): IndexedMesh {
  return joined(mesh, turnedOver(mesh));
}

const isInBall = (cell: number[]) => Math.hypot(...cell.map((part) => part - 3)) <= 3.2;
const isCross = ([x = 0, y = 0]: number[]) => x === 1 || y === 1;
const cube = makeCube(); // from -1 to 1
const hollowCube = joined(placed(cube, [0, 0, 0], 3), turnedOver(cube));
const fin = drawnFromBothSides(
  meshOf(
    [
      [1, 1, -1],
      [1, 1, 1],
      [1, 3, -1],
      [1, 3, 1],
    ],
    [
      [0, 1, 2],
      [1, 3, 2],
    ],
  ),
);

/** Meshes with back-to-back pairs, and the volume of the bodies in them. */
const CASES: readonly { name: string; mesh: IndexedMesh; volumeMm3: number; warnings?: readonly string[] }[] = [
  { name: '2 × 2 × 1 boxes', mesh: makeBoxes(listCells([2, 2, 1])), volumeMm3: 4 },
  { name: '4 × 4 × 1 boxes', mesh: makeBoxes(listCells([4, 4, 1])), volumeMm3: 16 },
  { name: '27 boxes', mesh: makeBoxes(listCells([3, 3, 3])), volumeMm3: 27 },
  { name: '27 boxes, rotated', mesh: rotated(makeBoxes(listCells([3, 3, 3]))), volumeMm3: 27 },
  { name: '27 boxes, inside out', mesh: turnedOver(makeBoxes(listCells([3, 3, 3]))), volumeMm3: 27 },
  {
    name: '27 boxes, each twice',
    mesh: joined(...Array(2).fill(makeBoxes(listCells([3, 3, 3])))),
    volumeMm3: 27,
    warnings: ['VOLUME_CHANGED'],
  },
  { name: '27 boxes, drawn from both sides', mesh: drawnFromBothSides(makeBoxes(listCells([3, 3, 3]))), volumeMm3: 27 },
  { name: '27 boxes with two triangles missing', mesh: without(makeBoxes(listCells([3, 3, 3])), 0, 1), volumeMm3: 27 },
  { name: '27 boxes with a triangle turned over', mesh: turnedOver(makeBoxes(listCells([3, 3, 3])), 4), volumeMm3: 27 },
  { name: 'a ball of boxes', mesh: makeBoxes(listCells([7, 7, 7], isInBall)), volumeMm3: 147 },
  {
    name: 'a ball of boxes at 1 km',
    mesh: placed(makeBoxes(listCells([7, 7, 7], isInBall)), [1e6, 1e6, 0]),
    volumeMm3: 147,
  },
  { name: 'a cross of boxes', mesh: makeBoxes(listCells([3, 3, 2], isCross)), volumeMm3: 10 },
  { name: 'a ring of boxes', mesh: makeBoxes(listCells([3, 3, 1], ([x, y]) => x !== 1 || y !== 1)), volumeMm3: 8 },
  { name: 'a body that fills the cavity of another', mesh: joined(hollowCube, cube), volumeMm3: 216 },
  {
    name: 'a body that fills the cavity of another, which is there twice',
    mesh: joined(hollowCube, hollowCube, cube),
    volumeMm3: 216,
    warnings: ['VOLUME_CHANGED'],
  },
  {
    name: 'a body drawn from both sides in another',
    mesh: joined(placed(cube, [0, 0, 0], 3), drawnFromBothSides(cube)),
    volumeMm3: 216,
  },
  {
    name: 'a body drawn from both sides beside another',
    mesh: joined(placed(cube, [5, 0, 0]), drawnFromBothSides(cube)),
    volumeMm3: 16,
    warnings: ['VOLUME_CHANGED'],
  },
  {
    name: 'a torus drawn from both sides',
    mesh: drawnFromBothSides(makeTorus()),
    volumeMm3: repair(makeTorus()).report.after.volumeMm3,
  },
  {
    name: 'an open box drawn from both sides',
    mesh: drawnFromBothSides(without(cube, 0, 1)),
    volumeMm3: 8,
    warnings: ['HOLES_FILLED'],
  },
  {
    name: 'an open box, and its lid drawn from both sides',
    mesh: joined(cube, turnedOver(without(cube, ...Array.from({ length: 10 }, (_, i) => i + 2)))),
    volumeMm3: 8,
  },
  { name: 'a fin on a body', mesh: joined(cube, fin), volumeMm3: 8, warnings: ['SHEETS_DROPPED'] },
];

describe('back-to-back triangles', () => {
  for (const { name, mesh, volumeMm3, warnings = [] } of CASES) {
    it(`keep the volume of ${name}`, () => {
      const { report } = repair(mesh);
      report.verdict.level.should.equal('solid');
      report.after.volumeMm3.should.be.approximately(volumeMm3, volumeMm3 * 1e-4);
      should(report.warnings.map(({ code }) => code)).deepEqual(warnings);
    });
  }
});
