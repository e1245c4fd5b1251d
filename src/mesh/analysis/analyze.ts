import type { IndexedMesh, MeshGeometry } from '../core/mesh.js';
import type { TaskRunner } from '../core/task-runner.js';
import { computeBounds, diagonalOf } from '../geometry/bounds.js';
import { relativeHeight } from '../geometry/degenerate-triangles.js';
import { type GroupMeasures, measureGroups } from '../geometry/measure-groups.js';
import { findIntersectionsWithRunner } from '../intersections/find-with-runner.js';
import { findIntersectionsOf, markDegenerateTrianglesOf } from '../intersections/mark-intersecting.js';
import { createMeshIndex, type MeshIndex } from '../spatial/mesh-index.js';
import { findNearPairs } from '../spatial/near-pairs.js';
import type { EdgeDefects } from '../topology/connectivity.js';
import { nextOf } from '../topology/half-edge.js';
import { verticesOfHalfEdges } from '../topology/half-edge-vertices.js';
import type { Shells } from '../topology/shells.js';
import { analyzeNesting } from './analyze-nesting.js';
import { countBoundaryLoops } from './boundary-loops.js';
import { locateDefects } from './locate-defects.js';
import type { Analysis, AnalysisWithPlaces } from './report.js';

/** A shell with less than this fraction of the total area is noise. */
const NOISE_AREA_FRACTION = 1e-4;
/** A triangle is a needle if its longest side is more than this many times its height. */
const NEEDLE_RATIO = 500;
/** The faceting score of a mesh is not OK if more than this fraction of its triangles are needles. */
const MAX_NEEDLE_FRACTION = 0.1;
/** Boundary vertices closer than this fraction of the diagonal nearly match. */
const NEAR_FRACTION = 1e-4;

/**
 * Measures a mesh and counts its defects. Does not change the mesh. Counts are exact: intersections are decided by
 * exact predicates (Shewchuk 1997), without a tolerance.
 */
export function analyze(mesh: IndexedMesh): Analysis {
  return analyzeWithPlaces(mesh).analysis;
}

/** Measures a mesh like `analyze`, and locates its defects. `runner`: runs parts of it in other threads. */
export function analyzeWithPlaces(mesh: IndexedMesh, runner?: TaskRunner): AnalysisWithPlaces {
  return analyzeWithRunner(createMeshIndex(mesh), runner);
}

/** Returns what `index.derive(analyzeIndexed)` returns. `runner`: runs parts of it in other threads. */
export function analyzeWithRunner(index: MeshIndex, runner: TaskRunner | undefined): AnalysisWithPlaces {
  if (runner && !index.isDerived(analyzeIndexed))
    findIntersectionsWithRunner(index, runner, () => {
      index.edgeDefects();
      index.extraFanCount();
      index.derive(measureShells);
      index.derive(countNeedles);
    });
  return index.derive(analyzeIndexed);
}

/** Computes area and volume of each shell. For `MeshIndex.derive`. */
function measureShells(index: MeshIndex): GroupMeasures {
  const { shellOf, count } = index.shells();
  return measureGroups(index.mesh, shellOf, count);
}

