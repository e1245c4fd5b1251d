import type { ReportWarning } from '../analysis/report.js';
import type { IndexedMesh } from '../core/mesh.js';
import { pluralize } from '../core/pluralize.js';
import { compact } from '../topology/compact.js';
import { triangulateFace } from '../triangulation/triangulate-face.js';
import { gatherPositions, weldPoints } from '../welding/weld.js';
import { isValidCoordinate } from './coordinate-range.js';

/** What a file of faces says, before faces are held against points. */
export interface Faces {
  /** x, y, z of each point, in the file's unit. */
  points: Float64Array;
  /** Point numbers from 0, all faces one after the other; what is no point's number (-1, NaN, too large) is allowed. */
  corners: Float64Array;
  /** face → its first entry in `corners` */
  faceStarts: Float64Array;
}

/** The mesh that faces make. */
export interface FaceMesh {
  mesh: IndexedMesh;
  /** face → its first triangle; one entry more at the end */
  firstTriangleOf: Float64Array;
  /** Tells of faces that were left out; empty where none was. */
  warnings: ReportWarning[];
}

/**
 * Welds points, and makes triangles of faces of any number of corners. Faces with fewer than three corners, a corner that is no point,
 * or one whose coordinates cannot be any, are left out and counted.
 */
export function buildMeshFromFaces({ points, corners, faceStarts }: Faces): FaceMesh {
  const { vertexOf, firstPoint } = weldPoints(points);
  const positions = gatherPositions(points, firstPoint);
  const triangles = new Uint32Array(maxTriangleCount(faceStarts, corners.length) * 3);
  let length = 0;
  const firstTriangleOf = new Float64Array(faceStarts.length + 1);
  let badFaceCount = 0;
  for (let face = 0; face < faceStarts.length; face++) {
    const start = faceStarts[face];
    const end = faceStarts[face + 1] ?? corners.length;
    let isSound = end - start >= 3;
    for (let i = start; i < end && isSound; i++) isSound = isValidPoint(points, corners[i]);
    if (!isSound) badFaceCount++;
    else if (end - start === 3) for (let i = start; i < end; i++) triangles[length++] = vertexOf[corners[i]];
    else {
      const vertices = Array.from(corners.subarray(start, end), (point) => vertexOf[point]);
      for (const vertex of triangulateFace(positions, vertices)) triangles[length++] = vertex;
    }
    firstTriangleOf[face + 1] = length / 3;
  }
  const { positions: used, triangles: indices } = compact(positions, triangles.subarray(0, length));
  return {
    mesh: { positions: used, triangles: indices },
    firstTriangleOf,
    warnings: facesDroppedWarning(badFaceCount),
  };
}

/** A face of n corners has n - 2 triangles at most. */
function maxTriangleCount(faceStarts: Float64Array, cornerCount: number): number {
  let count = 0;
  for (let face = 0; face < faceStarts.length; face++) {
    count += Math.max(0, (faceStarts[face + 1] ?? cornerCount) - faceStarts[face] - 2);
  }
  return count;
}

/** Whether there is a point of this number, and its coordinates can be some: beyond the points all is undefined, and not placeable. */
function isValidPoint(points: Float64Array, point: number): boolean {
  const offset = point * 3;
  return (
    isValidCoordinate(points[offset]) && isValidCoordinate(points[offset + 1]) && isValidCoordinate(points[offset + 2])
  );
}

/** The warning for faces that were left out, if any was. */
export function facesDroppedWarning(count: number): ReportWarning[] {
  if (count === 0) return [];
  const message = `${pluralize(count, 'face points', 'faces point')} at no vertex, or at one that has no position: left out`;
  return [{ code: 'FACES_DROPPED', message }];
}
