import type { EditableMesh } from '../intersections/working-surface.js';
import { distance } from '../spatial/distance.js';
import { collapseEdge } from './collapse-edge.js';
import { flipEdge } from './flip-edge.js';
import { moveAlone, moveTogether, unitNormalOf } from './move-vertices.js';
import { stepAt } from './steps.js';

/** Edges of at most this many steps may vanish, whatever the reach. */
const SHORT_STEPS = 8;
/** Of the triangles that one meets, so many are worked on with it. */
const MOST_MET = 6;
/** Vertices move along the normals of so many triangles. */
const MOST_NORMALS = 3;
/** So many vertices move together: those of the fewest triangles. */
const MOST_TOGETHER = 8;

/**
 * Makes less wrong with a triangle that has no area or meets others, if it can, without going farther than `reach` steps of float32. In turn,
 * whichever helps first: a short edge vanishes, an edge flips, a vertex goes to a place nearby, several vertices do. Tried on the triangle,
 * then on those that it meets.
 */
export function mend(surface: EditableMesh, triangle: number, reach: number, random: () => number): void {
  if (surface.countDefects([triangle], 1) === 0) return;
  const cluster = [triangle, ...surface.findIntersectingTriangles(triangle).slice(0, MOST_MET)];
  if (cluster.some((each) => collapseAny(surface, each, reach))) return;
  if (cluster.some((each) => flipAny(surface, each, reach))) return;
  const vertices = [...new Set(cluster.flatMap((each) => [...surface.cornersOf(each)]))].sort(
    (one, other) => surface.oneRingOf(one).length - surface.oneRingOf(other).length,
  );
  const normals = cluster.slice(0, MOST_NORMALS).map((each) => unitNormalOf(surface, each));
  for (const vertex of vertices) {
    moveAlone(surface, vertex, reach, normals, random);
    if (surface.countDefects([triangle], 1) === 0) return;
  }
  moveTogether(surface, vertices.slice(0, MOST_TOGETHER), reach, random);
}

/** The ends of the sides of a triangle, in the order in which it walks them, and how long they are; the shortest first. */
function sidesOf(surface: EditableMesh, triangle: number): [from: number, to: number, lengthMm: number][] {
  const corners = surface.cornersOf(triangle);
  return [0, 1, 2]
    .map((k): [number, number, number] => {
      const [from, to] = [corners[k], corners[(k + 1) % 3]];
      return [from, to, distance(surface.positions, from, to)];
    })
    .sort((one, other) => one[2] - other[2]);
}

function collapseAny(surface: EditableMesh, triangle: number, reach: number): boolean {
  const most = Math.max(SHORT_STEPS, reach);
  return sidesOf(surface, triangle).some(
    ([from, to, length]) => length <= most * stepAt(surface.positions, from) && collapseEdge(surface, from, to),
  );
}

function flipAny(surface: EditableMesh, triangle: number, reach: number): boolean {
  return sidesOf(surface, triangle)
    .reverse()
    .some(([from, to]) => flipEdge(surface, triangle, from, to, reach * stepAt(surface.positions, from)));
}
