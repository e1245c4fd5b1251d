/** The vertices of a box of 1 x 2 x 3 with one vertex at the origin. Faces are counterclockwise seen from outside. */
export const BOX_POINTS: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [1, 0, 0],
  [1, 2, 0],
  [0, 2, 0],
  [0, 0, 3],
  [1, 0, 3],
  [1, 2, 3],
  [0, 2, 3],
];
export const BOX_FACES: readonly (readonly [number, number, number, number])[] = [
  [0, 3, 2, 1],
  [4, 5, 6, 7],
  [0, 1, 5, 4],
  [1, 2, 6, 5],
  [2, 3, 7, 6],
  [3, 0, 4, 7],
];

/** The faces as triangles. */
export const BOX_TRIANGLES = BOX_FACES.flatMap(([a, b, c, d]) => [
  [a, b, c],
  [a, c, d],
]);

/** The vertices for a file with Y up, such that the box stands upright after conversion. */
export const BOX_POINTS_Y_UP = BOX_POINTS.map(([x, y, z]) => [x, z, -y + 0]);

/** Returns the outward normal of a face and the direction of its first side. */
export function directionsOf([a, b, , d]: readonly number[]): { normal: number[]; along: number[] } {
  const direction = (from = 0, to = 0): number[] =>
    [0, 1, 2].map((k) => Math.sign((BOX_POINTS[to]?.[k] ?? 0) - (BOX_POINTS[from]?.[k] ?? 0)));
  const along = direction(a, b);
  return { normal: crossOf(along, direction(a, d)), along };
}

export function crossOf(a: readonly number[], b: readonly number[]): number[] {
  return [0, 1, 2].map((k) => {
    const [i, j] = [(k + 1) % 3, (k + 2) % 3];
    return (a[i] ?? 0) * (b[j] ?? 0) - (a[j] ?? 0) * (b[i] ?? 0) + 0;
  });
}
