import type { InnerShell, ReportWarning } from '../analysis/report.js';

/** The mesh that repair steps exchange, with the object of each triangle. */
export interface RepairMesh {
  positions: Float64Array;
  triangles: Uint32Array;
  /** triangle → object + 1; 0 for none */
  objectOf: Uint32Array;
  /** triangle → 1 if its winding was changed to agree with its neighbors in the file; absent if none was */
  wasFlipped?: Uint8Array;
}

/** The result of a step. `changed` counts what the step does; it is 0 if the mesh is unchanged. */
export interface StepResult {
  mesh: RepairMesh;
  changed: number;
  /** Area of triangles that were added or moved to close the mesh. */
  filledAreaMm2?: number;
  /** Maximum displacement of a vertex. */
  maxDisplacementMm?: number;
  innerShells?: InnerShell[];
  warnings?: ReportWarning[];
}

/**
 * A repair step. The report contains its name. `diagonalMm` is the diagonal of the input mesh; tolerances are fractions
 * of it.
 */
export interface RepairStep {
  name: string;
  run: (mesh: RepairMesh, diagonalMm: number) => StepResult;
}

/** Returns a mesh of the triangles with the indices `kept`. Vertices stay the same. */
export function selectTriangles(mesh: RepairMesh, kept: readonly number[] | Uint32Array): RepairMesh {
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
export function appendTriangles(mesh: RepairMesh, corners: readonly number[], objects: readonly number[]): RepairMesh {
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
