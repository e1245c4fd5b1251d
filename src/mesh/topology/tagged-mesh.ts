import type { IndexedMesh, ObjectRange } from '../core/mesh.js';
import { compact } from './compact.js';

/** A mesh with the object of each triangle, so that triangles can be added, dropped and reordered. */
export interface TaggedMesh {
  positions: Float64Array;
  triangles: Uint32Array;
  /** triangle → object + 1; 0 for none */
  objectOf: Uint32Array;
  /** triangle → 1 if its winding was changed to agree with its neighbors in the file; absent if none was */
  wasFlipped?: Uint8Array;
}

/** Tags the triangles of a mesh with their objects. */
export function toTaggedMesh({ positions, triangles, objects }: IndexedMesh): TaggedMesh {
  const objectOf = new Uint32Array(triangles.length / 3);
  objects?.forEach(({ firstTriangle, triangleCount }, index) => {
    objectOf.fill(index + 1, firstTriangle, firstTriangle + triangleCount);
  });
  return { positions, triangles, objectOf };
}

/**
 * Converts a mesh back: groups its triangles by object, in the order of `objects`, and drops unused vertices. Shares
 * the arrays of the mesh if nothing is dropped or reordered.
 */
export function fromTaggedMesh(mesh: TaggedMesh, objects: readonly ObjectRange[] = []): IndexedMesh {
  const { positions, triangles } = hasUnusedVertices(mesh) ? compact(mesh.positions, mesh.triangles) : mesh;
  if (objects.length === 0) return { positions, triangles };
  const counts = new Uint32Array(objects.length + 1);
  for (const tag of mesh.objectOf) counts[tag]++;
  const nextIndex = new Uint32Array(objects.length + 1); // object + 1 → the next free index in `sorted`
  for (let tag = 1; tag <= objects.length; tag++) nextIndex[tag] = nextIndex[tag - 1] + counts[tag - 1];
  const ranges = objects.map((object, index) => ({
    ...object,
    firstTriangle: nextIndex[index + 1],
    triangleCount: counts[index + 1],
  }));
  const remaining = ranges.filter(({ triangleCount }) => triangleCount > 0);
  if (isGroupedByObject(mesh)) return { positions, triangles, objects: remaining };
  const sorted = new Uint32Array(triangles.length);
  for (let triangle = 0; triangle < mesh.objectOf.length; triangle++) {
    const index = nextIndex[mesh.objectOf[triangle]]++;
    sorted.set(triangles.subarray(triangle * 3, triangle * 3 + 3), index * 3);
  }
  return { positions, triangles: sorted, objects: remaining };
}

/** Whether the triangles are in the order of their objects. */
export function isGroupedByObject({ objectOf }: TaggedMesh): boolean {
  for (let triangle = 1; triangle < objectOf.length; triangle++)
    if (objectOf[triangle] < objectOf[triangle - 1]) return false;
  return true;
}

function hasUnusedVertices({ positions, triangles }: TaggedMesh): boolean {
  const isUsed = new Uint8Array(positions.length / 3);
  for (let i = 0; i < triangles.length; i++) isUsed[triangles[i]] = 1;
  return isUsed.includes(0);
}

/** Returns a mesh of the triangles with the indices `kept`. Vertices stay the same. */
export function selectTriangles(mesh: TaggedMesh, kept: readonly number[] | Uint32Array): TaggedMesh {
  const triangles = new Uint32Array(kept.length * 3);
  const objectOf = new Uint32Array(kept.length);
  for (let i = 0; i < kept.length; i++) {
    const offset = kept[i] * 3;
    triangles[i * 3] = mesh.triangles[offset];
    triangles[i * 3 + 1] = mesh.triangles[offset + 1];
    triangles[i * 3 + 2] = mesh.triangles[offset + 2];
    objectOf[i] = mesh.objectOf[kept[i]];
  }
  const wasFlipped = mesh.wasFlipped && Uint8Array.from(kept, (triangle) => mesh.wasFlipped?.[triangle] ?? 0);
  return { positions: mesh.positions, triangles, objectOf, ...(wasFlipped && { wasFlipped }) };
}

/** Returns a mesh with added triangles. `corners` has three vertices and `objects` one entry per triangle. */
export function appendTriangles(mesh: TaggedMesh, corners: readonly number[], objects: readonly number[]): TaggedMesh {
  const triangles = new Uint32Array(mesh.triangles.length + corners.length);
  triangles.set(mesh.triangles);
  triangles.set(corners, mesh.triangles.length);
  const objectOf = new Uint32Array(mesh.objectOf.length + objects.length);
  objectOf.set(mesh.objectOf);
  objectOf.set(objects, mesh.objectOf.length);
  const wasFlipped = mesh.wasFlipped && new Uint8Array(objectOf.length);
  wasFlipped?.set(mesh.wasFlipped ?? []);
  return { positions: mesh.positions, triangles, objectOf, ...(wasFlipped && { wasFlipped }) };
}

/**
 * Returns the coordinates of the vertices, followed by `newPositions`. Returns `positions` itself if there are none.
 */
export function appendPositions(positions: Float64Array, newPositions: readonly number[]): Float64Array {
  if (newPositions.length === 0) return positions;
  const all = new Float64Array(positions.length + newPositions.length);
  all.set(positions);
  all.set(newPositions, positions.length);
  return all;
}
