/**
 * An affine transform as twelve numbers: the images of the x, y and z axis, then that of the origin, in the order of
 * 3MF:
 * x' = x * t[0] + y * t[3] + z * t[6] + t[9], and y' and z' accordingly.
 */
export type AffineTransform = readonly number[];

/** The transform that changes nothing. */
export const IDENTITY: AffineTransform = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

/** Returns a uniform scaling about the origin. */
export function scaling(factor: number): AffineTransform {
  return factor === 1 ? IDENTITY : IDENTITY.map((value) => value * factor);
}

/** Returns the transform from a file with Y up and `unitInMm` millimeters per unit to millimeters with Z up. */
export function yUpToZUp(unitInMm: number): AffineTransform {
  return [unitInMm, 0, 0, 0, 0, unitInMm, 0, -unitInMm, 0, 0, 0, 0];
}

/** Returns the transform that applies `inner`, then `outer`. */
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

/** Returns whether a transform mirrors (negative determinant), so that the winding of triangles has to be reversed. */
export function isReflection(t: AffineTransform): boolean {
  const determinant =
    t[0] * (t[4] * t[8] - t[5] * t[7]) - t[1] * (t[3] * t[8] - t[5] * t[6]) + t[2] * (t[3] * t[7] - t[4] * t[6]);
  return determinant < 0;
}

/**
 * Parses twelve numbers separated by spaces, as in a 3MF. Returns `undefined` for any other count or a value that is
 * not finite.
 */
export function parseTransform(text: string): AffineTransform | undefined {
  const numbers = text.trim().split(/\s+/).map(Number);
  return numbers.length === 12 && numbers.every(Number.isFinite) ? numbers : undefined;
}

/** Returns the transform of sixteen numbers from `start` on: a matrix by columns, whose last row is not used. */
export function fromMatrix(matrix: ArrayLike<number>, start = 0): AffineTransform {
  return [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14].map((i) => matrix[start + i]);
}

/** Returns a translation by x, y, z. */
export function translation(offset: readonly number[]): AffineTransform {
  return [1, 0, 0, 0, 1, 0, 0, 0, 1, ...offset];
}

/** Returns a scaling by x, y, z along the axes. */
export function scale([x, y, z]: readonly number[]): AffineTransform {
  return [x, 0, 0, 0, y, 0, 0, 0, z, 0, 0, 0];
}

/**
 * Returns a rotation about an axis of any length by an angle in radians (Rodrigues formula), given as x, y, z, angle.
 */
export function rotation([ax, ay, az, angle]: readonly number[]): AffineTransform {
  const length = Math.hypot(ax, ay, az);
  if (angle === 0 || !(length > 0)) return IDENTITY;
  const [x, y, z] = [ax / length, ay / length, az / length];
  const s = Math.sin(angle);
  const c = Math.cos(angle);
  const t = 1 - c;
  return [
    t * x * x + c,
    t * x * y + s * z,
    t * x * z - s * y,
    t * x * y - s * z,
    t * y * y + c,
    t * y * z + s * x,
    t * x * z + s * y,
    t * y * z - s * x,
    t * z * z + c,
    0,
    0,
    0,
  ];
}

/** Returns a rotation about x, then y, then z by the given degrees, followed by a translation. */
export function fromEulerAngles(
  degrees: readonly [number, number, number],
  translation: readonly number[],
): AffineTransform {
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
    ...translation,
  ];
}

/** Returns the sine of an angle in degrees, exact at multiples of 90. */
function exactSine(degrees: number): number {
  const quarterTurns = degrees / 90;
  return Number.isInteger(quarterTurns)
    ? [0, 1, 0, -1][((quarterTurns % 4) + 4) % 4]
    : Math.sin((degrees * Math.PI) / 180);
}
