import type { IndexedMesh } from '../core/mesh.js';
import { isosurface } from '../isosurface/isosurface.js';
import { sampleDistanceField } from '../isosurface/sample-distance-field.js';
import type { SparseField } from '../isosurface/sparse-field.js';
import type { Lattice } from '../spatial/lattice.js';
import { DepthField, type OffsetSide } from './depth-field.js';

/** How often a triangle is divided to find out whether it is deep enough. */
const MAX_DIVISIONS = 4;

export interface OffsetOptions {
  /** `inside`: the surface of the points deeper than the distance. `outside`: of those less far away than it. */
  side: OffsetSide;
  /** The distance of the surface from that of the solid. */
  isoDistanceMm: number;
  minDistanceMm: number;
  onProgress?: ((progress: number) => void) | undefined;
}

/**
 * Returns the surface at a distance from the surface of a solid, inside or outside of it, on a lattice. It faces away
 * from the points that it encloses. No point of it is closer to the surface of the solid than `minDistanceMm`: where a
 * triangle would be, the corners of its cubes are moved to the side of the solid's surface, and the surface is extracted
 * again.
 */
export function extractOffsetSurface(mesh: IndexedMesh, lattice: Lattice, options: OffsetOptions): IndexedMesh {
  const { side, isoDistanceMm, minDistanceMm, onProgress } = options;
  const depths = new DepthField(mesh, side, minDistanceMm);
  const sign = side === 'inside' ? 1 : -1;
  const valueAt = (x: number, y: number, z: number) => sign * (isoDistanceMm - depths.depthAt(x, y, z));
  const field = sampleDistanceField(lattice, valueAt, onProgress);
  const growingSide = side === 'inside' ? 'outside' : 'inside';
  const moveVertex = (point: Float64Array): void => depths.moveAway(point, isoDistanceMm);
  for (;;) {
    const surface = isosurface(field, { growingSide, moveVertex });
    const shallow = findShallowTriangles(surface, depths, minDistanceMm);
    if (shallow.length === 0) return surface;
    for (const triangle of shallow) moveCorners(field, surface, triangle, growingSide);
  }
}

/** Moves the corners of the cubes that contain the corners of a triangle to one side of the surface. */
function moveCorners(
  field: SparseField,
  { positions, triangles }: IndexedMesh,
  triangle: number,
  growingSide: 'inside' | 'outside',
): void {
  const { min, stepMm } = field.lattice;
  for (let k = 0; k < 3; k++) {
    const offset = triangles[triangle * 3 + k] * 3;
    const [x, y, z] = [0, 1, 2].map((axis) => Math.floor((positions[offset + axis] - min[axis]) / stepMm));
    for (let c = 0; c < 8; c++) {
      const [i, j, l] = [x + (c & 1), y + ((c >> 1) & 1), z + (c >> 2)];
      if (field.get(i, j, l) < 0 === (growingSide === 'outside')) field.invert(i, j, l);
    }
  }
}

/** Returns the triangles that have points closer than `minMm` to the surface of the solid, or may have. */
function findShallowTriangles({ positions, triangles }: IndexedMesh, depths: DepthField, minMm: number): number[] {
  const distances = new Float64Array(positions.length / 3);
  for (let vertex = 0; vertex < distances.length; vertex++)
    distances[vertex] = depths.distanceAt(positions[vertex * 3], positions[vertex * 3 + 1], positions[vertex * 3 + 2]);
  const shallow: number[] = [];
  for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
    if (isDeepByCorners(positions, triangles, triangle, distances, minMm)) continue;
    const corners = Array.from(triangles.subarray(triangle * 3, triangle * 3 + 3), (vertex) => ({
      position: positions.subarray(vertex * 3, vertex * 3 + 3),
      distanceMm: distances[vertex],
    }));
    if (!isDeep(corners, depths, minMm, MAX_DIVISIONS)) shallow.push(triangle);
  }
  return shallow;
}

/** Returns whether the distances at the corners of a triangle prove that it is deep. See `isDeep`. */
function isDeepByCorners(
  p: Float64Array,
  triangles: Uint32Array,
  triangle: number,
  distances: Float64Array,
  minMm: number,
): boolean {
  const a = triangles[triangle * 3];
  const b = triangles[triangle * 3 + 1];
  const c = triangles[triangle * 3 + 2];
  const nearestMm = Math.min(distances[a], distances[b], distances[c]);
  const ab = squaredDistanceOf(p, a, b);
  const bc = squaredDistanceOf(p, b, c);
  const ca = squaredDistanceOf(p, c, a);
  return nearestMm >= minMm && nearestMm ** 2 - squaredRadiusAround(ab, bc, ca) >= minMm ** 2;
}

function squaredDistanceOf(p: Float64Array, a: number, b: number): number {
  return (p[a * 3] - p[b * 3]) ** 2 + (p[a * 3 + 1] - p[b * 3 + 1]) ** 2 + (p[a * 3 + 2] - p[b * 3 + 2]) ** 2;
}

interface Corner {
  position: Float64Array;
  distanceMm: number;
}

/**
 * Returns whether all points of a triangle are at least `minMm` away from the surface of the solid. The squared distance
 * minus the squared position is concave: in the triangle, the squared distance is below the smallest one at a corner by
 * at most the squared radius of the smallest circle around the triangle. If that does not suffice, divides the triangle.
 */
function isDeep(corners: readonly Corner[], depths: DepthField, minMm: number, divisions: number): boolean {
  const [a, b, c] = corners;
  const nearestMm = Math.min(a.distanceMm, b.distanceMm, c.distanceMm);
  if (nearestMm < minMm) return false;
  const squaredRadius = squaredRadiusAround(squaredDistance(a, b), squaredDistance(b, c), squaredDistance(c, a));
  if (nearestMm ** 2 - squaredRadius >= minMm ** 2) return true;
  if (divisions === 0) return false;
  const [ab, bc, ca] = [midpoint(a, b, depths), midpoint(b, c, depths), midpoint(c, a, depths)];
  return [
    [a, ab, ca],
    [ab, b, bc],
    [ca, bc, c],
    [ab, bc, ca],
  ].every((part) => isDeep(part, depths, minMm, divisions - 1));
}

function squaredDistance({ position: p }: Corner, { position: q }: Corner): number {
  return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2;
}

function midpoint({ position: p }: Corner, { position: q }: Corner, depths: DepthField): Corner {
  const position = Float64Array.of((p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2);
  return { position, distanceMm: depths.distanceAt(position[0], position[1], position[2]) };
}

/** Returns the squared radius of the smallest circle around a triangle, of which the squared sides are given. */
function squaredRadiusAround(x: number, y: number, z: number): number {
  const longest = Math.max(x, y, z);
  if (longest * 2 >= x + y + z) return longest / 4; // obtuse: the circle around the longest side
  return (x * y * z) / (2 * (x * y + y * z + z * x) - x * x - y * y - z * z);
}
