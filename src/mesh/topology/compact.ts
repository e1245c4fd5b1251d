/** Positions and triangles with no vertex that is not used. */
export interface CompactedMesh {
  positions: Float64Array<ArrayBuffer>;
  triangles: Uint32Array<ArrayBuffer>;
  /** old vertex → new vertex; what is not used has `UNUSED` */
  newVertexOf: Uint32Array;
}

/** What `newVertexOf` holds for a vertex that no triangle uses. */
export const UNUSED = 0xffffffff;

/** Leaves out vertices that no triangle uses; the others keep their order. */
export function compact(positions: Float64Array, triangles: Uint32Array): CompactedMesh {
  const vertexCount = positions.length / 3;
  const newVertexOf = new Uint32Array(vertexCount).fill(UNUSED);
  for (let i = 0; i < triangles.length; i++) newVertexOf[triangles[i]] = 0;
  let count = 0;
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    if (newVertexOf[vertex] !== UNUSED) newVertexOf[vertex] = count++;
  }
  const keptPositions = new Float64Array(count * 3);
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    const kept = newVertexOf[vertex];
    if (kept === UNUSED) continue;
    keptPositions[kept * 3] = positions[vertex * 3];
    keptPositions[kept * 3 + 1] = positions[vertex * 3 + 1];
    keptPositions[kept * 3 + 2] = positions[vertex * 3 + 2];
  }
  const keptTriangles = new Uint32Array(triangles.length);
  for (let i = 0; i < triangles.length; i++) keptTriangles[i] = newVertexOf[triangles[i]];
  return { positions: keptPositions, triangles: keptTriangles, newVertexOf };
}
