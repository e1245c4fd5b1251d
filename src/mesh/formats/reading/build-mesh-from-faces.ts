import type { ReportWarning } from '../../analysis/report.js';
import type { IndexedMesh } from '../../core/mesh.js';
import { pluralize } from '../../core/pluralize.js';
import { compact } from '../../topology/compact.js';
import { triangulateFace } from '../../triangulation/triangulate-face.js';
import { gatherPositions, weldPoints } from '../../welding/weld.js';
import type { ReaderWarning } from '../format.js';
import { isValidCoordinate } from './coordinate-range.js';

/** Polygons and points as read from a file; the indices are not checked yet. */
export interface Faces {
  /** x, y, z of each point, in the file's unit. */
  points: Float64Array;
  /** Zero-based point indices of all faces in sequence. Invalid indices (-1, NaN, too large) are allowed. */
  corners: Float64Array;
  /** face → its first entry in `corners` */
  faceStarts: Float64Array;
}

/** The result of `buildMeshFromFaces`. */
export interface FaceMesh {
  mesh: IndexedMesh;
  /** face → its first triangle; has one more entry at the end */
  firstTriangleOf: Float64Array;
  /** Reports skipped faces; empty if there are none. */
  warnings: ReportWarning[];
}

/**
 * Welds equal points and triangulates faces of any number of corners. Skips and counts faces with fewer than three
 * corners or with a corner whose point is missing or has invalid coordinates.
 */
export function buildMeshFromFaces({ points, corners, faceStarts }: Faces): FaceMesh {
  const { vertexOf, firstPoint } = weldPoints(points);
  const positions = gatherPositions(points, firstPoint);
  const triangles = new Uint32Array(maxTriangleCount(faceStarts, corners.length) * 3);
  let length = 0;
  const firstTriangleOf = new Float64Array(faceStarts.length + 1);
  let invalidFaceCount = 0;
  for (let face = 0; face < faceStarts.length; face++) {
    const start = faceStarts[face];
    const end = faceStarts[face + 1] ?? corners.length;
    let isValid = end - start >= 3;
    for (let i = start; i < end && isValid; i++) isValid = isValidPoint(points, corners[i]);
    if (!isValid) invalidFaceCount++;
    else if (end - start === 3) for (let i = start; i < end; i++) triangles[length++] = vertexOf[corners[i]];
    else {
      const vertices = Array.from(corners.subarray(start, end), (point) => vertexOf[point]);
      for (const vertex of triangulateFace(positions, vertices)) triangles[length++] = vertex;
    }
    firstTriangleOf[face + 1] = length / 3;
  }
  const { positions: usedPositions, triangles: indices } = compact(positions, triangles.subarray(0, length));
  return {
    mesh: { positions: usedPositions, triangles: indices },
    firstTriangleOf,
    warnings: facesDroppedWarning(invalidFaceCount),
  };
}

/** Returns an upper bound: a face of n corners has at most n - 2 triangles. */
function maxTriangleCount(faceStarts: Float64Array, cornerCount: number): number {
  let count = 0;
  for (let face = 0; face < faceStarts.length; face++) {
    count += Math.max(0, (faceStarts[face + 1] ?? cornerCount) - faceStarts[face] - 2);
  }
  return count;
}

/** Returns whether a point exists and has valid coordinates. Reads past the end give undefined, which is invalid. */
export function isValidPoint(points: Float64Array, point: number): boolean {
  const offset = point * 3;
  return (
    isValidCoordinate(points[offset]) && isValidCoordinate(points[offset + 1]) && isValidCoordinate(points[offset + 2])
  );
}

/** Returns the warning for skipped faces, or nothing if `count` is 0. */
export function facesDroppedWarning(count: number): ReaderWarning[] {
  if (count === 0) return [];
  const message = `${pluralize(count, 'face')} with missing or invalid vertices ${count === 1 ? 'was' : 'were'} skipped.`;
  return [{ code: 'FACES_DROPPED', message, skipped: { faces: count } }];
}
