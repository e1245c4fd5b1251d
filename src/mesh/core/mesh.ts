/** Triangles that share vertices. The kernel works in millimetres, Z up, with float64 positions. */
export interface IndexedMesh {
  /** x, y, z of each vertex, in mm. */
  positions: Float64Array;
  /** Three vertex indices a triangle, counter-clockwise seen from outside. */
  triangles: Uint32Array;
  /** Named parts of the model, in order and without overlap; absent where the file names none. */
  objects?: ObjectRange[];
}

/** The surface of a mesh without its objects. */
export type MeshGeometry = Pick<IndexedMesh, 'positions' | 'triangles'>;

/** A run of triangles that the file calls one object. */
export interface ObjectRange {
  name: string;
  firstTriangle: number;
  triangleCount: number;
}

/** Nine numbers a triangle (three corners), no shared vertices: what an STL holds. */
export interface TriangleSoup {
  corners: Float64Array;
}

/** Axis-aligned box in mm. Of a mesh without vertices: `min` above `max`. */
export interface Box3 {
  min: [number, number, number];
  max: [number, number, number];
}

/** Told from time to time how far a long routine is: 0..1. */
export type OnProgress = (progress: number) => void;
