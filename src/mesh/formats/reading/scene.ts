import type { ReportWarning } from '../../analysis/report.js';
import type { IndexedMesh, MeshGeometry, ObjectRange } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { compact } from '../../topology/compact.js';
import { gatherPositions, weldPoints } from '../../welding/weld.js';
import { type AffineTransform, IDENTITY, isReflection } from './affine-transform.js';
import { facesDroppedWarning } from './build-mesh-from-faces.js';
import { isValidCoordinate } from './coordinate-range.js';

/** Triangles as read from a file. Invalid point indices and coordinates are allowed. */
export interface ScenePart {
  /** x, y, z of each point */
  points: Float64Array;
  /** three point indices per triangle */
  corners: Float64Array | Uint32Array;
}

const MAX_TRIANGLES = 2 ** 26;
const MAX_INSTANCES = 100_000;

/** A part in the coordinates of a scene, without invalid triangles. */
interface PlacedPart {
  points: Float64Array;
  corners: Uint32Array;
}

/** What is known of a body besides its triangles: the properties of its object. */
export type BodyLabel = Pick<ObjectRange, 'name' | 'role' | 'group'>;

interface LabeledPart extends PlacedPart {
  label: BodyLabel;
}

/** The mesh of a scene, that of its helper bodies if it has any, and warnings. */
export interface SceneMesh {
  mesh: IndexedMesh;
  helpers?: IndexedMesh & { objects: ObjectRange[] };
  warnings: ReportWarning[];
}

/**
 * Builds one mesh from the parts of a scene. Each part is added once per instance, with the transform of the instance;
 * reflections reverse its winding.
 * Throws `TOO_LARGE` for more than 100,000 instances or 67 million triangles, because a small file can reference any
 * number.
 */
export class SceneBuilder {
  readonly #placed: LabeledPart[] = [];
  #pointCount = 0;
  #triangleCount = 0;
  #instanceCount = 0;
  #invalidCount = 0;

  /** Counts one instance, with or without triangles. */
  countInstance(): void {
    this.#instanceCount++;
    if (this.#instanceCount > MAX_INSTANCES) {
      throw new MeshError('TOO_LARGE', `Could not read the file: it contains more than ${MAX_INSTANCES} instances.`);
    }
  }

  /**
   * Adds an instance of a part, or of a helper body if its label has a role. Skips and counts triangles with a missing or
   * invalid point.
   */
  place(part: ScenePart, transform: AffineTransform = IDENTITY, label: string | BodyLabel = ''): void {
    this.#triangleCount += part.corners.length / 3;
    this.#pointCount += part.points.length / 3;
    if (this.#triangleCount > MAX_TRIANGLES || this.#pointCount > MAX_TRIANGLES) {
      throw new MeshError(
        'TOO_LARGE',
        `Could not read the file: its instances have more than ${MAX_TRIANGLES} triangles.`,
      );
    }
    const { points, corners } = placePart(part, transform);
    this.#invalidCount += (part.corners.length - corners.length) / 3;
    if (corners.length === 0) return;
    this.#placed.push({ points, corners, label: typeof label === 'string' ? { name: label } : label });
  }

