/**
 * The six tetrahedra of a cube, four corners each. The index of a corner is x + 2 y + 4 z. All have the same
 * orientation.
 */
export const TETRAHEDRA: readonly (readonly [number, number, number, number])[] = [
  [0, 1, 3, 7],
  [0, 3, 2, 7],
  [0, 2, 6, 7],
  [0, 6, 4, 7],
  [0, 4, 5, 7],
  [0, 5, 1, 7],
];

/** An edge of a tetrahedron, by the indices of its corners. The first one is inside the body. */
type Edge = readonly [inside: number, outside: number];

/** Even permutations of the corners. They preserve the orientation, and can put any one or two corners first. */
const EVEN_PERMUTATIONS: readonly (readonly [number, number, number, number])[] = [
  [0, 1, 2, 3],
  [1, 0, 3, 2],
  [2, 3, 0, 1],
  [3, 2, 1, 0],
  [0, 2, 3, 1],
  [0, 3, 1, 2],
  [1, 2, 0, 3],
  [1, 3, 2, 0],
  [2, 0, 1, 3],
  [2, 1, 3, 0],
  [3, 0, 2, 1],
  [3, 1, 0, 2],
];

/** Finds an even permutation that puts the corners in `mask` first. */
function findEvenPermutation(mask: number, count: number): readonly [number, number, number, number] {
  const isFirst = (order: readonly number[]): boolean =>
    order.slice(0, count).every((corner) => (mask >> corner) % 2 === 1);
  const order = EVEN_PERMUTATIONS.find(isFirst);
  if (!order) throw new Error(`Invalid mask "${mask}": expected ${count} of four corners.`);
  return order;
}

function countBits(mask: number): number {
  return [0, 1, 2, 3].filter((corner) => (mask >> corner) % 2 === 1).length;
}

/**
 * Returns the triangles that separate the corners in `mask` from the others and face away from them, as three edges
 * each.
 */
function createCase(mask: number): readonly Edge[] {
  const count = countBits(mask);
  if (count === 0 || count === 4) return [];
  if (count === 3) {
    const [a, b, c, d] = findEvenPermutation(15 - mask, 1);
    return [
      [b, a],
      [d, a],
      [c, a],
    ];
  }
  const [a, b, c, d] = findEvenPermutation(mask, count);
  if (count === 1) {
    return [
      [a, b],
      [a, c],
      [a, d],
    ];
  }
  return [
    [a, c],
    [a, d],
    [b, d],
    [a, c],
    [b, d],
    [b, c],
  ];
}

/**
 * mask of the inside corners (bit k: corner k) → the edges that contain the corners of the surface triangles,
 * three per triangle
 */
export const TETRAHEDRON_CASES: readonly (readonly Edge[])[] = Array.from({ length: 16 }, (_, mask) =>
  createCase(mask),
);
