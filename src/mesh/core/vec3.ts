// Vectors of three numbers. Inner loops compute with the components instead, and allocate nothing.

/** Computes the dot product of two vectors. */
export function dot(u: readonly number[], v: readonly number[]): number {
  return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

/** Computes u - v. */
export function subtract(u: readonly number[], v: readonly number[]): [number, number, number] {
  return [u[0] - v[0], u[1] - v[1], u[2] - v[2]];
}

/** Computes the cross product of two vectors. */
export function cross(u: readonly number[], v: readonly number[]): [number, number, number] {
  return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
}

/** Computes a vector orthogonal to `v`: its cross product with the axis that `v` has the smallest component along. */
export function perpendicularTo(v: readonly number[]): [number, number, number] {
  const [x, y, z] = [Math.abs(v[0]), Math.abs(v[1]), Math.abs(v[2])];
  const min = Math.min(x, y, z);
  return cross(v, x === min ? [1, 0, 0] : y === min ? [0, 1, 0] : [0, 0, 1]);
}

/** Returns two unit vectors that are orthogonal to a unit vector and to each other, as a right-handed basis. */
export function completeBasis(unit: readonly number[]): [u: number[], v: number[]] {
  const perpendicular = perpendicularTo(unit);
  const length = Math.hypot(...perpendicular);
  const u = perpendicular.map((part) => part / length);
  return [u, cross(unit, u)];
}
