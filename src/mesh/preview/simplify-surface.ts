import { MeshoptSimplifier } from 'meshoptimizer/simplifier';
import type { MeshGeometry } from '../core/mesh.js';
import { sampleEvenly } from '../core/sample-evenly.js';
import { computeBounds, maxExtentOf } from '../geometry/bounds.js';
import { compact } from '../topology/compact.js';
import { callMeshopt } from './call-meshopt.js';

/** A mesh with at most the requested number of triangles. */
export interface SimplifiedSurface {
  surface: MeshGeometry;
  /** An estimate of the max distance between the surface and the mesh. 0 if they are equal. */
  deviationMm: number;
}

/** The largest error that simplification may cause, as a fraction of the extent: no limit. */
const MAX_ERROR = 1;
/**
 * Edge collapses visit the triangles at each vertex for each of its edges: the sum of the squares of their numbers. With
 * more visits than this per triangle, vertices are clustered. About 18 are usual, and a disc of 1,000 triangles around a
 * vertex adds a million to a model.
 */
export const MAX_VISITS_PER_TRIANGLE = 256;
/** A cluster simplification with less than this fraction of the requested triangles is not a picture of the mesh. */
const MIN_CLUSTERED_FRACTION = 0.5;

/**
 * Simplifies a mesh for display to at most `maxTriangles` triangles, by edge collapses (meshoptimizer). Where its
 * topology prevents that, because its triangles are not connected or too many are at one vertex, merges the vertices in each cell of a grid instead;
 * if little is left of triangles that are smaller than a cell, samples the triangles evenly. Deterministic.
 */
export async function simplifySurface(mesh: MeshGeometry, maxTriangles: number): Promise<SimplifiedSurface> {
  const { positions, triangles } = mesh;
  if (triangles.length <= maxTriangles * 3) return { surface: mesh, deviationMm: 0 };
  await MeshoptSimplifier.ready;
  const { points, extentMm } = normalize(positions);
  const toResult = (remaining: Uint32Array, error: number): SimplifiedSurface => ({
    surface: compact(positions, remaining),
    deviationMm: error * extentMm,
  });
  let remaining = triangles;
  if (countVisits(triangles) <= (MAX_VISITS_PER_TRIANGLE * triangles.length) / 3) {
    const [collapsed, collapseError] = callMeshopt(() =>
      MeshoptSimplifier.simplify(triangles, points, 3, maxTriangles * 3, MAX_ERROR),
    );
    if (collapsed.length <= maxTriangles * 3) return toResult(collapsed, collapseError);
    remaining = collapsed;
  }
  const [clustered, clusterError] = callMeshopt(() =>
    MeshoptSimplifier.simplifySloppy(triangles, points, 3, null, maxTriangles * 3, MAX_ERROR),
  );
  const isEnough = clustered.length >= maxTriangles * 3 * MIN_CLUSTERED_FRACTION;
  return toResult(isEnough ? clustered : sampleTriangles(remaining, maxTriangles), clusterError);
}

/** Returns the sum of the squares of the numbers of triangles at each vertex. */
export function countVisits(triangles: Uint32Array): number {
  const counts = new Uint32Array(triangles.reduce((max, vertex) => Math.max(max, vertex + 1), 0));
  for (const vertex of triangles) counts[vertex]++;
  return counts.reduce((sum, count) => sum + count * count, 0);
}

/** Returns float32 positions from 0 to 1, so that those of models far from the origin keep their precision. */
function normalize(positions: Float64Array): { points: Float32Array; extentMm: number } {
  const box = computeBounds(positions);
  const extentMm = maxExtentOf(box) || 1;
  const points = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    points[i] = (positions[i] - box.min[0]) / extentMm;
    points[i + 1] = (positions[i + 1] - box.min[1]) / extentMm;
    points[i + 2] = (positions[i + 2] - box.min[2]) / extentMm;
  }
  return { points, extentMm };
}

function sampleTriangles(triangles: Uint32Array, maxTriangles: number): Uint32Array {
  const firstCorners = Uint32Array.from({ length: triangles.length / 3 }, (_, triangle) => triangle * 3);
  const sampled = new Uint32Array(maxTriangles * 3);
  for (const [i, corner] of sampleEvenly(firstCorners, maxTriangles).entries())
    sampled.set(triangles.subarray(corner, corner + 3), i * 3);
  return sampled;
}
