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
}

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
