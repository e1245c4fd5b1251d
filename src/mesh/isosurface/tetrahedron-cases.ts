/** The six tetrahedra that a cube consists of, four corners each; corner number: x + 2 y + 4 z. All turn the same way. */
export const TETRAHEDRA: readonly (readonly [number, number, number, number])[] = [
  [0, 1, 3, 7],
  [0, 3, 2, 7],
  [0, 2, 6, 7],
  [0, 6, 4, 7],
  [0, 4, 5, 7],
  [0, 5, 1, 7],
];

/** An edge of a tetrahedron by the numbers of its corners, the first one inside the body. */
type Edge = readonly [inside: number, outside: number];

// Even permutations of the corners: the tetrahedron turns the same way, and any corner, or any two, can be had first.
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

/** The even permutation that has exactly the marked corners first. */
const findEvenPermutation = (mask: number, count: number): readonly [number, number, number, number] => {
  const isFirst = (order: readonly number[]): boolean =>
    order.slice(0, count).every((corner) => (mask >> corner) % 2 === 1);
  const order = EVEN_PERMUTATIONS.find(isFirst);
  if (!order) throw new Error(`no order for the corners ${mask}`);
  return order;
};

const bitCount = (mask: number): number => [0, 1, 2, 3].filter((corner) => (mask >> corner) % 2 === 1).length;

/** The triangles between the marked corners and the others, three edges each, that face away from the marked ones. */
const caseFor = (mask: number): readonly Edge[] => {
  const count = bitCount(mask);
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
};

/** Marked corners (bit n: corner n is inside the body) → the edges that the surface's triangles have their corners on, three each. */
export const TETRAHEDRON_CASES: readonly (readonly Edge[])[] = Array.from({ length: 16 }, (_, mask) => caseFor(mask));
