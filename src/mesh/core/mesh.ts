/** A triangulated surface with shared vertices. Units are millimeters, Z is up, positions are float64. */
export interface IndexedMesh {
  /** vertex → x, y, z in mm */
  positions: Float64Array;
  /** triangle → three vertex indices, counterclockwise seen from outside */
  triangles: Uint32Array;
  /** Named parts of the model, in order and without overlap. Absent if the file names none. */
  objects?: ObjectRange[];
}

/** A mesh without its objects. */
export type MeshGeometry = Pick<IndexedMesh, 'positions' | 'triangles'>;

/** A range of consecutive triangles that form one object of the file. */
export interface ObjectRange {
  name: string;
  firstTriangle: number;
  triangleCount: number;
  /** The purpose of a helper body. Absent: it is a part of the model. */
  role?: HelperRole;
  /** The number of the object of the file that the body belongs to. Absent unless helper bodies are kept. */
  group?: number;
}

/**
 * The purpose of a body that is no part of the model, but tells a slicer how to print it. `support`: supports that the file
 * contains; `other`: anything else that is not to be printed.
 */
export type HelperRole = 'negative' | 'modifier' | 'supportEnforcer' | 'supportBlocker' | 'support' | 'other';

/** Helper bodies that are kept beside a model: each object has a role and a group. They share no vertices with it. */
export interface HelperBodies extends IndexedMesh {
  objects: ObjectRange[];
  /** The family of slicers whose files have such bodies: an export writes its layout. */
  slicer: SlicerFamily;
}

/** PrusaSlicer and SuperSlicer; Bambu Studio and OrcaSlicer. */
export type SlicerFamily = 'prusa' | 'bambu';

/** Triangles without shared vertices, as in an STL file. */
export interface TriangleSoup {
  /** triangle → x, y, z of its three corners, in mm */
  corners: Float64Array;
}

/** An axis-aligned box in mm. An empty box has `min` above `max`. */
export interface Box3 {
  min: [number, number, number];
  max: [number, number, number];
}

/** Receives the progress of a long routine from time to time, 0..1. */
export type OnProgress = (progress: number) => void;
