import type { Analysis, ReportWarning } from '../analysis/report.js';
import type { MeshGeometry } from '../core/mesh.js';
import { cross, dot } from '../core/vec3.js';
import { distance } from '../geometry/distance.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { emptyBoxes, expandBox } from '../spatial/containing-boxes.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import type { MeshIndex } from '../spatial/mesh-index.js';
import { windingNumber } from '../spatial/winding-number.js';
import { NO_TWIN } from '../topology/edges.js';
import { nextOf, triangleOf } from '../topology/half-edge.js';

/** Filled holes of a larger part of the surface are named. */
const MAX_FILLED_FRACTION = 0.05;
/** The same of fillings whose shape is uncertain by a larger part of the volume. */
const MAX_UNCERTAIN_FRACTION = 0.005;
/** A flat filling that bends by more than this from what surrounds it closes a flat end, such as the bottom of a cylinder. */
const MIN_BEND_OF_END = Math.PI / 3;
/** A flat filling that bends by less than this, along a larger part of its rim, continues a flat face. */
const MAX_BEND_OF_FLAT = 1e-3;
const MIN_FLAT_FRACTION = 0.1;
/** A filling that bends by more than this leads back over what surrounds it, as that of a relief without a base. */
const MIN_BEND_OF_SHEET = (2 / 3) * Math.PI;

/** The direction of rays: not along an axis, as many edges are. */
const RAY: readonly number[] = [0.31, 0.83, 0.47];

/** The triangles that fill a hole. */
export interface Patch {
  corners: readonly number[];
  /** Whether they are the polygon of a planar hole. */
  isFlat: boolean;
}

/** The filling of a hole that does not continue a flat face. */
export interface Filling {
  areaMm2: number;
  /** How much more or less it would enclose if it continued what surrounds it. */
  uncertainMm3: number;
  /** Whether it leads back over the surface, as that of a sheet. */
  isBackOfSheet: boolean;
  /** The center and the diagonal of its bounds. */
  center: readonly number[];
  sizeMm: number;
  /** The centroid of its largest triangle. */
  point: readonly number[];
}

/**
 * Measures the fillings of holes, and estimates how uncertain their shape is. A filling of area A and radius r that bends by
 * θ at the hole could as well continue the surface: the cap of a ball between both has about A · r · tan(θ / 2) / 2. The
 * radius of one that is not flat is half its size, since it can be the narrow side of a notch in a wall. A flat
 * filling that continues a flat face is certain, and one that bends by more than 60°: it closes a flat end.
 *
 * @param open the mesh before its holes were filled
 * @param twins half-edge of it → its twin, as returned by `pairTwinsRadially`
 * @param positions those of the mesh, followed by the vertices that the fillings add
 */
export function measureFillings(
  open: MeshGeometry,
  twins: Int32Array,
  positions: Float64Array,
  patches: readonly Patch[],
): Filling[] {
  const vertexCount = positions.length / 3;
  const triangleAt = new Map<number, number>(); // edge of a filling → the triangle of the mesh across it
  for (let h = 0; h < twins.length; h++)
    if (twins[h] === NO_TWIN)
      triangleAt.set(open.triangles[nextOf(h)] * vertexCount + open.triangles[h], triangleOf(h));
  const normalAcross = (from: number, to: number) => {
    const triangle = triangleAt.get(from * vertexCount + to);
    return triangle === undefined ? undefined : doubleAreaNormal(positions, open.triangles, triangle);
  };
  return patches.flatMap((patch) => measureFilling(positions, patch, normalAcross) ?? []);
}

/**
 * Returns `undefined` for a filling that continues a flat face.
 *
 * @param normalAcross returns the normal of the triangle of the mesh across an edge of a filling
 */
