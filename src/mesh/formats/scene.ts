import type { ReportWarning } from '../analysis/report.js';
import type { IndexedMesh, ObjectRange } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { compact } from '../topology/compact.js';
import { gatherPositions, weldPoints } from '../welding/weld.js';
import { type AffineTransform, IDENTITY, isReflection } from './affine-transform.js';
import { facesDroppedWarning } from './build-mesh-from-faces.js';
import { isValidCoordinate } from './coordinate-range.js';

/** Triangles as a file holds them: corners that are no point's number, and coordinates that are none, are allowed. */
export interface ScenePart {
  /** x, y, z of each point. */
  points: Float64Array;
  /** Three point numbers a triangle. */
  corners: Float64Array | Uint32Array;
}

const MAX_TRIANGLES = 2 ** 26;
const MAX_INSTANCES = 100_000;

interface PlacedPart {
  points: Float64Array;
  corners: Uint32Array;
  name: string;
}

/**
 * Collects the parts of a file that places things: each by its placement, a mirrored one turned over, again for each time that it is placed.
 * Throws `TOO_LARGE` for more than 100,000 instances or 67 million triangles: a small file can ask for any number.
 */
export class SceneBuilder {
  readonly #placed: PlacedPart[] = [];
  #pointCount = 0;
  #triangleCount = 0;
  #instanceCount = 0;
  #invalidCount = 0;

  /** Counts one thing that is placed, whether it has triangles or not. */
  countInstance(): void {
    this.#instanceCount++;
    if (this.#instanceCount > MAX_INSTANCES) {
      throw new MeshError('TOO_LARGE', `The file places more than ${MAX_INSTANCES} things`);
    }
  }

  /** Adds a part. Triangles that point at no place are left out and counted. */
  place({ points, corners }: ScenePart, transform: AffineTransform = IDENTITY, name = ''): void {
    this.#triangleCount += corners.length / 3;
    this.#pointCount += points.length / 3;
    if (this.#triangleCount > MAX_TRIANGLES || this.#pointCount > MAX_TRIANGLES) {
      throw new MeshError('TOO_LARGE', `The file places more than ${MAX_TRIANGLES} triangles`);
    }
    const placedPoints = transform === IDENTITY ? points : placePoints(points, transform);
    const sound = validCorners(placedPoints, corners, isReflection(transform));
    this.#invalidCount += (corners.length - sound.length) / 3;
    if (sound.length > 0) this.#placed.push({ points: placedPoints, corners: sound, name });
  }

  /** What was placed, as one mesh, and warnings of what was left out. Each part is an object, where any has a name or there are several. */
  toMesh(): { mesh: IndexedMesh; warnings: ReportWarning[] } {
    const { points, corners } = this.#joined();
    const { vertexOf, firstPoint } = weldPoints(points);
    for (let i = 0; i < corners.length; i++) corners[i] = vertexOf[corners[i]];
    const used = compact(gatherPositions(points, firstPoint), corners);
    const mesh: IndexedMesh = { positions: used.positions, triangles: used.triangles };
    const objects = this.#objects();
    if (objects.length > 1 || objects.some(({ name }) => name !== '')) mesh.objects = objects;
    return { mesh, warnings: facesDroppedWarning(this.#invalidCount) };
  }

  /** All parts in one; the corners are nobody else's. */
  #joined(): { points: Float64Array; corners: Uint32Array } {
    const [first] = this.#placed;
    if (first && this.#placed.length === 1) return { points: first.points, corners: first.corners };
    const points = new Float64Array(this.#placed.reduce((sum, part) => sum + part.points.length, 0));
    const corners = new Uint32Array(this.#placed.reduce((sum, part) => sum + part.corners.length, 0));
    let [pointsAt, cornersAt] = [0, 0];
    for (const part of this.#placed) {
      const first = pointsAt / 3;
      points.set(part.points, pointsAt);
      for (let i = 0; i < part.corners.length; i++) corners[cornersAt + i] = part.corners[i] + first;
      pointsAt += part.points.length;
      cornersAt += part.corners.length;
    }
    return { points, corners };
  }

  #objects(): ObjectRange[] {
    let firstTriangle = 0;
    return this.#placed.map(({ name, corners }) => {
      const object = { name, firstTriangle, triangleCount: corners.length / 3 };
      firstTriangle += object.triangleCount;
      return object;
    });
  }
}

function placePoints(points: Float64Array, p: AffineTransform): Float64Array {
  const placed = new Float64Array(points.length);
  for (let offset = 0; offset + 2 < points.length; offset += 3) {
    const [x, y, z] = [points[offset], points[offset + 1], points[offset + 2]];
    placed[offset] = x * p[0] + y * p[3] + z * p[6] + p[9];
    placed[offset + 1] = x * p[1] + y * p[4] + z * p[7] + p[10];
    placed[offset + 2] = x * p[2] + y * p[5] + z * p[8] + p[11];
  }
  return placed;
}

/** The corners of triangles whose points are all there and placeable, turned over where asked. In an array of its own. */
function validCorners(points: Float64Array, corners: Float64Array | Uint32Array, isTurned: boolean): Uint32Array {
  const isSound = markValidPoints(points);
  const sound = new Uint32Array(corners.length - (corners.length % 3));
  const [second, third] = isTurned ? [2, 1] : [1, 2];
  let length = 0;
  for (let offset = 0; offset + 2 < corners.length; offset += 3) {
    const a = corners[offset];
    const b = corners[offset + 1];
    const c = corners[offset + 2];
    // Of what is no point's number all is undefined.
    if (isSound[a] !== 1 || isSound[b] !== 1 || isSound[c] !== 1) continue;
    sound[length] = a;
    sound[length + second] = b;
    sound[length + third] = c;
    length += 3;
  }
  return length < sound.length ? sound.slice(0, length) : sound;
}

/** 1 for each point whose coordinates can be some. */
function markValidPoints(points: Float64Array): Uint8Array {
  const isSound = new Uint8Array(Math.floor(points.length / 3));
  for (let point = 0; point < isSound.length; point++) {
    const offset = point * 3;
    isSound[point] =
      isValidCoordinate(points[offset]) &&
      isValidCoordinate(points[offset + 1]) &&
      isValidCoordinate(points[offset + 2])
        ? 1
        : 0;
  }
  return isSound;
}
