import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { makeCube } from './cube.js';
import { joined, placed, turnedOver } from './mesh-of.js';
import { makePrism } from './prism.js';

const at = (...offset: number[]) => placed(makeCube(), offset);

/** The mesh stretched along each axis. */
const stretched = (mesh: IndexedMesh, factors: readonly number[]): IndexedMesh => ({
  ...mesh,
  positions: mesh.positions.map((value, i) => value * (factors[i % 3] ?? 1)),
});

/** Closed meshes that cross or touch themselves, with the volume of the body that they mean, in mm³, and the shells it has, where that is certain. */
export const TANGLES: Record<string, { mesh: () => IndexedMesh; volumeMm3: number; shells?: number }> = {
  'two cubes that overlap at a corner': { mesh: () => joined(at(0, 0, 0), at(1, 1, 1)), volumeMm3: 15, shells: 1 },
  'two cubes that overlap along an edge, in one plane above and below': {
    mesh: () => joined(at(0, 0, 0), at(1, 1, 0)),
    volumeMm3: 14,
    shells: 1,
  },
  'three cubes that overlap in one place': {
    mesh: () => joined(at(0, 0, 0), at(1, 0.3, 0.2), at(0.4, 1, 0.7)),
    volumeMm3: 24 - 1 * 1.7 * 1.8 - 1.6 * 1 * 1.3 - 1.4 * 1.3 * 1.5 + 1 * 1 * 1.3,
    shells: 1,
  },
  'the same cube three times': { mesh: () => joined(at(0, 0, 0), at(0, 0, 0), at(0, 0, 0)), volumeMm3: 8, shells: 1 },
  'a cube with a fin through it': {
    mesh: () => joined(at(0, 0, 0), stretched(makeCube(), [3, 0.05, 0.5])),
    volumeMm3: 8.4,
    shells: 1,
  },
  'two cubes that touch side by side': { mesh: () => joined(at(0, 0, 0), at(2, 0, 0)), volumeMm3: 16 },
  'two cubes of different size that touch side by side': {
    mesh: () => joined(at(0, 0, 0), placed(makeCube(), [3, 0.3, -0.2], 2)),
    volumeMm3: 72,
  },
  'a strip that is bent until it crosses itself': {
    mesh: () =>
      makePrism(
        [
          [0, 0],
          [5, 0],
          [5, 5],
          [1, 5],
          [1, -2],
          [2, -2],
          [2, 4],
          [4, 4],
          [4, 1],
          [0, 1],
        ],
        [
          [0, 1, 8],
          [0, 8, 9],
          [1, 2, 7],
          [1, 7, 8],
          [2, 3, 6],
          [2, 6, 7],
          [3, 4, 5],
          [3, 5, 6],
        ],
        1,
      ),
    volumeMm3: 17,
    shells: 1,
  },
  'a bow tie, one half of which is the wrong way round': {
    mesh: () =>
      makePrism(
        [
          [0, -2],
          [3, 1],
          [3, -1],
          [0, 2],
        ],
        [
          [0, 1, 3],
          [1, 2, 3],
        ],
        2,
      ),
    volumeMm3: 10,
  },
  'a hollow cube, a cube across its corner, and its cavity': {
    mesh: () => joined(placed(makeCube(), [0, 0, 0], 3), turnedOver(at(0, 0, 0)), at(3, 3, 3)),
    volumeMm3: 216 - 8 + 7,
    shells: 2,
  },
  'a captive part in the cavity of a body that crosses another': {
    mesh: () =>
      joined(placed(makeCube(), [0, 0, 0], 3), turnedOver(placed(makeCube(), [0, 0, 0], 2)), at(0, 0, 0), at(3, 3, 3)),
    volumeMm3: 216 - 64 + 8 + 7,
    shells: 3,
  },
  'a pocket for a magnet in one of two bodies that overlap': {
    mesh: () =>
      joined(placed(makeCube(), [0, 0, 0], 3), placed(makeCube(), [5, 0.1, 0.2], 3), turnedOver(at(-1, 0, 0))),
    volumeMm3: 2 * 216 - 1 * 5.9 * 5.8 - 8,
    shells: 2,
  },
  'a part wholly inside another': {
    mesh: () => joined(placed(makeCube(), [0, 0, 0], 3), at(0, 0, 0)),
    volumeMm3: 216,
    shells: 1,
  },
};