  /**
   * Returns all instances as one welded mesh, the helper bodies as another one, and a warning for skipped triangles. Each
   * instance becomes an object if any has a name or there are several.
   */
  toMesh(): SceneMesh {
    const parts = this.#placed.filter(({ label }) => label.role === undefined);
    const helpers = this.#placed.filter(({ label }) => label.role !== undefined);
    const mesh: IndexedMesh = weldParts(parts);
    if (parts.length > 1 || parts.some(({ label }) => label.name !== '')) mesh.objects = listObjects(parts);
    const warnings = facesDroppedWarning(this.#invalidCount);
    if (helpers.length === 0) return { mesh, warnings };
    return { mesh, helpers: { ...weldParts(helpers), objects: listObjects(helpers) }, warnings };
  }
}

/** Returns a part in the coordinates of a scene, without its invalid triangles. Reflections reverse its winding. */
function placePart({ points, corners }: ScenePart, transform: AffineTransform): PlacedPart {
  const placedPoints = transform === IDENTITY ? points : transformPoints(points, transform);
  return { points: placedPoints, corners: validCorners(placedPoints, corners, isReflection(transform)) };
}

/** Returns a part as a welded mesh, without its invalid triangles. Reflections reverse its winding. */
export function toPartMesh(part: ScenePart, transform: AffineTransform): MeshGeometry {
  return weldParts([placePart(part, transform)]);
}

/** Joins parts to one welded mesh. */
function weldParts(parts: readonly PlacedPart[]): MeshGeometry {
  const { points, corners } = joinParts(parts);
  const { vertexOf, firstPoint } = weldPoints(points);
  for (let i = 0; i < corners.length; i++) corners[i] = vertexOf[corners[i]];
  const { positions, triangles } = compact(gatherPositions(points, firstPoint), corners);
  return { positions, triangles };
}

/** Returns the points and corners of all parts. The caller may modify the corners. */
function joinParts(parts: readonly PlacedPart[]): PlacedPart {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const points = new Float64Array(parts.reduce((sum, part) => sum + part.points.length, 0));
  const corners = new Uint32Array(parts.reduce((sum, part) => sum + part.corners.length, 0));
  let [pointsOffset, cornersOffset] = [0, 0];
  for (const part of parts) {
    const firstPoint = pointsOffset / 3;
    points.set(part.points, pointsOffset);
    for (let i = 0; i < part.corners.length; i++) corners[cornersOffset + i] = part.corners[i] + firstPoint;
    pointsOffset += part.points.length;
    cornersOffset += part.corners.length;
  }
  return { points, corners };
}

function listObjects(parts: readonly LabeledPart[]): ObjectRange[] {
  let firstTriangle = 0;
  return parts.map(({ label, corners }) => {
    const object = { ...label, firstTriangle, triangleCount: corners.length / 3 };
    firstTriangle += object.triangleCount;
    return object;
  });
}

function transformPoints(points: Float64Array, t: AffineTransform): Float64Array {
  const placed = new Float64Array(points.length);
  for (let offset = 0; offset + 2 < points.length; offset += 3) {
    const [x, y, z] = [points[offset], points[offset + 1], points[offset + 2]];
    placed[offset] = x * t[0] + y * t[3] + z * t[6] + t[9];
    placed[offset + 1] = x * t[1] + y * t[4] + z * t[7] + t[10];
    placed[offset + 2] = x * t[2] + y * t[5] + z * t[8] + t[11];
  }
  return placed;
}

/** Returns a new array with the corners of all triangles whose points exist and are valid, reversed if requested. */
function validCorners(points: Float64Array, corners: Float64Array | Uint32Array, isReversed: boolean): Uint32Array {
  const isValidPoint = markValidPoints(points);
  const valid = new Uint32Array(corners.length - (corners.length % 3));
  const [second, third] = isReversed ? [2, 1] : [1, 2];
  let length = 0;
  for (let offset = 0; offset + 2 < corners.length; offset += 3) {
    const a = corners[offset];
    const b = corners[offset + 1];
    const c = corners[offset + 2];
    // An invalid index reads undefined.
    if (isValidPoint[a] !== 1 || isValidPoint[b] !== 1 || isValidPoint[c] !== 1) continue;
    valid[length] = a;
    valid[length + second] = b;
    valid[length + third] = c;
    length += 3;
  }
  return length < valid.length ? valid.slice(0, length) : valid;
}

/** Returns 1 for each point with valid coordinates, else 0. */
function markValidPoints(points: Float64Array): Uint8Array {
  const isValidPoint = new Uint8Array(Math.floor(points.length / 3));
  for (let point = 0; point < isValidPoint.length; point++) {
    const offset = point * 3;
    isValidPoint[point] =
      isValidCoordinate(points[offset]) &&
      isValidCoordinate(points[offset + 1]) &&
      isValidCoordinate(points[offset + 2])
        ? 1
        : 0;
  }
  return isValidPoint;
}
