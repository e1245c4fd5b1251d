import { cross, dot, perpendicularTo } from '../core/vec3.js';
import { type Edges, findTwins } from './edges.js';
import { nextOf, previousOf } from './half-edge.js';

/**
 * Finds the twin of each half-edge, at non-manifold edges by a radial sort.
 *
 * The triangles at a non-manifold edge are sorted by their angle around it. Each triangle that opens a wedge of
 * material is paired with the one that closes it. Solids that touch along an edge are thereby separated.
 *
 * @returns half-edge → twin, or `NO_TWIN` if it has no partner
 */
export function pairTwinsRadially(positions: Float64Array, triangles: Uint32Array, edges: Edges): Int32Array {
  const twins = findTwins(triangles, edges);
  const { order, starts } = edges;
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] > 2) {
      pairAroundEdge(positions, triangles, order.subarray(starts[edge], starts[edge + 1]), twins);
    }
  }
  return twins;
}

function pairAroundEdge(
  positions: Float64Array,
  triangles: Uint32Array,
  halfEdges: Uint32Array,
  twins: Int32Array,
): void {
  const first = halfEdges[0];
  const low = Math.min(triangles[first], triangles[nextOf(first)]);
  const high = Math.max(triangles[first], triangles[nextOf(first)]);
  const angleOf = createAngleAround(positions, low, high);
  // The half-edge from `low` to `high` belongs to a triangle with its material at smaller angles: it closes a wedge.
  // The opposite one opens a wedge. At equal angles the closing one comes first, or else the wedge between them is
  // empty.
  const sides = Array.from(halfEdges, (h) => {
    return { h, isClosing: triangles[h] === low, angle: angleOf(triangles[previousOf(h)]) };
  }).sort((a, b) => a.angle - b.angle || Number(b.isClosing) - Number(a.isClosing) || a.h - b.h);
  const openings: number[] = [];
  // Two rounds: a wedge that is open at the end of the first closes in the second.
  for (const { h, isClosing } of [...sides, ...sides]) {
    if (twins[h] >= 0) continue;
    if (!isClosing) {
      if (!openings.includes(h)) openings.push(h);
      continue;
    }
    const opening = openings.pop();
    if (opening === undefined) continue;
    twins[h] = opening;
    twins[opening] = h;
  }
}

/**
 * Creates a function from a vertex to its angle around the axis from `low` to `high`, counterclockwise seen from
 * `high`.
 */
function createAngleAround(positions: Float64Array, low: number, high: number): (vertex: number) => number {
  const from = (vertex: number) => [0, 1, 2].map((k) => positions[vertex * 3 + k] - positions[low * 3 + k]);
  const axis = from(high);
  const length = Math.hypot(...axis);
  const z = axis.map((part) => part / length);
  const x = perpendicularTo(z);
  const y = cross(z, x);
  return (vertex) => {
    const arm = from(vertex);
    return Math.atan2(dot(arm, y), dot(arm, x));
  };
}
