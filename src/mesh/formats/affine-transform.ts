/**
 * Where something is placed: twelve numbers, the images of the three axes and of the origin, so that
 * x' = x * p[0] + y * p[3] + z * p[6] + p[9], and so on. The order of 3MF.
 */
export type AffineTransform = readonly number[];

/** Where it is. */
export const IDENTITY: AffineTransform = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

/** Larger by a factor. */
export const scaling = (factor: number): AffineTransform =>
  factor === 1 ? IDENTITY : IDENTITY.map((value) => value * factor);

/** A file with the Y axis up and `unitInMm` to its number, placed with the Z axis up, in mm. */
export const yUpToZUp = (unitInMm: number): AffineTransform => [
  unitInMm,
  0,
  0,
  0,
  0,
  unitInMm,
  0,
  -unitInMm,
  0,
  0,
  0,
  0,
];

/** The placement by `inner`, and then by `outer`. */
export function compose(outer: AffineTransform, inner: AffineTransform): AffineTransform {
  if (outer === IDENTITY) return inner;
  if (inner === IDENTITY) return outer;
  return inner.map((_, i) => {
    const row = i - (i % 3);
    const column = i % 3;
    const sum = inner[row] * outer[column] + inner[row + 1] * outer[column + 3] + inner[row + 2] * outer[column + 6];
    return row === 9 ? sum + outer[column + 9] : sum;
  });
}

/** Whether it turns left into right, so that triangles must be turned over. */
export function isReflection(p: AffineTransform): boolean {
  const determinant =
    p[0] * (p[4] * p[8] - p[5] * p[7]) - p[1] * (p[3] * p[8] - p[5] * p[6]) + p[2] * (p[3] * p[7] - p[4] * p[6]);
  return determinant < 0;
}

/** Twelve numbers between spaces, as in a 3MF; `undefined` where they are others or more. */
export function parseTransform(text: string): AffineTransform | undefined {
  const numbers = text.trim().split(/\s+/).map(Number);
  return numbers.length === 12 && numbers.every(Number.isFinite) ? numbers : undefined;
}

/** Turned by these degrees round x, then y, then z, and then moved. */
export function fromEulerAngles(degrees: readonly [number, number, number], move: readonly number[]): AffineTransform {
  const [sx, sy, sz] = degrees.map((angle) => exactSine(angle));
  const [cx, cy, cz] = degrees.map((angle) => exactSine(angle + 90));
  return [
    cy * cz,
    cy * sz,
    -sy,
    sx * sy * cz - cx * sz,
    sx * sy * sz + cx * cz,
    sx * cy,
    cx * sy * cz + sx * sz,
    cx * sy * sz - sx * cz,
    cx * cy,
    ...move,
  ];
}

/** Exact at quarter turns. */
function exactSine(degrees: number): number {
  const quarter = degrees / 90;
  return Number.isInteger(quarter) ? [0, 1, 0, -1][((quarter % 4) + 4) % 4] : Math.sin((degrees * Math.PI) / 180);
}
