import type { IndexedMesh } from '../core/mesh.js';
import { NO_TWIN } from '../topology/edges.js';
import { findFans } from '../topology/fans.js';
import { nextOf } from '../topology/half-edge.js';

/**
 * Marks the vertices that may be removed: vertex → 1 if its triangles form one closed fan and belong to one object.
 * Vertices of boundary, non-manifold and inconsistently wound edges stay, and vertices between objects.
 */
export function markRemovableVertices(
  { positions, triangles, objects = [] }: IndexedMesh,
  twins: Int32Array,
): Uint8Array {
  const vertexCount = positions.length / 3;
  const isRemovable = new Uint8Array(vertexCount).fill(1);
  const fanOfVertex = new Int32Array(vertexCount).fill(-1);
  const { fanOf } = findFans(twins);
  for (let corner = 0; corner < triangles.length; corner++) {
    const vertex = triangles[corner];
    if (twins[corner] === NO_TWIN) {
      isRemovable[vertex] = 0;
      isRemovable[triangles[nextOf(corner)]] = 0;
    }
    if (fanOfVertex[vertex] >= 0 && fanOfVertex[vertex] !== fanOf[corner]) isRemovable[vertex] = 0;
    fanOfVertex[vertex] = fanOf[corner];
  }
  const objectOfVertex = new Int32Array(vertexCount).fill(-1);
  for (const [object, { firstTriangle, triangleCount }] of objects.entries()) {
    for (let corner = firstTriangle * 3; corner < (firstTriangle + triangleCount) * 3; corner++) {
      const vertex = triangles[corner];
      if (objectOfVertex[vertex] >= 0 && objectOfVertex[vertex] !== object) isRemovable[vertex] = 0;
      objectOfVertex[vertex] = object;
    }
  }
  return isRemovable;
}
