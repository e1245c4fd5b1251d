// A half-edge h is one directed side of a triangle: side h % 3 of triangle (h - h % 3) / 3, from corner h to corner nextOf(h).

/** The half-edge after this one in its triangle. */
export const nextOf = (halfEdge: number): number => (halfEdge % 3 === 2 ? halfEdge - 2 : halfEdge + 1);

/** The half-edge before this one in its triangle. */
export const previousOf = (halfEdge: number): number => (halfEdge % 3 === 0 ? halfEdge + 2 : halfEdge - 1);

/** The triangle that this half-edge is a side of. */
export const triangleOf = (halfEdge: number): number => (halfEdge - (halfEdge % 3)) / 3;
