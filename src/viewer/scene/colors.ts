/** Red, green and blue in sRGB, as `0xrrggbb`. */
export type HexColor = number;

/** The colors of surfaces; fronts, backs and boundary edges as in thumbnails. A test compares them. */
export const SURFACE_COLORS = { front: 0x9eb8d2, back: 0xe8643c, cutFace: 0xf0d898, cutFaceStripe: 0xd2b668 } as const;

/** The color of each kind of defect. */
export const DEFECT_COLORS: Readonly<Record<string, HexColor>> = {
  boundaryEdge: 0xd6142c,
  nonManifoldEdge: 0x8a1ed0,
  inconsistentEdge: 0x007a3d,
  intersectingTriangle: 0xd400a8,
  overlappingTriangle: 0x5b4bff,
  degenerateTriangle: 0x00606e,
};

/** The color of a kind of defect that has none of its own. */
export const OTHER_DEFECT_COLOR: HexColor = 0x444444;