function measureFilling(
  positions: Float64Array,
  { corners, isFlat }: Patch,
  normalAcross: (from: number, to: number) => readonly number[] | undefined,
): Filling | undefined {
  const triangles = Uint32Array.from(corners);
  const rim = { lengthMm: 0, flatMm: 0, bentMm: 0 };
  let areaMm2 = 0;
  const largest = { triangle: 0, areaMm2: 0 };
  for (let triangle = 0; triangle < triangles.length / 3; triangle++) {
    const normal = doubleAreaNormal(positions, triangles, triangle);
    const triangleMm2 = Math.hypot(...normal) / 2;
    areaMm2 += triangleMm2;
    if (triangleMm2 > largest.areaMm2) Object.assign(largest, { triangle, areaMm2: triangleMm2 });
    for (let h = triangle * 3; h < triangle * 3 + 3; h++) {
      const neighbor = normalAcross(triangles[h], triangles[nextOf(h)]);
      if (!neighbor) continue;
      const lengthMm = distance(positions, triangles[h], triangles[nextOf(h)]);
      const bend = angleBetween(normal, neighbor);
      rim.lengthMm += lengthMm;
      rim.bentMm += lengthMm * bend;
      if (bend < MAX_BEND_OF_FLAT) rim.flatMm += lengthMm;
    }
  }
  if (rim.lengthMm === 0 || (isFlat && rim.flatMm > rim.lengthMm * MIN_FLAT_FRACTION)) return undefined;
  const bend = rim.bentMm / rim.lengthMm;
  const { center, sizeMm } = computeExtent(positions, corners);
  const radiusMm = isFlat ? (2 * areaMm2) / rim.lengthMm : sizeMm / 2;
  const uncertainMm3 = (areaMm2 * radiusMm * Math.tan(Math.min(bend, Math.PI / 2) / 2)) / 2;
  return {
    areaMm2,
    uncertainMm3: isFlat && bend > MIN_BEND_OF_END ? 0 : uncertainMm3,
    isBackOfSheet: bend > MIN_BEND_OF_SHEET,
    ...{ center, sizeMm },
    point: centroidOf(positions, triangles, largest.triangle),
  };
}

function centroidOf(positions: Float64Array, triangles: Uint32Array, triangle: number): number[] {
  const corners = [0, 1, 2].map((k) => triangles[triangle * 3 + k] * 3);
  return [0, 1, 2].map((k) => sum(corners.map((corner) => positions[corner + k])) / 3);
}

function angleBetween(u: readonly number[], v: readonly number[]): number {
  return Math.atan2(Math.hypot(...cross(u, v)), dot(u, v));
}

/** Returns the center of the bounds of triangles, and their diagonal. */
function computeExtent(positions: Float64Array, corners: readonly number[]): { center: number[]; sizeMm: number } {
  const box = emptyBoxes(1);
  for (const corner of corners) expandBox(box, 0, positions, corner);
  const size = [0, 1, 2].map((k) => box[k + 3] - box[k]);
  return { center: [0, 1, 2].map((k) => (box[k] + box[k + 3]) / 2), sizeMm: Math.hypot(...size) };
}

/**
 * Returns the warning `HOLES_FILLED` if filled holes are more than 5 % of the surface of the result, or if the shape of their
 * fillings is uncertain by more than 0.5 % of its volume. It names the largest. Fillings that are hidden in other bodies do
 * not count.
 */
export function createFillingWarnings(
  fillings: readonly Filling[],
  { surfaceAreaMm2, volumeMm3 }: Analysis,
  result: MeshIndex,
  toleranceMm: number,
): ReportWarning[] {
  // A surface that could not be closed may enclose less than nothing.
  const isNotable = (some: readonly Filling[]) =>
    sum(some.map(({ areaMm2 }) => areaMm2)) > surfaceAreaMm2 * MAX_FILLED_FRACTION ||
    sum(some.map(({ uncertainMm3 }) => uncertainMm3)) > Math.max(0, volumeMm3) * MAX_UNCERTAIN_FRACTION;
  if (!isNotable(fillings)) return [];
  const visible = fillings.filter(({ point }) => !isInside(result, point, toleranceMm));
  if (!isNotable(visible)) return [];
  const [largest] = [...visible].sort((a, b) => b.areaMm2 - a.areaMm2);
  const percent = ((100 * sum(visible.map(({ areaMm2 }) => areaMm2))) / surfaceAreaMm2).toPrecision(2);
  const at = largest.center.map((part) => Number(part.toPrecision(6))).join(', ');
  const [area, size] = [largest.areaMm2, largest.sizeMm].map((value) => value.toPrecision(3));
  const message = `${percent} % of the surface close holes. The largest is ${size} mm across (${area} mm²), at ${at}. Compare the result with the model.`;
  return [{ code: 'HOLES_FILLED', message }];
}

/** Returns the area of the fillings that lead back over the surface. */
export function sumBackAreaMm2(fillings: readonly Filling[]): number {
  return sum(fillings.map(({ isBackOfSheet, areaMm2 }) => (isBackOfSheet ? areaMm2 : 0)));
}

/** Returns whether a point is inside of a mesh, and not near its surface. */
function isInside({ mesh, bvh }: MeshIndex, point: readonly number[], toleranceMm: number): boolean {
  const [x, y, z] = point;
  if (new DistanceQuery(mesh, bvh()).isWithin(x, y, z, toleranceMm)) return false;
  return windingNumber(mesh, bvh(), point, RAY, () => true) > 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
