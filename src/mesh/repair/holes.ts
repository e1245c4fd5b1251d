import type { ReportWarning } from '../analysis/report.js';
import { pluralize } from '../core/pluralize.js';
import { newellNormal } from '../geometry/newell-normal.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { findDuplicateGroups, hasAscendingWinding } from '../topology/duplicate-triangles.js';
import { triangleOf } from '../topology/half-edge.js';
import { appendPositions, appendTriangles, selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { triangulateRings } from '../triangulation/triangulate-rings.js';
import { triangulateSpatialRing } from '../triangulation/triangulate-spatial-ring.js';
import { collectExistingEdges, type ExistingEdges } from './existing-edges.js';
import { countSheetTriangles } from './find-sheets.js';
import { findHoleRings } from './hole-rings.js';
import { type Filling, measureFillings, type Patch } from './measure-fillings.js';
import { nestPlanarRings, type PlanarRing, toPlanarRing } from './planar-rings.js';
import { splitDuplicateDiagonals } from './split-duplicate-diagonals.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/**
 * A triangulation of a planar ring overlaps itself if its area exceeds that of the polygon by more than this fraction.
 */
const FOLD_AREA_TOLERANCE = 1e-3;

/**
 * The step `holes`. Fills a planar ring by its polygon, with other rings inside it as holes of the polygon. Fills any
 * other ring by the triangulation of minimum area (Barequet & Sharir 1995, Liepa 2003) whose diagonals are not edges of
 * the mesh: otherwise it could cover a triangle that is attached to the hole by one edge, and both would be dropped.
 * The notes count holes. Warns of walls without thickness, whose filling covers them.
 */
export const HOLES: RepairStep = { name: 'holes', run: fillHoles };

function fillHoles(mesh: TaggedMesh, { index, budget, tolerances }: StepContext): StepResult {
  let current: MeshState = { mesh, index };
  let count = 0;
  let filledAreaMm2 = 0;
  const fillings: Filling[] = [];
  for (let round = 0; round < budget.holeRounds; round++) {
    const rings = current.index.isClosed() ? [] : findHoleRings(current.mesh.triangles, current.index.radialTwins());
    if (rings.length === 0) break;
    const { mesh: filled, patches } = fillRings(current.mesh, rings);
    const { positions } = filled;
    for (const filling of measureFillings(current.mesh, current.index.radialTwins(), positions, patches))
      fillings.push(filling);
    for (const { corners } of patches) filledAreaMm2 += computeArea(positions, corners);
    current = createMeshState(filled);
    count += rings.length;
  }
  if (count === 0) return unchanged(mesh);
  const sheetCount = countSheetTriangles({ mesh, index }, current, tolerances.nearMm);
  const warnings = sheetCount > 0 ? [createSheetWarning(sheetCount)] : [];
  return changed(removeBackToBackPairs(current), { count, filledAreaMm2, fillings, warnings });
}

function createSheetWarning(count: number): ReportWarning {
  const message = `${pluralize(count, 'triangle')} ${count === 1 ? 'is' : 'are'} of walls without thickness, which enclose nothing. Give the walls a thickness.`;
  return { code: 'ZERO_THICKNESS', message };
}

/** Returns the mesh with rings filled, and the triangles that fill them. */
function fillRings(mesh: TaggedMesh, rings: readonly (readonly number[])[]) {
  const { positions, triangles } = mesh;
  const objectAtVertex = mapVerticesToObjects(mesh);
  const existingEdges = collectExistingEdges(triangles, positions.length / 3, rings);
  const { patches, newPositions } = triangulateHoles(positions, rings, existingEdges);
  const extended = { ...mesh, positions: appendPositions(positions, newPositions) };
  const corners = patches.flatMap((patch) => patch.corners);
  const objects = Array.from({ length: corners.length / 3 }, (_, i) => objectAtVertex[corners[i * 3]]);
  return { mesh: appendTriangles(extended, corners, objects), patches };
}

/**
 * Drops back-to-back pairs: a triangle of the filling that covers a triangle attached to the boundary of the hole. They
 * enclose nothing. Returns the mesh unchanged if nothing else remains, since it is a sheet.
 */
function removeBackToBackPairs(state: MeshState): MeshState {
  const { triangles, objectOf } = state.mesh;
  const isKept = new Uint8Array(objectOf.length).fill(1);
  for (const group of findDuplicateGroups(triangles, state.index, isKept)) {
    const forward = group.filter((triangle) => hasAscendingWinding(triangles, triangle));
    const backward = group.filter((triangle) => !hasAscendingWinding(triangles, triangle));
    const pairs = Math.min(forward.length, backward.length);
    for (const triangle of [...forward.slice(0, pairs), ...backward.slice(0, pairs)]) isKept[triangle] = 0;
  }
  if (!isKept.includes(0) || !isKept.includes(1)) return state;
  const kept = [...isKept.keys()].filter((triangle) => isKept[triangle] === 1);
  return createMeshState(selectTriangles(state.mesh, kept));
}

/** Triangles that fill rings, and the coordinates of the vertices that they add to the mesh. */
interface Triangulation {
  patches: Patch[];
  newPositions: number[];
}

function triangulateHoles(
  positions: Float64Array,
  rings: readonly (readonly number[])[],
  existingEdges: ExistingEdges,
): Triangulation {
  const filling: Triangulation = { patches: [], newPositions: [] };
  const planar: PlanarRing[] = [];
  const add = (corners: readonly number[], isFlat: boolean) => {
    filling.patches.push({ corners, isFlat });
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
      false,
    );
  };
  for (const ring of rings) {
    const planarRing = toPlanarRing(positions, ring);
    if (planarRing) planar.push(planarRing);
    else addSpatial(ring);
  }
  for (const polygonRings of nestPlanarRings(positions, planar)) {
    const combined = fillPlanar(positions, polygonRings, existingEdges);
    if (combined) add(combined, true);
    else
      for (const ring of polygonRings) {
        const single = fillPlanar(positions, [ring], existingEdges);
        if (single) add(single, true);
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
