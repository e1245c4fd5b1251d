import type { IndexedMesh, ObjectRange } from '../core/mesh.js';

/**
 * Returns a mesh of the triangles that remain, in their original order. Vertices keep their indices. `isRemoved`:
 * triangle → 1 if it was removed. Linear time.
 */
export function removeTriangles({ positions, triangles, objects }: IndexedMesh, isRemoved: Uint8Array): IndexedMesh {
  const remainingCount = isRemoved.reduce((count, removed) => count + 1 - removed, 0);
  const remaining = new Uint32Array(remainingCount * 3);
  /** triangle → number of remaining triangles before it */
  const remainingBefore = new Uint32Array(isRemoved.length + 1);
  for (let triangle = 0, index = 0; triangle < isRemoved.length; triangle++) {
    remainingBefore[triangle] = index;
    remainingBefore[triangle + 1] = index;
    if (isRemoved[triangle] === 1) continue;
    for (let k = 0; k < 3; k++) remaining[index * 3 + k] = triangles[triangle * 3 + k];
    remainingBefore[triangle + 1] = ++index;
  }
  const toRemainingRange = (object: ObjectRange): ObjectRange => {
    const { firstTriangle, triangleCount } = object;
    const first = remainingBefore[firstTriangle];
    return { ...object, firstTriangle: first, triangleCount: remainingBefore[firstTriangle + triangleCount] - first };
  };
  return { positions, triangles: remaining, ...(objects && { objects: objects.map(toRemainingRange) }) };
}
