import type { MeshGeometry } from '../core/mesh.js';
import { completeBasis } from '../core/vec3.js';
import { closestPointOnTriangle } from '../geometry/point-triangle-distance.js';
import { buildBvh } from '../spatial/bvh.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import { windingNumber } from '../spatial/winding-number.js';

/** A cylindrical hole through the wall of a cavity. */
export interface Hole {
  /** Where its axis meets the outer surface: x, y, z in mm. */
  mouth: number[];
  /** The end of its axis in the cavity. */
  from: number[];
  /** The end of its axis outside. */
  to: number[];
  /** The thickness of the wall along its axis. */
  depthMm: number;
}

/** Returns the hole at a point of the surface of the cavity; `undefined` if it does not fit. */
export type HoleFitter = (point: readonly number[]) => Hole | undefined;

/** Lines along the side of the hole that are tested. */
const LINES = 16;
/** Points tested on each line. */
const POINTS_PER_LINE = 9;
/** How far the hole extends into the cavity, in radii: the first one with enough room. */
const INSETS = [1, 0.5, 0.25, 0.125, 0.0625];
/** How far the hole extends out of the outer surface along its axis, in radii: the first one that suffices. */
const OUTSETS = [0.125, 0.25, 0.5, 1, 2];
/** Any direction: ambiguous rays are repeated in other directions. */
const RAY = [0.48, 0.6, 0.64];

/**
 * Creates a function that fits holes between a cavity and the nearest point of the outer surface: the shortest way
 * through the wall. A hole fits if each line along its side leaves the outer surface once. Otherwise it would cut off a
 * tip or an edge, open the wall at its side, or enter another part of the model.
 *
 * @param outer the outermost shells of the model
 * @param cavity the surface of the cavities, facing away from them
 */
export function createHoleFitter(outer: MeshGeometry, cavity: MeshGeometry, radiusMm: number): HoleFitter {
  const outerTree = buildBvh(outer.positions, outer.triangles);
  const outerDistance = new DistanceQuery(outer, outerTree);
  const cavityTree = buildBvh(cavity.positions, cavity.triangles);
  const cavityDistance = new DistanceQuery(cavity, cavityTree);
  const isInside = (point: readonly number[]) => windingNumber(outer, outerTree, point, RAY, () => true) > 0;
  const isInCavity = (point: readonly number[]) => windingNumber(cavity, cavityTree, point, RAY, () => true) > 0;

  const leavesOnce = (start: readonly number[], end: readonly number[]): boolean => {
    let wasInside = true;
    for (let i = 0; i < POINTS_PER_LINE; i++) {
      const t = i / (POINTS_PER_LINE - 1);
      const isNowInside = isInside(start.map((part, k) => part + (end[k] - part) * t));
      if (isNowInside && !wasInside) return false;
      if (i === 0 && !isNowInside) return false;
      wasInside = isNowInside;
    }
    return !wasInside;
  };

  return (point) => {
    const depthMm = outerDistance.distanceAt(point[0], point[1], point[2]);
    const mouth = closestPoint(outer, outerDistance.nearest, point);
    const axis = mouth.map((part, k) => (part - point[k]) / depthMm);
    const at = (distanceMm: number) => axis.map((part, k) => point[k] + part * distanceMm);
    const inset = INSETS.find((radii) => {
      const end = at(-radii * radiusMm);
      // At least half as far from the surface of the cavity as from the point: no other wall is near.
      const clearanceMm = cavityDistance.distanceAt(end[0], end[1], end[2]);
      return clearanceMm >= (radii * radiusMm) / 2 && isInCavity(end);
    });
    if (inset === undefined) return undefined;
    const from = at(-inset * radiusMm);
    const [u, v] = completeBasis(axis);
    const offsets = Array.from({ length: LINES }, (_, line) => {
      const angle = (2 * Math.PI * line) / LINES;
      return u.map((part, k) => radiusMm * (part * Math.cos(angle) + v[k] * Math.sin(angle)));
    });
    const isOpening = (to: readonly number[]) =>
      [[0, 0, 0], ...offsets].every((offset) =>
        leavesOnce(
          from.map((part, k) => part + offset[k]),
          to.map((part, k) => part + offset[k]),
        ),
      );
    const outset = OUTSETS.find((radii) => isOpening(at(depthMm + radii * radiusMm)));
    return outset === undefined ? undefined : { mouth, from, to: at(depthMm + outset * radiusMm), depthMm };
  };
}

function closestPoint({ positions, triangles }: MeshGeometry, triangle: number, point: readonly number[]): number[] {
  const [a, b, c] = [0, 1, 2].map((k) => triangles[triangle * 3 + k] * 3);
  const closest = new Float64Array(3);
  closestPointOnTriangle(positions, a, b, c, point[0], point[1], point[2], closest);
  return [...closest];
}
