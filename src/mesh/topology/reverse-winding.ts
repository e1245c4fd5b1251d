/** Reverses the winding of a triangle in place: exchanges its second and third corner. */
export function reverseWinding(triangles: Uint32Array | number[], triangle: number): void {
  const second = triangles[triangle * 3 + 1];
  triangles[triangle * 3 + 1] = triangles[triangle * 3 + 2];
  triangles[triangle * 3 + 2] = second;
}
