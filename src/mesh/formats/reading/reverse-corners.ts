/** Returns the corners of triangles in the opposite winding, as a new array. */
export function reverseCorners(corners: Float64Array | Uint32Array): Float64Array | Uint32Array {
  const reversed = corners.slice();
  for (let i = 0; i + 2 < corners.length; i += 3) {
    reversed[i + 1] = corners[i + 2];
    reversed[i + 2] = corners[i + 1];
  }
  return reversed;
}
