import type { InnerShell, ReportWarning } from '../analysis/report.js';

/** What the steps of a repair hand on: a mesh, and for each triangle which object it belongs to. */
export interface RepairMesh {
  positions: Float64Array;
  triangles: Uint32Array;
  /** triangle → object + 1; 0 for none. Survives whatever is added or left out. */
  objectOf: Uint32Array;
  /** triangle → 1 where its winding was changed, because its neighbours in the file disagreed with it; absent where none was. */
  wasFlipped?: Uint8Array;
}

/** What a step made. `changed` counts what the step is about, 0 where the mesh is as it was. */
export interface StepResult {
  mesh: RepairMesh;
  changed: number;
  /** Area of triangles that were added, or moved, to close something. */
  filledAreaMm2?: number;
  /** The farthest that a vertex was moved. */
  maxDisplacementMm?: number;
  innerShells?: InnerShell[];
  warnings?: ReportWarning[];
}

/** One step of a repair. Its name stands in the report. `diagonalMm` is that of the mesh as it came: tolerances are shares of it. */
export interface RepairStep {
  name: string;
  run: (mesh: RepairMesh, diagonalMm: number) => StepResult;
}

/** A mesh of some triangles (by number) of another, with the same vertices. */
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

/** A mesh with triangles added: `corners` are three vertex numbers each, `objects` one entry each. */
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
