/** A mesh without unused vertices. */
export interface CompactedMesh {
  positions: Float64Array<ArrayBuffer>;
  triangles: Uint32Array<ArrayBuffer>;
  /** old vertex → new vertex, or `UNUSED` */
  newVertexOf: Uint32Array;
}

/** The entry of `newVertexOf` for a vertex that no triangle uses. */
export const UNUSED = 0xffffffff;

/** Removes the vertices that no triangle uses. The others keep their order. Linear time. */
export function compact(positions: Float64Array, triangles: Uint32Array): CompactedMesh {
  const vertexCount = positions.length / 3;
  const newVertexOf = new Uint32Array(vertexCount).fill(UNUSED);
  for (let i = 0; i < triangles.length; i++) newVertexOf[triangles[i]] = 0;
  let count = 0;
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    if (newVertexOf[vertex] !== UNUSED) newVertexOf[vertex] = count++;
  }
  const compactPositions = new Float64Array(count * 3);
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    const newVertex = newVertexOf[vertex];
    if (newVertex === UNUSED) continue;
    compactPositions[newVertex * 3] = positions[vertex * 3];
    compactPositions[newVertex * 3 + 1] = positions[vertex * 3 + 1];
    compactPositions[newVertex * 3 + 2] = positions[vertex * 3 + 2];
  }
  const compactTriangles = new Uint32Array(triangles.length);
  for (let i = 0; i < triangles.length; i++) compactTriangles[i] = newVertexOf[triangles[i]];
  return { positions: compactPositions, triangles: compactTriangles, newVertexOf };
}