/** Measures an indexed mesh like `analyze`, and locates its defects. For `MeshIndex.derive`. */
export function analyzeIndexed(index: MeshIndex): AnalysisWithPlaces {
  const { mesh } = index;
  const { positions, triangles } = mesh;
  const vertexCount = positions.length / 3;
  const box = computeBounds(positions);
  const diagonalMm = diagonalOf(box);
  const shells = index.shells();
  const edgeDefects = index.edgeDefects();
  const badEdges = edgeDefects.boundary.length + edgeDefects.nonManifold.length + edgeDefects.inconsistent.length;
  const isWatertight = triangles.length > 0 && badEdges === 0;
  const measures = index.derive(measureShells);
  const loops = countBoundaryLoops(mesh, edgeDefects.boundary, diagonalMm);
  const isDegenerate = index.derive(markDegenerateTrianglesOf);
  const intersections = index.derive(findIntersectionsOf);
  const nesting = analyzeNesting(index, measures);
  const areaMm2 = sum(measures.areaMm2);
  const analysis: Analysis = {
    vertices: vertexCount,
    triangles: triangles.length / 3,
    contours: loops.count,
    shells: shells.count,
    volumeMm3: sum(measures.volumeMm3),
    surfaceAreaMm2: areaMm2,
    dimensionXMm: box.max[0] - box.min[0],
    dimensionYMm: box.max[1] - box.min[1],
    dimensionZMm: box.max[2] - box.min[2],
    badEdges,
    badContours: loops.count,
    solidityParams: {
      invertedNormals: nesting.invertedTriangles,
      badEdges,
      badContours: loops.count,
      nearBadEdges: countNearBoundaryEdges(mesh, edgeDefects.boundary, diagonalMm),
      planarHoles: loops.planarCount,
    },
    qualityParams: {
      noiseShells: countNoiseShells(shells, measures, areaMm2),
      overlappingTriangles: intersections.overlapping.length,
      intersectingTriangles: intersections.crossing.length,
      isFacetingScoreOk: index.derive(countNeedles) <= (triangles.length / 3) * MAX_NEEDLE_FRACTION,
    },
    boundaryEdges: edgeDefects.boundary.length,
    nonManifoldEdges: edgeDefects.nonManifold.length,
    edgesByTriangles: countEdgesByTriangles(edgeDefects),
    inconsistentEdges: edgeDefects.inconsistent.length,
    nonManifoldVertices: index.extraFanCount(),
    degenerateTriangles: countMarks(isDegenerate),
    isIntersectionCheckComplete: intersections.isComplete,
    boundsVolume: isWatertight && nesting.boundsVolume,
    boxMm: box,
  };
  return { analysis, places: locateDefects(mesh, { edgeDefects, intersections, isDegenerate }) };
}

function countEdgesByTriangles({ triangleCounts }: EdgeDefects): { triangles: number; edges: number }[] {
  const counts = new Map<number, number>();
  for (const triangles of triangleCounts) counts.set(triangles, (counts.get(triangles) ?? 0) + 1);
  return [...counts].sort(([left], [right]) => left - right).map(([triangles, edges]) => ({ triangles, edges }));
}

/** Counts the needles of a mesh. For `MeshIndex.derive`. */
function countNeedles({ mesh: { positions, triangles } }: MeshIndex): number {
  let count = 0;
  for (let offset = 0; offset < triangles.length; offset += 3)
    if (relativeHeight(positions, triangles, offset) * NEEDLE_RATIO < 1) count++;
  return count;
}

function countNoiseShells(shells: Shells, { areaMm2 }: GroupMeasures, totalMm2: number): number {
  let count = 0;
  for (let shell = 0; shell < shells.count; shell++) if (areaMm2[shell] < totalMm2 * NOISE_AREA_FRACTION) count++;
  return count;
}

function countMarks(marks: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < marks.length; i++) count += marks[i];
  return count;
}

function sum(values: Float64Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}

/**
 * Counts the boundary edges whose ends both have another boundary vertex nearby. They belong to cracks rather than to
 * holes. `boundary` lists half-edges.
 */
function countNearBoundaryEdges(
  { positions, triangles }: MeshGeometry,
  boundary: readonly number[],
  diagonalMm: number,
): number {
  const vertices = verticesOfHalfEdges(triangles, boundary);
  const nearPairs = findNearPairs(positions, vertices, () => diagonalMm * NEAR_FRACTION);
  const isNear = new Set(nearPairs.flatMap(({ a, b }) => [a, b]));
  return boundary.filter((h) => isNear.has(triangles[h]) && isNear.has(triangles[nextOf(h)])).length;
}
