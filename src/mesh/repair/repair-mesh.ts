import type { IndexedMesh, ObjectRange } from '../core/mesh.js';
import { compact } from '../topology/compact.js';
import type { RepairMesh } from './step.js';

/** Converts a mesh to the form that the repair steps work on. */
export function toRepairMesh({ positions, triangles, objects }: IndexedMesh): RepairMesh {
  const objectOf = new Uint32Array(triangles.length / 3);
  objects?.forEach(({ firstTriangle, triangleCount }, index) => {
    objectOf.fill(index + 1, firstTriangle, firstTriangle + triangleCount);
  });
  return { positions, triangles, objectOf };
}

/** Converts a mesh back: groups its triangles by object, in the order of `objects`, and drops unused vertices. */
export function fromRepairMesh(mesh: RepairMesh, objects: readonly ObjectRange[] = []): IndexedMesh {
  const { positions, triangles } = compact(mesh.positions, mesh.triangles);
  if (objects.length === 0) return { positions, triangles };
  const counts = new Uint32Array(objects.length + 1);
  for (const tag of mesh.objectOf) counts[tag]++;
  const nextIndex = new Uint32Array(objects.length + 1); // object + 1 → the next free index in `sorted`
  for (let tag = 1; tag <= objects.length; tag++) nextIndex[tag] = nextIndex[tag - 1] + counts[tag - 1];
  const ranges = objects.map(({ name }, index) => ({
    name,
    firstTriangle: nextIndex[index + 1],
    triangleCount: counts[index + 1],
  }));
  const sorted = new Uint32Array(triangles.length);
  for (let triangle = 0; triangle < mesh.objectOf.length; triangle++) {
    const index = nextIndex[mesh.objectOf[triangle]]++;
    sorted.set(triangles.subarray(triangle * 3, triangle * 3 + 3), index * 3);
  }
  return { positions, triangles: sorted, objects: ranges.filter(({ triangleCount }) => triangleCount > 0) };
}
