import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { makeCube } from './cube.js';
import { joined, placed, turnedOver } from './mesh-of.js';
import { makePrism } from './prism.js';

function cubeAt(...offset: number[]): IndexedMesh {
  return placed(makeCube(), offset);
}

/** Returns the mesh scaled by a factor along each axis. */
function stretch(mesh: IndexedMesh, factors: readonly number[]): IndexedMesh {
  return { ...mesh, positions: mesh.positions.map((value, i) => value * (factors[i % 3] ?? 1)) };
}

/**
 * Closed meshes that intersect or touch themselves, with the volume of the intended solid, and its number of shells if
 * it is unique.
 */
export const TANGLES: Record<string, { mesh: () => IndexedMesh; volumeMm3: number; shells?: number }> = {
  'two cubes that overlap at a corner': {
    mesh: () => joined(cubeAt(0, 0, 0), cubeAt(1, 1, 1)),
    volumeMm3: 15,
    shells: 1,
  },
  'two cubes that overlap along an edge, with coplanar top and bottom faces': {
    mesh: () => joined(cubeAt(0, 0, 0), cubeAt(1, 1, 0)),
    volumeMm3: 14,
    shells: 1,
  },
  'three cubes with a common overlap': {
    mesh: () => joined(cubeAt(0, 0, 0), cubeAt(1, 0.3, 0.2), cubeAt(0.4, 1, 0.7)),
    volumeMm3: 24 - 1 * 1.7 * 1.8 - 1.6 * 1 * 1.3 - 1.4 * 1.3 * 1.5 + 1 * 1 * 1.3,
    shells: 1,
  },
  'the same cube three times': {
    mesh: () => joined(cubeAt(0, 0, 0), cubeAt(0, 0, 0), cubeAt(0, 0, 0)),
    volumeMm3: 8,
    shells: 1,
  },
  'a cube with a fin through it': {
    mesh: () => joined(cubeAt(0, 0, 0), stretch(makeCube(), [3, 0.05, 0.5])),
    volumeMm3: 8.4,
    shells: 1,
  },
  'two cubes that touch at a face': { mesh: () => joined(cubeAt(0, 0, 0), cubeAt(2, 0, 0)), volumeMm3: 16 },
  'two cubes of different sizes that touch at a face': {
    mesh: () => joined(cubeAt(0, 0, 0), placed(makeCube(), [3, 0.3, -0.2], 2)),
    volumeMm3: 72,
  },
  'a bent strip that intersects itself': {
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
  'a bow tie with one inverted half': {
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
  'a hollow cube that intersects a cube at its corner': {
    mesh: () => joined(placed(makeCube(), [0, 0, 0], 3), turnedOver(cubeAt(0, 0, 0)), cubeAt(3, 3, 3)),
    volumeMm3: 216 - 8 + 7,
    shells: 2,
  },
  'a captive cube in the cavity of a cube that intersects another': {
    mesh: () =>
      joined(
        placed(makeCube(), [0, 0, 0], 3),
        turnedOver(placed(makeCube(), [0, 0, 0], 2)),
        cubeAt(0, 0, 0),
        cubeAt(3, 3, 3),
      ),
    volumeMm3: 216 - 64 + 8 + 7,
    shells: 3,
  },
  'a cavity in one of two overlapping cubes': {
    mesh: () =>
      joined(placed(makeCube(), [0, 0, 0], 3), placed(makeCube(), [5, 0.1, 0.2], 3), turnedOver(cubeAt(-1, 0, 0))),
    volumeMm3: 2 * 216 - 1 * 5.9 * 5.8 - 8,
    shells: 2,
  },
  'a cube inside another': {
    mesh: () => joined(placed(makeCube(), [0, 0, 0], 3), cubeAt(0, 0, 0)),
    volumeMm3: 216,
    shells: 1,
  },
};
