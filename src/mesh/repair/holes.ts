import { findDuplicateGroups, hasAscendingWinding } from '../topology/duplicate-triangles.js';
import { buildEdges } from '../topology/edges.js';
import { newellNormal } from '../topology/newell-normal.js';
import { pairTwinsRadially } from '../topology/pair-triangles.js';
import { triangulateRings } from '../topology/triangulate-rings.js';
import { findHoleRings } from './hole-rings.js';
import { nestPlanarRings, type PlanarRing, toPlanarRing } from './planar-rings.js';
import { splitTaken } from './split-taken.js';
import { type RepairMesh, type RepairStep, type StepResult, withAdded, withTriangles } from './step.js';
import { type TakenEdges, takenEdges } from './taken-edges.js';
import { triangulateSpatialRing } from './triangulate-spatial-ring.js';

/** Filling one hole may leave another, where its boundary was not manifold. */
const MOST_ROUNDS = 3;
/** Triangles of a planar ring with this much more area than its polygon lie over each other. */
const FOLD_SHARE = 1e-3;

/**
 * Fills holes. Rings in a plane are filled by their polygon, one inside another as a ring with a hole in it; others by the least area,
 * without diagonals that the mesh has as edges already: what hangs on a rim by one edge is not to be covered, and lost.
 * `changed` counts holes.
 */
export const HOLES: RepairStep = { name: 'holes', run: fillHoles };

function fillHoles(mesh: RepairMesh): StepResult {
  let current = mesh;
  let changed = 0;
  let filledAreaMm2 = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { positions, triangles } = current;
    const twins = pairTwinsRadially(positions, triangles, buildEdges(triangles, positions.length / 3));
    const rings = findHoleRings(triangles, twins);
    if (rings.length === 0) break;
    const objects = objectsAt(current);
    const { corners, places } = fillRings(positions, rings, takenEdges(triangles, positions.length / 3, rings));
    const widened = { ...current, positions: withPlaces(positions, places) };
    current = withAdded(
      widened,
      corners,
      Array.from({ length: corners.length / 3 }, (_, i) => objects[corners[i * 3]]),
    );
    filledAreaMm2 += areaOf(current.positions, corners);
    changed += rings.length;
  }
  return { mesh: changed > 0 ? withoutFlaps(current) : current, changed, filledAreaMm2 };
}

/**
 * A triangle that hangs on the rim of a hole is covered by one of the filling, back to back: neither encloses anything, and both go. Where
 * nothing else is left they stay: the mesh is a sheet.
 */
function withoutFlaps(mesh: RepairMesh): RepairMesh {
  const { positions, triangles } = mesh;
  const isKept = new Uint8Array(triangles.length / 3).fill(1);
  for (const group of findDuplicateGroups(triangles, positions.length / 3, isKept)) {
    const ahead = group.filter((triangle) => hasAscendingWinding(triangles, triangle));
    const back = group.filter((triangle) => !hasAscendingWinding(triangles, triangle));
    const pairs = Math.min(ahead.length, back.length);
    for (const triangle of [...ahead.slice(0, pairs), ...back.slice(0, pairs)]) isKept[triangle] = 0;
  }
  const kept = [...isKept.keys()].filter((triangle) => isKept[triangle] === 1);
  return kept.length === 0 || kept.length === isKept.length ? mesh : withTriangles(mesh, kept);
}

/** Triangles that fill the rings, and coordinates of vertices that they need besides those of the mesh. */
interface Filling {
  corners: number[];
  places: number[];
}

function fillRings(positions: Float64Array, rings: readonly (readonly number[])[], taken: TakenEdges): Filling {
  const filling: Filling = { corners: [], places: [] };
  const planar: PlanarRing[] = [];
  const add = (corners: readonly number[]) => {
    for (const corner of corners) filling.corners.push(corner);
    taken.add(corners);
  };
  const addSpatial = (ring: readonly number[]) => {
    add(splitTaken(positions, filling.places, triangulateSpatialRing(positions, ring, taken.has), taken.has));
  };
  for (const ring of rings) {
    const flat = toPlanarRing(positions, ring);
    if (flat) planar.push(flat);
    else addSpatial(ring);
  }
  for (const nest of nestPlanarRings(positions, planar)) {
    const together = fillPlanar(positions, nest, taken);
    if (together) add(together);
    else
      for (const ring of nest) {
        const alone = fillPlanar(positions, [ring], taken);
        if (alone) add(alone);
        else addSpatial(ring);
      }
  }
  return filling;
}

/** The polygon of rings in a plane; where that covers a triangle of the mesh and another one does not, the other. */
function fillPlanar(
  positions: Float64Array,
  nest: readonly (readonly number[])[],
  taken: TakenEdges,
): number[] | undefined {
  const polygon = triangulateRings(positions, nest);
  if (!polygon || nest.length > 1 || !coversTriangle(polygon, taken)) return polygon;
  const other = triangulateSpatialRing(positions, nest[0], taken.has);
  const isFold = areaOf(positions, other) > areaOf(positions, polygon) * (1 + FOLD_SHARE);
  return isFold || coversTriangle(other, taken) ? polygon : other;
}

function coversTriangle(corners: readonly number[], taken: TakenEdges): boolean {
  for (let at = 0; at < corners.length; at += 3)
    if (taken.hasTriangle(corners[at], corners[at + 1], corners[at + 2])) return true;
  return false;
}

function areaOf(positions: Float64Array, corners: readonly number[]): number {
  let area = 0;
  for (let at = 0; at < corners.length; at += 3)
    area += Math.hypot(...newellNormal(positions, corners.slice(at, at + 3))) / 2;
  return area;
}

function withPlaces(positions: Float64Array, places: readonly number[]): Float64Array {
  if (places.length === 0) return positions;
  const all = new Float64Array(positions.length + places.length);
  all.set(positions);
  all.set(places, positions.length);
  return all;
}

/** vertex → the object of a triangle there: what fills a hole belongs to what surrounds it */
function objectsAt({ positions, triangles, objectOf }: RepairMesh): Uint32Array {
  const objects = new Uint32Array(positions.length / 3);
  for (let i = triangles.length - 1; i >= 0; i--) objects[triangles[i]] = objectOf[(i - (i % 3)) / 3];
  return objects;
}
