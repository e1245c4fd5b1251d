import { distance } from '../geometry/distance.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { buildPointTree } from '../spatial/point-tree.js';
import { forEachTriangleNearSegment } from '../spatial/segment-query.js';
import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';
import { verticesOfHalfEdges } from '../topology/half-edge-vertices.js';
import { appendTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** Widens the query of vertices near an edge by more than its rounding error. */
const MARGIN_FACTOR = 1.001;

/**
 * The step `t-junctions`. Splits boundary edges at boundary vertices that lie on them, so that a long edge matches the
 * short edges opposite. A round that does not reduce the number of boundary edges is discarded. The notes count split
 * edges.
 */
export const T_JUNCTIONS: RepairStep = { name: 't-junctions', run: splitTJunctions };

function splitTJunctions(mesh: TaggedMesh, { index, tolerances, budget }: StepContext): StepResult {
  let current: MeshState = { mesh, index };
  let count = 0;
  for (let round = 0; round < budget.junctionRounds; round++) {
    const { boundary } = current.index.edgeDefects();
    if (boundary.length === 0) break;
    const splits = findSplits(current.mesh, boundary, tolerances.onEdgeMm);
    if (splits.size === 0) break;
    const split = createMeshState(applySplits(current.mesh, splits));
    if (split.index.edgeDefects().boundary.length >= boundary.length) break;
    current = split;
    count += splits.size;
  }
  return count > 0 ? changed(current, { count }) : unchanged(mesh);
}

/** Splits boundary edges at boundary vertices within `toleranceMm`. Returns `undefined` if there are none. */
export function splitNearEdges({ mesh, index }: MeshState, toleranceMm: number) {
  const splits = findSplits(mesh, index.edgeDefects().boundary, toleranceMm);
  return splits.size === 0 ? undefined : { mesh: applySplits(mesh, splits), count: splits.size };
}

/** half-edge → the vertices on it, ordered from its start; at most one half-edge per triangle */
function findSplits(mesh: TaggedMesh, boundary: readonly number[], toleranceMm: number): Map<number, number[]> {
  const { positions, triangles } = mesh;
  const vertices = verticesOfHalfEdges(triangles, boundary);
  const tree = buildPointTree(positions, vertices);
  const splits = new Map<number, number[]>();
  const isSplit = new Set<number>();
  for (const h of boundary) {
    if (isSplit.has(triangleOf(h))) continue;
    const [a, b] = [triangles[h], triangles[nextOf(h)]];
    // A vertex within the tolerance of an end is not on the edge.
    if (distance(positions, a, b) <= 2 * toleranceMm) continue;
    const [from, to] = [a, b].map((vertex) => positions.subarray(vertex * 3, vertex * 3 + 3));
    const verticesOnEdge: { vertex: number; t: number }[] = [];
    forEachTriangleNearSegment(tree, from, to, toleranceMm * MARGIN_FACTOR, (point) => {
      const vertex = vertices[point];
      if (vertex === a || vertex === b || vertex === triangles[previousOf(h)]) return;
      const t = projectOntoEdge(positions, a, b, vertex, toleranceMm);
      if (t !== undefined) verticesOnEdge.push({ vertex, t });
    });
    if (verticesOnEdge.length === 0) continue;
    verticesOnEdge.sort((x, y) => x.t - y.t || x.vertex - y.vertex);
    splits.set(
      h,
      verticesOnEdge.map(({ vertex }) => vertex),
    );
    isSplit.add(triangleOf(h));
  }
  return splits;
}

/**
 * Returns the parameter (0..1) of a vertex on the edge a → b, or `undefined` if it is not on the edge or near an end.
 */
function projectOntoEdge(
  positions: Float64Array,
  a: number,
  b: number,
  vertex: number,
  toleranceMm: number,
): number | undefined {
  const u = [0, 1, 2].map((k) => positions[b * 3 + k] - positions[a * 3 + k]);
  const v = [0, 1, 2].map((k) => positions[vertex * 3 + k] - positions[a * 3 + k]);
  const length = Math.hypot(...u);
  const t = (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) / (length * length);
  if (!(t * length > toleranceMm && (1 - t) * length > toleranceMm)) return undefined;
  const distanceMm = Math.hypot(...v.map((part, k) => part - t * u[k]));
  return distanceMm <= toleranceMm ? t : undefined;
}

function applySplits(mesh: TaggedMesh, splits: ReadonlyMap<number, readonly number[]>): TaggedMesh {
  const corners: number[] = [];
  const objects: number[] = [];
  const triangles = mesh.triangles.slice();
  for (const [h, verticesOnEdge] of splits) {
    const [end, apex] = [triangles[nextOf(h)], triangles[previousOf(h)]];
    triangles[nextOf(h)] = verticesOnEdge[0]; // the original triangle keeps the first part
    verticesOnEdge.forEach((vertex, i) => {
      corners.push(vertex, verticesOnEdge[i + 1] ?? end, apex);
      objects.push(mesh.objectOf[triangleOf(h)]);
    });
  }
  return appendTriangles({ ...mesh, triangles }, corners, objects);
}
