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
