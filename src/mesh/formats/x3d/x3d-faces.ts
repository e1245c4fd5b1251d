import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import type { Faces } from '../reading/build-mesh-from-faces.js';
import type { X3dNode } from './x3d-node.js';

/**
 * Returns the faces of an IndexedFaceSet (each terminated by -1) or an IndexedTriangleSet, reversed if `ccw` is FALSE.
 */
export function facesOfNode(node: X3dNode): Faces {
  const isTriangles = node.type === 'IndexedTriangleSet';
  const indices = node.numbers.get(isTriangles ? 'index' : 'coordIndex') ?? new Float64Array();
  const points = node.children.find(({ type }) => type.startsWith('Coordinate'))?.numbers.get('point');
  const corners = new GrowableFloat64Array();
  const faceStarts = new GrowableFloat64Array();
  const endFace = (start: number, end: number): void => {
    if (end === start) return;
    faceStarts.push(corners.length);
    for (let i = 0; i < end - start; i++) corners.push(indices[node.falseFields.has('ccw') ? end - 1 - i : start + i]);
  };
  if (isTriangles) for (let offset = 0; offset + 2 < indices.length; offset += 3) endFace(offset, offset + 3);
  else {
    let start = 0;
    for (let i = 0; i < indices.length; i++) {
      if (indices[i] !== -1) continue;
      endFace(start, i);
      start = i + 1;
    }
    endFace(start, indices.length);
  }
  const completePoints = points?.subarray(0, points.length - (points.length % 3)) ?? new Float64Array();
  return { points: completePoints, corners: corners.values(), faceStarts: faceStarts.values() };
}
