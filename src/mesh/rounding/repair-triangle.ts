import { tryCollapseEdge } from '../editing/collapse-edge.js';
import type { EditableMesh } from '../editing/editable-mesh.js';
import { tryFlipEdge } from '../editing/flip-edge.js';
import { type MoveOptions, tryMoveVertex, tryMoveVertices, unitNormalOf } from '../editing/move-vertices.js';
import { distance } from '../geometry/distance.js';
import { float32UlpAt } from '../geometry/float32-ulp.js';

/** Edges of at most this many ulps may be collapsed, regardless of `maxUlps`. */
const SHORT_EDGE_ULPS = 8;
/** Intersecting triangles that are edited together with a broken one. */
const MAX_PARTNERS = 6;
/** Triangles along whose normals vertices are moved. */
const MAX_NORMALS = 3;
/** Vertices that are moved together: those with the fewest triangles. */
const MAX_JOINT_VERTICES = 8;

/**
 * Tries to reduce the defects of a degenerate or intersecting triangle, without moving the surface by more than
 * `options.maxUlps` float32 ulps. Applies the first operation that reduces the defects:
 *
 * 1. Collapses a short edge.
 * 2. Flips an edge.
 * 3. Moves single vertices, until the triangle has no defects.
 * 4. Moves several vertices at once.
 *
 * Each operation is tried on the triangle, then on those that intersect it.
 */
export function repairTriangle(surface: EditableMesh, triangle: number, options: MoveOptions): void {
  if (!surface.isDefective(triangle)) return;
  const cluster = [triangle, ...surface.findIntersectingTriangles(triangle).slice(0, MAX_PARTNERS)];
  if (cluster.some((each) => tryCollapseAnyEdge(surface, each, options))) return;
  if (cluster.some((each) => tryFlipAnyEdge(surface, each, options))) return;
  const vertices = [...new Set(cluster.flatMap((each) => [...surface.cornersOf(each)]))].sort(
    (one, other) => surface.valenceOf(one) - surface.valenceOf(other),
  );
  const normals = cluster.slice(0, MAX_NORMALS).map((each) => unitNormalOf(surface, each));
  for (const vertex of vertices) {
    tryMoveVertex(surface, vertex, normals, options);
    if (!surface.isDefective(triangle)) return;
  }
  tryMoveVertices(surface, vertices.slice(0, MAX_JOINT_VERTICES), options);
}

/** Returns the edges of a triangle in its winding, with their lengths, shortest first. */
function edgesByLength(surface: EditableMesh, triangle: number): [from: number, to: number, lengthMm: number][] {
  const corners = surface.cornersOf(triangle);
  return [0, 1, 2]
    .map((k): [number, number, number] => {
      const [from, to] = [corners[k], corners[(k + 1) % 3]];
      return [from, to, distance(surface.positions, from, to)];
    })
    .sort((one, other) => one[2] - other[2]);
}

function tryCollapseAnyEdge(surface: EditableMesh, triangle: number, { maxUlps, origin }: MoveOptions): boolean {
  const maxLengthUlps = Math.max(SHORT_EDGE_ULPS, maxUlps);
  return edgesByLength(surface, triangle).some(
    ([from, to, length]) =>
      length <= maxLengthUlps * float32UlpAt(surface.positions, from, origin) && tryCollapseEdge(surface, from, to),
  );
}

function tryFlipAnyEdge(surface: EditableMesh, triangle: number, { maxUlps, origin }: MoveOptions): boolean {
  return edgesByLength(surface, triangle)
    .reverse()
    .some(([from, to]) =>
      tryFlipEdge(surface, triangle, from, to, maxUlps * float32UlpAt(surface.positions, from, origin)),
    );
}
