import { newellNormal } from '../geometry/newell-normal.js';
import { findDuplicateGroups, hasAscendingWinding } from '../topology/duplicate-triangles.js';
import { buildEdges } from '../topology/edges.js';
import { pairTwinsRadially } from '../topology/pair-twins-radially.js';
import { triangulateRings } from '../triangulation/triangulate-rings.js';
import { triangulateSpatialRing } from '../triangulation/triangulate-spatial-ring.js';
import { collectExistingEdges, type ExistingEdges } from './existing-edges.js';
import { findHoleRings } from './hole-rings.js';
import { nestPlanarRings, type PlanarRing, toPlanarRing } from './planar-rings.js';
import { splitDuplicateDiagonals } from './split-duplicate-diagonals.js';
import { appendTriangles, type RepairMesh, type RepairStep, type StepResult, selectTriangles } from './step.js';

/** Filling one hole may leave another, where its boundary was not manifold. */
const MAX_ROUNDS = 3;
/** Triangles of a planar ring with this much more area than its polygon lie over each other. */
const FOLD_AREA_TOLERANCE = 1e-3;

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
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { positions, triangles } = current;
    const twins = pairTwinsRadially(positions, triangles, buildEdges(triangles, positions.length / 3));
    const rings = findHoleRings(triangles, twins);
    if (rings.length === 0) break;
    const objects = objectOfVertex(current);
    const { corners, newPositions } = fillRings(
      positions,
      rings,
      collectExistingEdges(triangles, positions.length / 3, rings),
    );
    const extended = { ...current, positions: appendPositions(positions, newPositions) };
    current = appendTriangles(
      extended,
      corners,
      Array.from({ length: corners.length / 3 }, (_, i) => objects[corners[i * 3]]),
    );
    filledAreaMm2 += areaOf(current.positions, corners);
    changed += rings.length;
  }
  return { mesh: changed > 0 ? removeBackToBackPairs(current) : current, changed, filledAreaMm2 };
}

/**
 * A triangle that hangs on the rim of a hole is covered by one of the filling, back to back: neither encloses anything, and both go. Where
 * nothing else is left they stay: the mesh is a sheet.
 */
function removeBackToBackPairs(mesh: RepairMesh): RepairMesh {
  const { positions, triangles } = mesh;
  const isKept = new Uint8Array(triangles.length / 3).fill(1);
  for (const group of findDuplicateGroups(triangles, positions.length / 3, isKept)) {
    const ahead = group.filter((triangle) => hasAscendingWinding(triangles, triangle));
    const back = group.filter((triangle) => !hasAscendingWinding(triangles, triangle));
    const pairs = Math.min(ahead.length, back.length);
    for (const triangle of [...ahead.slice(0, pairs), ...back.slice(0, pairs)]) isKept[triangle] = 0;
  }
  const kept = [...isKept.keys()].filter((triangle) => isKept[triangle] === 1);
  return kept.length === 0 || kept.length === isKept.length ? mesh : selectTriangles(mesh, kept);
}

/** Triangles that fill the rings, and coordinates of vertices that they need besides those of the mesh. */
interface Filling {
  corners: number[];
  newPositions: number[];
}

function fillRings(
  positions: Float64Array,
  rings: readonly (readonly number[])[],
  existingEdges: ExistingEdges,
): Filling {
  const filling: Filling = { corners: [], newPositions: [] };
  const planar: PlanarRing[] = [];
  const add = (corners: readonly number[]) => {
    for (const corner of corners) filling.corners.push(corner);
    existingEdges.add(corners);
  };
  const addSpatial = (ring: readonly number[]) => {
    add(
      splitDuplicateDiagonals(
        positions,
        filling.newPositions,
        triangulateSpatialRing(positions, ring, existingEdges.has),
        existingEdges.has,
      ),
    );
  };
  for (const ring of rings) {
    const flat = toPlanarRing(positions, ring);
    if (flat) planar.push(flat);
    else addSpatial(ring);
  }
  for (const nest of nestPlanarRings(positions, planar)) {
    const together = fillPlanar(positions, nest, existingEdges);
    if (together) add(together);
    else
      for (const ring of nest) {
        const alone = fillPlanar(positions, [ring], existingEdges);
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
  existingEdges: ExistingEdges,
): number[] | undefined {
  const polygon = triangulateRings(positions, nest);
  if (!polygon || nest.length > 1 || !duplicatesTriangle(polygon, existingEdges)) return polygon;
  const other = triangulateSpatialRing(positions, nest[0], existingEdges.has);
  const isFold = areaOf(positions, other) > areaOf(positions, polygon) * (1 + FOLD_AREA_TOLERANCE);
  return isFold || duplicatesTriangle(other, existingEdges) ? polygon : other;
}

function duplicatesTriangle(corners: readonly number[], existingEdges: ExistingEdges): boolean {
  for (let offset = 0; offset < corners.length; offset += 3)
    if (existingEdges.hasTriangle(corners[offset], corners[offset + 1], corners[offset + 2])) return true;
  return false;
}

function areaOf(positions: Float64Array, corners: readonly number[]): number {
  let area = 0;
  for (let offset = 0; offset < corners.length; offset += 3)
    area += Math.hypot(...newellNormal(positions, corners.slice(offset, offset + 3))) / 2;
  return area;
}

function appendPositions(positions: Float64Array, newPositions: readonly number[]): Float64Array {
  if (newPositions.length === 0) return positions;
  const all = new Float64Array(positions.length + newPositions.length);
  all.set(positions);
  all.set(newPositions, positions.length);
  return all;
}

/** vertex → the object of a triangle there: what fills a hole belongs to what surrounds it */
function objectOfVertex({ positions, triangles, objectOf }: RepairMesh): Uint32Array {
  const objects = new Uint32Array(positions.length / 3);
  for (let i = triangles.length - 1; i >= 0; i--) objects[triangles[i]] = objectOf[(i - (i % 3)) / 3];
  return objects;
}
