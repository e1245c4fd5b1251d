/** Reverses the winding of a triangle in place: exchanges its second and third corner. */
export function reverseWinding(triangles: Uint32Array | number[], triangle: number): void {
  const second = triangles[triangle * 3 + 1];
  triangles[triangle * 3 + 1] = triangles[triangle * 3 + 2];
  triangles[triangle * 3 + 2] = second;
}

/**
 * Returns a copy of triangles of which some are reversed.
 *
 * @param isReversed triangle → 1 if its winding is reversed
 */
export function reverseTriangles(triangles: Uint32Array, isReversed: Uint8Array): Uint32Array {
  const reversed = triangles.slice();
  for (let triangle = 0; triangle < isReversed.length; triangle++)
    if (isReversed[triangle] === 1) reverseWinding(reversed, triangle);
  return reversed;
}
