import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { MeshError } from '../../core/mesh-error.js';
import type { Faces } from '../build-mesh-from-faces.js';
import type { X3dNode } from './x3d-node.js';
import { rotation } from './x3d-transform.js';

type Vector = readonly [number, number, number];

const MAX_POINTS = 2 ** 24;
const SQUARE = [1, 1, 1, -1, -1, -1, -1, 1, 1, 1];

/**
 * The faces of an Extrusion: its cross-section carried along its spine, each time in the plane that the standard calls the spine-aligned
 * one (ISO/IEC 14772-1, 6.18), scaled and turned there, with a cap at each end.
 */
export function facesOfExtrusion({ numbers, falseFields }: X3dNode): Faces {
  const section = Array.from(numbers.get('crossSection') ?? SQUARE);
  const spine = vectorsOf(numbers.get('spine') ?? [0, 0, 0, 0, 1, 0]);
  const sectionCount = Math.floor(section.length / 2);
  if (sectionCount * spine.length > MAX_POINTS) throw new MeshError('TOO_LARGE', 'An extrusion has too many points');
  const scales = numbers.get('scale') ?? [1, 1];
  const turns = numbers.get('orientation') ?? [0, 0, 1, 0];
  const points = new GrowableFloat64Array();
  for (const [i, { x, y, z }] of computeSpineFrames(spine).entries()) {
    const scaleAt = Math.min(i * 2, scales.length - 2);
    const turnAt = Math.min(i * 4, turns.length - 4);
    const turn = rotation([turns[turnAt], turns[turnAt + 1], turns[turnAt + 2], turns[turnAt + 3]]);
    for (let k = 0; k < sectionCount; k++) {
      const across = section[k * 2] * scales[scaleAt];
      const along = section[k * 2 + 1] * scales[scaleAt + 1];
      // The turn is in the frame of the plane, whose second axis is the spine's direction.
      const [u, v, w] = [0, 1, 2].map((axis) => across * turn[axis] + along * turn[axis + 6]);
      for (let axis = 0; axis < 3; axis++) points.push(spine[i][axis] + u * x[axis] + v * y[axis] + w * z[axis]);
    }
  }
  return { points: points.values(), ...buildSideFaces(spine.length, sectionCount, isClosed(section), falseFields) };
}

function buildSideFaces(
  spineCount: number,
  sectionCount: number,
  isRing: boolean,
  falseFields: ReadonlySet<string>,
): Pick<Faces, 'corners' | 'faceStarts'> {
  const corners = new GrowableFloat64Array();
  const faceStarts = new GrowableFloat64Array();
  const push = (face: number[]): void => {
    faceStarts.push(corners.length);
    for (const corner of falseFields.has('ccw') ? face.reverse() : face) corners.push(corner);
  };
  for (let i = 0; i + 1 < spineCount; i++) {
    for (let k = 0; k + 1 < sectionCount; k++) {
      const offset = i * sectionCount + k;
      push([offset, offset + 1, offset + sectionCount + 1, offset + sectionCount]);
    }
  }
  const cap = Array.from({ length: isRing ? sectionCount - 1 : sectionCount }, (_, k) => k);
  const last = (spineCount - 1) * sectionCount;
  if (!falseFields.has('beginCap') && spineCount > 0) push(cap.toReversed());
  if (!falseFields.has('endCap') && spineCount > 0) push(cap.map((k) => last + k));
  return { corners: corners.values(), faceStarts: faceStarts.values() };
}

interface Frame {
  x: Vector;
  y: Vector;
  z: Vector;
}

/** The plane of the cross-section at each point of the spine: `y` along the spine, `z` across its bend. */
function computeSpineFrames(spine: readonly Vector[]): Frame[] {
  const last = spine.length - 1;
  const isRing = last > 1 && spine[0].every((value, axis) => value === spine[last][axis]);
  const before = (i: number): Vector => spine[i > 0 ? i - 1 : isRing ? last - 1 : i];
  const after = (i: number): Vector => spine[i < last ? i + 1 : isRing ? 1 : i];
  const bends = spine.map((point, i) => cross(minus(after(i), point), minus(before(i), point)));
  let z = bends.map(unit).find(isVector);
  return spine.map((_, i) => {
    const y = unit(minus(after(i), before(i)));
    const bend = unit(bends[i]);
    if (z && isVector(bend)) z = dot(bend, z) < 0 ? [-bend[0], -bend[1], -bend[2]] : bend;
    const across = z ?? shortestArcZ(y);
    return { x: unit(cross(y, across)), y, z: across };
  });
}

/** Where the Z axis goes when the Y axis is turned to `y` by the shortest way. */
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

const isClosed = (section: readonly number[]): boolean =>
  section.length > 2 && section[0] === section.at(-2) && section[1] === section.at(-1);

const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Of length 1; as it is where it has none. */
function unit(vector: Vector): Vector {
  const length = Math.hypot(...vector);
  return length > 0 ? [vector[0] / length, vector[1] / length, vector[2] / length] : vector;
}

const isVector = (vector: Vector): boolean => dot(vector, vector) > 0;
