import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';

/** A mesh written out by hand: one vertex, one triangle per line. */
export function meshOf(vertices: readonly number[][], triangles: readonly number[][]): IndexedMesh {
  return { positions: Float64Array.from(vertices.flat()), triangles: Uint32Array.from(triangles.flat()) };
}

/** Several meshes as one, vertices not shared. */
export function joined(...meshes: readonly IndexedMesh[]): IndexedMesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (const mesh of meshes) {
    const first = positions.length / 3;
    positions.push(...mesh.positions);
    triangles.push(...Array.from(mesh.triangles, (vertex) => vertex + first));
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** The mesh with these triangles (by number) left out. */
export function without(mesh: IndexedMesh, ...left: readonly number[]): IndexedMesh {
  return { ...mesh, triangles: mesh.triangles.filter((_, i) => !left.includes(Math.floor(i / 3))) };
}

/** The mesh with these triangles (by number) turned over; all of them, where none is named. */
export function turnedOver(mesh: IndexedMesh, ...which: readonly number[]): IndexedMesh {
  const triangles = mesh.triangles.slice();
  for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
    if (which.length > 0 && !which.includes(triangle)) continue;
    triangles[triangle * 3 + 1] = mesh.triangles[triangle * 3 + 2] ?? 0;
    triangles[triangle * 3 + 2] = mesh.triangles[triangle * 3 + 1] ?? 0;
  }
  return { ...mesh, triangles };
}

/** The mesh moved and made larger: every coordinate times `factor`, plus `offset`. */
export function placed(mesh: IndexedMesh, offset: readonly number[], factor = 1): IndexedMesh {
  return { ...mesh, positions: mesh.positions.map((value, i) => value * factor + (offset[i % 3] ?? 0)) };
}
