import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import type { Faces } from '../reading/build-mesh-from-faces.js';
import { isDisabled, type X3dNode } from './x3d-node.js';

/** Sides of a circle: the chords deviate from it by 0.12 % of its radius. A multiple of 4 keeps its bounds exact. */
const CIRCLE_SIDES = 64;
const SPHERE_RINGS = CIRCLE_SIDES / 2;

type Point = readonly [number, number, number];

/** Returns the faces of a Box, centered at the origin (ISO/IEC 14772-1, 6.6). */
export function facesOfBox(node: X3dNode): Faces {
  const size = node.numbers.get('size') ?? [2, 2, 2];
  const [x, y, z] = [0, 1, 2].map((axis) => numberOr(size[axis], 2) / 2);
  const bottom: Point[] = [
    [-x, -y, -z],
    [x, -y, -z],
    [x, -y, z],
    [-x, -y, z],
  ];
  return buildFaces(
    [...bottom, ...bottom.map(([px, , pz]): Point => [px, y, pz])],
    [[0, 1, 2, 3], [7, 6, 5, 4], ...[0, 1, 2, 3].map((k) => [k, k + 4, ((k + 1) % 4) + 4, (k + 1) % 4])],
  );
}

/** Returns the faces of a Sphere (6.42), as rings of quads around the Y axis between two fans. */
export function facesOfSphere(node: X3dNode): Faces {
  const radius = readNumber(node, 'radius', 1);
  const points: Point[] = [];
  for (let ring = 1; ring < SPHERE_RINGS; ring++) {
    const angle = (Math.PI * ring) / SPHERE_RINGS;
    points.push(...createCircle(radius * Math.sin(angle), -radius * Math.cos(angle)));
  }
  const [south, north] = [points.length, points.length + 1];
  const faces = connectToPoint(0, south).map(reverse);
  for (let ring = 1; ring < SPHERE_RINGS - 1; ring++) faces.push(...connectCircles((ring - 1) * CIRCLE_SIDES));
  faces.push(...connectToPoint((SPHERE_RINGS - 2) * CIRCLE_SIDES, north));
  return buildFaces([...points, [0, -radius, 0], [0, radius, 0]], faces);
}

/** Returns the faces of a Cylinder (6.14): its side, bottom and top, unless disabled. */
export function facesOfCylinder(node: X3dNode): Faces {
  const radius = readNumber(node, 'radius', 1);
  const half = readNumber(node, 'height', 2) / 2;
  const faces: (readonly number[])[] = [];
  if (!isDisabled(node, 'side')) faces.push(...connectCircles(0));
  if (!isDisabled(node, 'bottom')) faces.push(createCap(0));
  if (!isDisabled(node, 'top')) faces.push(reverse(createCap(CIRCLE_SIDES)));
  return buildFaces([...createCircle(radius, -half), ...createCircle(radius, half)], faces);
}

/** Returns the faces of a Cone (6.11): its side and bottom, unless disabled. */
export function facesOfCone(node: X3dNode): Faces {
  const radius = readNumber(node, 'bottomRadius', 1);
  const half = readNumber(node, 'height', 2) / 2;
  const faces: (readonly number[])[] = [];
  if (!isDisabled(node, 'side')) faces.push(...connectToPoint(0, CIRCLE_SIDES));
  if (!isDisabled(node, 'bottom')) faces.push(createCap(0));
  return buildFaces([...createCircle(radius, -half), [0, half, 0]], faces);
}

/**
 * Returns the faces of an ElevationGrid (6.17): one quad per cell, facing upward unless `ccw` is FALSE. Reads the
 * complete rows if heights are missing.
 */
export function facesOfElevationGrid(node: X3dNode): Faces {
  const heights = node.numbers.get('height') ?? new Float64Array();
  const columnCount = Math.floor(readNumber(node, 'xDimension', 0));
  const rowCount = columnCount > 1 ? Math.min(readNumber(node, 'zDimension', 0), heights.length / columnCount) : 0;
  const [xSpacing, zSpacing] = [readNumber(node, 'xSpacing', 1), readNumber(node, 'zSpacing', 1)];
  const points: Point[] = [];
  const faces: (readonly number[])[] = [];
  for (let row = 0; row < Math.floor(rowCount); row++) {
    for (let column = 0; column < columnCount; column++) {
      const index = points.length;
      points.push([column * xSpacing, heights[index], row * zSpacing]);
      if (row === 0 || column === 0) continue;
      const above = index - columnCount;
      const face = [above - 1, index - 1, index, above];
      faces.push(isDisabled(node, 'ccw') ? reverse(face) : face);
    }
  }
  return buildFaces(points, faces);
}

function readNumber({ numbers }: X3dNode, field: string, fallback: number): number {
  return numberOr(numbers.get(field)?.[0], fallback);
}

function numberOr(value: number | undefined, fallback: number): number {
  return value !== undefined && Number.isFinite(value) ? value : fallback;
}

/** Returns a circle around the Y axis, clockwise seen from above. */
function createCircle(radius: number, y: number): Point[] {
  return Array.from({ length: CIRCLE_SIDES }, (_, k): Point => {
    const angle = (2 * Math.PI * k) / CIRCLE_SIDES;
    return [radius * Math.cos(angle), y, radius * Math.sin(angle)];
  });
}

/** Returns the sides between the circle whose first point is `start` and the next one above. */
function connectCircles(start: number): number[][] {
  return Array.from({ length: CIRCLE_SIDES }, (_, k) => {
    const next = (k + 1) % CIRCLE_SIDES;
    return [start + k, start + k + CIRCLE_SIDES, start + next + CIRCLE_SIDES, start + next];
  });
}

/** Returns the triangles between a circle and a point above it. */
function connectToPoint(start: number, apex: number): number[][] {
  return Array.from({ length: CIRCLE_SIDES }, (_, k) => [start + k, apex, start + ((k + 1) % CIRCLE_SIDES)]);
}

/** Returns the disk of a circle, facing downward. */
function createCap(start: number): number[] {
  return Array.from({ length: CIRCLE_SIDES }, (_, k) => start + k);
}

function reverse(face: readonly number[]): number[] {
  return face.toReversed();
}

function buildFaces(points: readonly Point[], faces: readonly (readonly number[])[]): Faces {
  const corners = new GrowableFloat64Array();
  const faceStarts = new GrowableFloat64Array();
  for (const face of faces) {
    faceStarts.push(corners.length);
    for (const corner of face) corners.push(corner);
  }
  return { points: Float64Array.from(points.flat()), corners: corners.values(), faceStarts: faceStarts.values() };
}
