import { tryCollapseEdge } from '../editing/collapse-edge.js';
import type { EditableMesh } from '../editing/editable-mesh.js';
import { tryFlipEdge } from '../editing/flip-edge.js';
import { tryMoveVertex, tryMoveVertices, unitNormalOf } from '../editing/move-vertices.js';
import { distance } from '../geometry/distance.js';
import { float32UlpAt } from './float32-ulp.js';

/** Edges of at most this many steps may vanish, whatever the reach. */
const SHORT_EDGE_ULPS = 8;
/** Of the triangles that one meets, so many are worked on with it. */
const MAX_PARTNERS = 6;
/** Vertices move along the normals of so many triangles. */
const MAX_NORMALS = 3;
/** So many vertices move together: those of the fewest triangles. */
const MAX_JOINT_VERTICES = 8;

/**
 * Makes less wrong with a triangle that has no area or meets others, if it can, without going farther than `maxUlps` steps of float32. In turn,
 * whichever helps first: a short edge vanishes, an edge flips, a vertex goes to a place nearby, several vertices do. Tried on the triangle,
 * then on those that it meets.
 */
export function repairTriangle(surface: EditableMesh, triangle: number, maxUlps: number, random: () => number): void {
  if (surface.countDefects([triangle], 1) === 0) return;
  const cluster = [triangle, ...surface.findIntersectingTriangles(triangle).slice(0, MAX_PARTNERS)];
  if (cluster.some((each) => tryCollapseAnyEdge(surface, each, maxUlps))) return;
  if (cluster.some((each) => tryFlipAnyEdge(surface, each, maxUlps))) return;
  const vertices = [...new Set(cluster.flatMap((each) => [...surface.cornersOf(each)]))].sort(
    (one, other) => surface.oneRingOf(one).length - surface.oneRingOf(other).length,
  );
  const normals = cluster.slice(0, MAX_NORMALS).map((each) => unitNormalOf(surface, each));
  for (const vertex of vertices) {
    tryMoveVertex(surface, vertex, maxUlps, normals, random);
    if (surface.countDefects([triangle], 1) === 0) return;
  }
  tryMoveVertices(surface, vertices.slice(0, MAX_JOINT_VERTICES), maxUlps, random);
}

/** The ends of the sides of a triangle, in the order in which it walks them, and how long they are; the shortest first. */
function edgesByLength(surface: EditableMesh, triangle: number): [from: number, to: number, lengthMm: number][] {
  const corners = surface.cornersOf(triangle);
  return [0, 1, 2]
    .map((k): [number, number, number] => {
      const [from, to] = [corners[k], corners[(k + 1) % 3]];
      return [from, to, distance(surface.positions, from, to)];
    })
    .sort((one, other) => one[2] - other[2]);
}

function tryCollapseAnyEdge(surface: EditableMesh, triangle: number, maxUlps: number): boolean {
  const max = Math.max(SHORT_EDGE_ULPS, maxUlps);
  return edgesByLength(surface, triangle).some(
    ([from, to, length]) => length <= max * float32UlpAt(surface.positions, from) && tryCollapseEdge(surface, from, to),
  );
}

function tryFlipAnyEdge(surface: EditableMesh, triangle: number, maxUlps: number): boolean {
  return edgesByLength(surface, triangle)
    .reverse()
    .some(([from, to]) => tryFlipEdge(surface, triangle, from, to, maxUlps * float32UlpAt(surface.positions, from)));
}
