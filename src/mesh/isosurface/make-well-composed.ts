import type { SparseField } from './sparse-field.js';

/** The six faces of a cube, four corners each, around the face. The index of a corner is x + 2 y + 4 z. */
const FACES: readonly (readonly [number, number, number, number])[] = [
  [0, 1, 3, 2],
  [4, 5, 7, 6],
  [0, 1, 5, 4],
  [2, 3, 7, 6],
  [0, 2, 6, 4],
  [1, 3, 7, 5],
];

/** mask of the inside corners of a cube → the corners of the first critical configuration: see `findCritical` */
const CRITICAL: readonly (readonly number[])[] = Array.from({ length: 256 }, (_, mask) => findCritical(mask));

/**
 * Returns the corners of a face of which only two opposite ones are inside, or all corners if only two opposite corners
 * of the cube are inside or outside. Otherwise none.
 */
function findCritical(mask: number): readonly number[] {
  const isInside = (corner: number): boolean => ((mask >> corner) & 1) === 1;
  for (const face of FACES) {
    const [a, b, c, d] = face.map(isInside);
    if (a === c && b === d && a !== b) return face;
  }
  for (let corner = 0; corner < 4; corner++) {
    const pair = (1 << corner) | (1 << (7 - corner));
    if (mask === pair || mask === 255 - pair) return [0, 1, 2, 3, 4, 5, 6, 7];
  }
  return [];
}

/**
 * Makes the body of a field well-composed (Latecki, Eckhardt & Rosenfeld 1995): no two of its cubes, nor two of the
 * outside, meet only at an edge or a vertex. The surface between inside and outside is then manifold.
 *
 * @param side the side that grows: corners of the other one are moved to it. Those closest to the surface are moved
 * first.
 */
export function makeWellComposed(field: SparseField, side: 'inside' | 'outside'): void {
  const [countX, countY, countZ] = field.lattice.counts;
  const pending: number[] = []; // x, y, z of cubes to look at again

  const maskOf = (x: number, y: number, z: number): number => {
    let mask = 0;
    for (let k = 0; k < 8; k++) if (field.get(x + (k & 1), y + ((k >> 1) & 1), z + (k >> 2)) < 0) mask |= 1 << k;
    return mask;
  };

  const resolve = (x: number, y: number, z: number): void => {
    for (let critical = CRITICAL[maskOf(x, y, z)]; critical.length > 0; critical = CRITICAL[maskOf(x, y, z)]) {
      let moved = -1;
      let movedValue = Number.POSITIVE_INFINITY;
      for (const k of critical) {
        const value = field.get(x + (k & 1), y + ((k >> 1) & 1), z + (k >> 2));
        if (value < 0 !== (side === 'outside')) continue;
        if (moved < 0 || Math.abs(value) < movedValue) {
          moved = k;
          movedValue = Math.abs(value);
        }
      }
      const [i, j, k] = [x + (moved & 1), y + ((moved >> 1) & 1), z + (moved >> 2)];
      field.invert(i, j, k);
      for (let c = 0; c < 8; c++) pending.push(i - (c & 1), j - ((c >> 1) & 1), k - (c >> 2));
    }
  };

  field.forEachCorner(resolve);
  while (pending.length > 0) {
    const [z = 0, y = 0, x = 0] = [pending.pop(), pending.pop(), pending.pop()];
    if (x >= 0 && y >= 0 && z >= 0 && x < countX - 1 && y < countY - 1 && z < countZ - 1) resolve(x, y, z);
  }
}
