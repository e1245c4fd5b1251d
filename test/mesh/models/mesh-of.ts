import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';

/** Creates a mesh from lists of vertices and triangles. */
export function meshOf(vertices: readonly number[][], triangles: readonly number[][]): IndexedMesh {
  return { positions: Float64Array.from(vertices.flat()), triangles: Uint32Array.from(triangles.flat()) };
}

/** Combines several meshes into one, without shared vertices. */
export function joined(...meshes: readonly IndexedMesh[]): IndexedMesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (const mesh of meshes) {
    const first = positions.length / 3;
    for (const value of mesh.positions) positions.push(value);
    for (const vertex of mesh.triangles) triangles.push(vertex + first);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Returns the mesh without the triangles with these indices. */
export function without(mesh: IndexedMesh, ...removed: readonly number[]): IndexedMesh {
  return { ...mesh, triangles: mesh.triangles.filter((_, i) => !removed.includes(Math.floor(i / 3))) };
}

/** Returns the mesh with the winding of the triangles with these indices reversed. Default: of all triangles. */
export function turnedOver(mesh: IndexedMesh, ...reversed: readonly number[]): IndexedMesh {
  const triangles = mesh.triangles.slice();
  for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
    if (reversed.length > 0 && !reversed.includes(triangle)) continue;
    triangles[triangle * 3 + 1] = mesh.triangles[triangle * 3 + 2] ?? 0;
    triangles[triangle * 3 + 2] = mesh.triangles[triangle * 3 + 1] ?? 0;
  }
  return { ...mesh, triangles };
}

/** Returns the mesh scaled by `factor`, then translated by `offset`. */
export function placed(mesh: IndexedMesh, offset: readonly number[], factor = 1): IndexedMesh {
  return { ...mesh, positions: mesh.positions.map((value, i) => value * factor + (offset[i % 3] ?? 0)) };
}
