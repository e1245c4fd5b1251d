import type { IndexedMesh } from '../mesh.js';
import type { Analysis } from '../report.js';
import { areCollinear } from '../spatial/predicates.js';
import { buildTriangleTree } from '../spatial/triangle-tree.js';
import { buildEdges, type Edges, findTwins } from '../topology/edges.js';
import { findFans } from '../topology/fans.js';
import { findShells, type Shells } from '../topology/shells.js';
import { countBoundaryLoops } from './boundary-loops.js';
import { findIntersections } from './intersections.js';
import { judgeNesting } from './judge-nesting.js';
import { boxOf, diagonalOf, type Measures, measureGroups } from './measure.js';
import { countNearBoundaryEdges } from './near-boundary.js';

/** A shell with less than this share of the area is noise. */
const NOISE_SHARE = 1e-4;
/** A triangle whose longest side is this many times its height is a needle; a mesh of which a tenth are needles is faceted badly. */
const NEEDLE_RATIO = 500;
const NEEDLE_SHARE = 0.1;

/** Measures a mesh without changing it. All counts are exact; the check for intersecting triangles too. */
export function analyze(mesh: IndexedMesh): Analysis {
  const { positions, triangles } = mesh;
  const vertexCount = positions.length / 3;
  const box = boxOf(positions);
  const diagonalMm = diagonalOf(box);
  const edges = buildEdges(triangles, vertexCount);
  const edgeCounts = countEdges(triangles, edges);
  const isWatertight = triangles.length > 0 && edgeCounts.badEdges === 0;
  const shells = findShells(triangles.length / 3, edges);
  const measures = measureGroups(mesh, shells.shellOf, shells.count);
  const loops = countBoundaryLoops(mesh, edges, diagonalMm);
  const tree = buildTriangleTree(positions, triangles);
  const intersections = findIntersections(mesh, tree);
  const nesting = judgeNesting(mesh, shells, measures, edges, tree);
  const areaMm2 = sum(measures.areaMm2);
  return {
    vertices: vertexCount,
    triangles: triangles.length / 3,
    contours: loops.count,
    shells: shells.count,
    volumeMm3: sum(measures.volumeMm3),
    surfaceAreaMm2: areaMm2,
    dimensionXMm: box.max[0] - box.min[0],
    dimensionYMm: box.max[1] - box.min[1],
    dimensionZMm: box.max[2] - box.min[2],
    badEdges: edgeCounts.badEdges,
    badContours: loops.count,
    solidityParams: {
      invertedNormals: nesting.invertedTriangles,
      badEdges: edgeCounts.badEdges,
      badContours: loops.count,
      nearBadEdges: countNearBoundaryEdges(mesh, edges, diagonalMm),
      planarHoles: loops.planarCount,
    },
    qualityParams: {
      noiseShells: countNoiseShells(shells, measures, areaMm2),
      overlappingTriangles: countMarks(intersections.isOverlapping),
      intersectingTriangles: countMarks(intersections.isIntersecting),
      isFacetingScoreOk: countNeedles(mesh) <= (triangles.length / 3) * NEEDLE_SHARE,
    },
    boundaryEdges: edgeCounts.boundaryEdges,
    nonManifoldEdges: edgeCounts.nonManifoldEdges,
    inconsistentEdges: edgeCounts.inconsistentEdges,
    nonManifoldVertices: isWatertight ? findFans(findTwins(triangles, edges)).count - countUsed(mesh) : 0,
    degenerateTriangles: countDegenerate(mesh),
    isIntersectionCheckComplete: intersections.isComplete,
    boundsVolume: isWatertight && nesting.boundsVolume,
    boxMm: box,
  };
}

function countEdges(triangles: Uint32Array, { order, starts }: Edges) {
  let boundaryEdges = 0;
  let nonManifoldEdges = 0;
  let inconsistentEdges = 0;
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const at = starts[edge];
    const count = starts[edge + 1] - at;
    if (count === 1) boundaryEdges++;
    else if (count > 2) nonManifoldEdges++;
    else if (triangles[order[at]] === triangles[order[at + 1]]) inconsistentEdges++;
  }
  return {
    boundaryEdges,
    nonManifoldEdges,
    inconsistentEdges,
    badEdges: boundaryEdges + nonManifoldEdges + inconsistentEdges,
  };
}

function countUsed({ positions, triangles }: IndexedMesh): number {
  const isUsed = new Uint8Array(positions.length / 3);
  for (let i = 0; i < triangles.length; i++) isUsed[triangles[i]] = 1;
  return countMarks(isUsed);
}

/** Triangles with two equal corners, or corners exactly on a line. Only what floating point cannot tell from a line is looked at exactly. */
function countDegenerate({ positions, triangles }: IndexedMesh): number {
  let count = 0;
  for (let at = 0; at < triangles.length; at += 3) {
    if (flatness(positions, triangles, at) > 1e-12) continue;
    if (areCollinear(positions, triangles[at], triangles[at + 1], triangles[at + 2])) count++;
  }
  return count;
}

function countNeedles({ positions, triangles }: IndexedMesh): number {
  let count = 0;
  for (let at = 0; at < triangles.length; at += 3) if (flatness(positions, triangles, at) * NEEDLE_RATIO < 1) count++;
  return count;
}

/** Height over the longest side, divided by that side; 0 for a triangle without extent. */
function flatness(positions: Float64Array, triangles: Uint32Array, at: number): number {
  const a = triangles[at] * 3;
  const b = triangles[at + 1] * 3;
  const c = triangles[at + 2] * 3;
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  const wx = vx - ux;
  const wy = vy - uy;
  const wz = vz - uz;
  const side = Math.max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz);
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  return side > 0 ? Math.sqrt(nx * nx + ny * ny + nz * nz) / side : 0;
}

function countNoiseShells(shells: Shells, { areaMm2 }: Measures, wholeMm2: number): number {
  let count = 0;
  for (let shell = 0; shell < shells.count; shell++) if (areaMm2[shell] < wholeMm2 * NOISE_SHARE) count++;
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
