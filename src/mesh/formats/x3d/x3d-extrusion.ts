import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { MeshError } from '../../core/mesh-error.js';
import { cross, dot, subtract } from '../../core/vec3.js';
import { rotation } from '../reading/affine-transform.js';
import type { Faces } from '../reading/build-mesh-from-faces.js';
import { isDisabled, type X3dNode } from './x3d-node.js';

type Vector = readonly [number, number, number];

const MAX_POINTS = 2 ** 24;
const SQUARE = [1, 1, 1, -1, -1, -1, -1, 1, 1, 1];

/**
 * Returns the faces of an Extrusion: the cross-section is placed at each spine point in the spine-aligned cross-section
 * plane (ISO/IEC 14772-1, 6.18), scaled and rotated there. The ends are capped unless disabled.
 */
export function facesOfExtrusion(node: X3dNode): Faces {
  const { numbers } = node;
  const section = Array.from(numbers.get('crossSection') ?? SQUARE);
  const spine = vectorsOf(numbers.get('spine') ?? [0, 0, 0, 0, 1, 0]);
  const sectionCount = Math.floor(section.length / 2);
  if (sectionCount * spine.length > MAX_POINTS)
    throw new MeshError('TOO_LARGE', `Could not read the file: an extrusion has more than ${MAX_POINTS} points.`);
  const scales = numbers.get('scale') ?? [1, 1];
  const orientations = numbers.get('orientation') ?? [0, 0, 1, 0];
  const points = new GrowableFloat64Array();
  for (const [i, { x, y, z }] of computeSpineFrames(spine).entries()) {
    const scaleOffset = Math.min(i * 2, scales.length - 2);
    const orientationOffset = Math.min(i * 4, orientations.length - 4);
    const rotated = rotation([
      orientations[orientationOffset],
      orientations[orientationOffset + 1],
      orientations[orientationOffset + 2],
      orientations[orientationOffset + 3],
    ]);
    for (let k = 0; k < sectionCount; k++) {
      const across = section[k * 2] * scales[scaleOffset];
      const along = section[k * 2 + 1] * scales[scaleOffset + 1];
      // The rotation is relative to the plane, whose second axis is the direction of the spine.
      const [u, v, w] = [0, 1, 2].map((axis) => across * rotated[axis] + along * rotated[axis + 6]);
      for (let axis = 0; axis < 3; axis++) points.push(spine[i][axis] + u * x[axis] + v * y[axis] + w * z[axis]);
    }
  }
  return { points: points.values(), ...buildSideFaces(spine.length, sectionCount, isClosed(section), node) };
}

function buildSideFaces(
  spineCount: number,
  sectionCount: number,
  isClosedSection: boolean,
  node: X3dNode,
): Pick<Faces, 'corners' | 'faceStarts'> {
  const corners = new GrowableFloat64Array();
  const faceStarts = new GrowableFloat64Array();
  const push = (face: number[]): void => {
    faceStarts.push(corners.length);
    for (const corner of isDisabled(node, 'ccw') ? face.reverse() : face) corners.push(corner);
  };
  for (let i = 0; i + 1 < spineCount; i++) {
    for (let k = 0; k + 1 < sectionCount; k++) {
      const offset = i * sectionCount + k;
      push([offset, offset + 1, offset + sectionCount + 1, offset + sectionCount]);
    }
  }
  const cap = Array.from({ length: isClosedSection ? sectionCount - 1 : sectionCount }, (_, k) => k);
  const last = (spineCount - 1) * sectionCount;
  if (!isDisabled(node, 'beginCap') && spineCount > 0) push(cap.toReversed());
  if (!isDisabled(node, 'endCap') && spineCount > 0) push(cap.map((k) => last + k));
  return { corners: corners.values(), faceStarts: faceStarts.values() };
}

interface Frame {
  x: Vector;
  y: Vector;
  z: Vector;
}

/**
 * Returns the axes of the cross-section plane at each spine point: `y` along the spine, `z` perpendicular to its bend.
 */
function computeSpineFrames(spine: readonly Vector[]): Frame[] {
  const last = spine.length - 1;
  const isClosedSpine = last > 1 && spine[0].every((value, axis) => value === spine[last][axis]);
  const before = (i: number): Vector => spine[i > 0 ? i - 1 : isClosedSpine ? last - 1 : i];
  const after = (i: number): Vector => spine[i < last ? i + 1 : isClosedSpine ? 1 : i];
  const bends = spine.map((point, i) => cross(subtract(after(i), point), subtract(before(i), point)));
  let z = bends.map(normalize).find(isNonZero);
  return spine.map((_, i) => {
    const y = normalize(subtract(after(i), before(i)));
    const bend = normalize(bends[i]);
    if (z && isNonZero(bend)) z = dot(bend, z) < 0 ? [-bend[0], -bend[1], -bend[2]] : bend;
    const across = z ?? shortestArcZ(y);
    return { x: normalize(cross(y, across)), y, z: across };
  });
}

/** Returns the image of the Z axis under the shortest rotation from the Y axis to `y`. */
function shortestArcZ(y: Vector): Vector {
  if (y[1] <= -1) return [0, 0, -1];
  const factor = -y[2] / (1 + y[1]);
  return [factor * y[0], -y[2], 1 + factor * y[2]];
}

function vectorsOf(numbers: ArrayLike<number>): Vector[] {
  return Array.from({ length: Math.floor(numbers.length / 3) }, (_, i) => [
    numbers[i * 3],
    numbers[i * 3 + 1],
    numbers[i * 3 + 2],
  ]);
}

function isClosed(section: readonly number[]): boolean {
  return section.length > 2 && section[0] === section.at(-2) && section[1] === section.at(-1);
}

/** Returns the vector scaled to length 1, or unchanged if it is zero. */
function normalize(vector: Vector): Vector {
  const length = Math.hypot(...vector);
  return length > 0 ? [vector[0] / length, vector[1] / length, vector[2] / length] : vector;
}

function isNonZero(vector: Vector): boolean {
  return dot(vector, vector) > 0;
}
