import type { IndexedMesh, ObjectRange } from '../../core/mesh.js';

/** A range of triangles to write. */
export interface OutputBody {
  mesh: IndexedMesh;
  range: ObjectRange;
}

/** An object to write: bodies that are written as one mesh, or the ids of the objects that are its components. */
export interface OutputObject {
  id: number;
  type: 'model' | 'other';
  name: string;
  bodies: readonly OutputBody[];
  components: readonly number[];
}

/** The content of a 3MF to write. */
export interface OutputPackage {
  objects: readonly OutputObject[];
  /** The ids of the objects to build. */
  items: readonly number[];
  /** The slicer's list of the bodies. */
  config?: { path: string; text: string };
}

/** Returns whether a triangle with these corners is written: it has no two equal corners. */
export function isWritten(a: number, b: number, c: number): boolean {
  return a !== b && b !== c && c !== a;
}
