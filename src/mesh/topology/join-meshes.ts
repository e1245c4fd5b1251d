import type { IndexedMesh, ObjectRange } from '../core/mesh.js';

/** Joins meshes to one in which they share no vertices, with the objects of all. */
export function joinMeshes(meshes: readonly IndexedMesh[]): IndexedMesh {
  const positions = new Float64Array(meshes.reduce((count, mesh) => count + mesh.positions.length, 0));
  const triangles = new Uint32Array(meshes.reduce((count, mesh) => count + mesh.triangles.length, 0));
  const joinedObjects: ObjectRange[] = [];
  let [positionOffset, triangleOffset] = [0, 0];
  for (const mesh of meshes) {
    const firstVertex = positionOffset / 3;
    positions.set(mesh.positions, positionOffset);
    for (let i = 0; i < mesh.triangles.length; i++) triangles[triangleOffset + i] = mesh.triangles[i] + firstVertex;
    for (const object of mesh.objects ?? [])
      joinedObjects.push({ ...object, firstTriangle: object.firstTriangle + triangleOffset / 3 });
    positionOffset += mesh.positions.length;
    triangleOffset += mesh.triangles.length;
  }
  return { positions, triangles, ...(joinedObjects.length > 0 && { objects: joinedObjects }) };
}
