// A half-edge h is a directed side of a triangle: side h % 3 of triangle (h - h % 3) / 3, from corner h to corner
// nextOf(h).

/** Returns the next half-edge in the triangle. */
export function nextOf(halfEdge: number): number {
  return halfEdge % 3 === 2 ? halfEdge - 2 : halfEdge + 1;
}

/** Returns the previous half-edge in the triangle. */
export function previousOf(halfEdge: number): number {
  return halfEdge % 3 === 0 ? halfEdge + 2 : halfEdge - 1;
}

/** Returns the triangle of a half-edge. */
export function triangleOf(halfEdge: number): number {
  return (halfEdge - (halfEdge % 3)) / 3;
}

/** Returns whether a vertex is a corner of a triangle. */
export function hasCorner(triangles: Uint32Array, triangle: number, vertex: number): boolean {
  const offset = triangle * 3;
  return triangles[offset] === vertex || triangles[offset + 1] === vertex || triangles[offset + 2] === vertex;
}
