import { newellNormal } from '../geometry/newell-normal.js';
import { findDuplicateGroups, hasAscendingWinding } from '../topology/duplicate-triangles.js';
import { buildEdges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { pairTwinsRadially } from '../topology/pair-twins-radially.js';
import { appendPositions, appendTriangles, selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { triangulateRings } from '../triangulation/triangulate-rings.js';
import { triangulateSpatialRing } from '../triangulation/triangulate-spatial-ring.js';
import { collectExistingEdges, type ExistingEdges } from './existing-edges.js';
import { findHoleRings } from './hole-rings.js';
import { nestPlanarRings, type PlanarRing, toPlanarRing } from './planar-rings.js';
import { splitDuplicateDiagonals } from './split-duplicate-diagonals.js';
import type { RepairStep, StepResult } from './step.js';

/** Filling a hole with a non-manifold boundary may leave another hole. */
const MAX_ROUNDS = 3;
/**
 * A triangulation of a planar ring overlaps itself if its area exceeds that of the polygon by more than this fraction.
 */
const FOLD_AREA_TOLERANCE = 1e-3;

/**
 * The step `holes`. Fills a planar ring by its polygon, with other rings inside it as holes of the polygon. Fills any
 * other ring by the triangulation of minimum area (Barequet & Sharir 1995, Liepa 2003) whose diagonals are not edges of
 * the mesh: otherwise it could cover a triangle that is attached to the hole by one edge, and both would be dropped.
 * `changed` counts holes.
 */
export const HOLES: RepairStep = { name: 'holes', run: fillHoles };

function fillHoles(mesh: TaggedMesh): StepResult {
  let current = mesh;
  let changed = 0;
  let filledAreaMm2 = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { positions, triangles } = current;
    const twins = pairTwinsRadially(positions, triangles, buildEdges(triangles, positions.length / 3));
    const rings = findHoleRings(triangles, twins);
    if (rings.length === 0) break;
    const objectAtVertex = mapVerticesToObjects(current);
    const { corners, newPositions } = fillRings(
      positions,
      rings,
      collectExistingEdges(triangles, positions.length / 3, rings),
    );
    const extended = { ...current, positions: appendPositions(positions, newPositions) };
    current = appendTriangles(
      extended,
      corners,
      Array.from({ length: corners.length / 3 }, (_, i) => objectAtVertex[corners[i * 3]]),
    );
    filledAreaMm2 += computeArea(current.positions, corners);
    changed += rings.length;
  }
  return { mesh: changed > 0 ? removeBackToBackPairs(current) : current, changed, filledAreaMm2 };
}

/**
 * Drops back-to-back pairs: a triangle of the filling that covers a triangle attached to the boundary of the hole. They
 * enclose nothing. Returns the mesh unchanged if nothing else remains, since it is a sheet.
 */
function removeBackToBackPairs(mesh: TaggedMesh): TaggedMesh {
  const { positions, triangles } = mesh;
  const isKept = new Uint8Array(triangles.length / 3).fill(1);
  for (const group of findDuplicateGroups(triangles, positions.length / 3, isKept)) {
    const forward = group.filter((triangle) => hasAscendingWinding(triangles, triangle));
    const backward = group.filter((triangle) => !hasAscendingWinding(triangles, triangle));
    const pairs = Math.min(forward.length, backward.length);
    for (const triangle of [...forward.slice(0, pairs), ...backward.slice(0, pairs)]) isKept[triangle] = 0;
  }
  const kept = [...isKept.keys()].filter((triangle) => isKept[triangle] === 1);
  return kept.length === 0 || kept.length === isKept.length ? mesh : selectTriangles(mesh, kept);
}

/** Triangles that fill rings, and the coordinates of the vertices that they add to the mesh. */
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
    const planarRing = toPlanarRing(positions, ring);
    if (planarRing) planar.push(planarRing);
    else addSpatial(ring);
  }
  for (const polygonRings of nestPlanarRings(positions, planar)) {
    const combined = fillPlanar(positions, polygonRings, existingEdges);
    if (combined) add(combined);
    else
      for (const ring of polygonRings) {
        const single = fillPlanar(positions, [ring], existingEdges);
        if (single) add(single);
        else addSpatial(ring);
      }
  }
  return filling;
}

/**
 * Triangulates the polygon of planar rings. If that duplicates a triangle of the mesh, returns the minimum-area
 * triangulation instead, unless it duplicates one too or overlaps itself.
 */
function fillPlanar(
  positions: Float64Array,
  rings: readonly (readonly number[])[],
  existingEdges: ExistingEdges,
): number[] | undefined {
  const polygon = triangulateRings(positions, rings);
  if (!polygon || rings.length > 1 || !duplicatesTriangle(polygon, existingEdges)) return polygon;
  const alternative = triangulateSpatialRing(positions, rings[0], existingEdges.has);
  const isOverlapping =
    computeArea(positions, alternative) > computeArea(positions, polygon) * (1 + FOLD_AREA_TOLERANCE);
  return isOverlapping || duplicatesTriangle(alternative, existingEdges) ? polygon : alternative;
}

function duplicatesTriangle(corners: readonly number[], existingEdges: ExistingEdges): boolean {
  for (let offset = 0; offset < corners.length; offset += 3)
    if (existingEdges.hasTriangle(corners[offset], corners[offset + 1], corners[offset + 2])) return true;
  return false;
}

function computeArea(positions: Float64Array, corners: readonly number[]): number {
  let area = 0;
  for (let offset = 0; offset < corners.length; offset += 3)
    area += Math.hypot(...newellNormal(positions, corners.slice(offset, offset + 3))) / 2;
  return area;
}

/** vertex → the object of one of its triangles; the filling of a hole gets the object of the surrounding triangles */
function mapVerticesToObjects({ positions, triangles, objectOf }: TaggedMesh): Uint32Array {
  const objectAtVertex = new Uint32Array(positions.length / 3);
  for (let i = triangles.length - 1; i >= 0; i--) objectAtVertex[triangles[i]] = objectOf[triangleOf(i)];
  return objectAtVertex;
}
