import { type Edges, findTwins } from './edges.js';
import { nextOf, previousOf } from './half-edge.js';

/**
 * Twins as `findTwins` gives them, and also at non-manifold edges: there the triangles are sorted round the edge, and each that opens a
 * wedge of material is paired with the one that closes it, so that bodies which touch along an edge are taken for separate ones.
 * What finds no partner is left without a twin.
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
  // Seen along low → high, a triangle that walks it upward has its material at smaller angles: it closes a wedge. One that walks it
  // downward opens one. Where both lie at the same angle the closing one comes first, or they would enclose nothing.
  const sides = Array.from(halfEdges, (h) => {
    return { h, isClosing: triangles[h] === low, angle: angleOf(triangles[previousOf(h)]) };
  }).sort((a, b) => a.angle - b.angle || Number(b.isClosing) - Number(a.isClosing) || a.h - b.h);
  const open: number[] = [];
  // Twice round, since the wedge that is open at the end closes after the start.
  for (const { h, isClosing } of [...sides, ...sides]) {
    if (twins[h] >= 0) continue;
    if (!isClosing) {
      if (!open.includes(h)) open.push(h);
      continue;
    }
    const opening = open.pop();
    if (opening === undefined) continue;
    twins[h] = opening;
    twins[opening] = h;
  }
}

/** A function from a vertex to its angle round the axis low → high, counter-clockwise seen from its tip. */
function createAngleAround(positions: Float64Array, low: number, high: number): (vertex: number) => number {
  const from = (vertex: number) => [0, 1, 2].map((k) => positions[vertex * 3 + k] - positions[low * 3 + k]);
  const axis = from(high);
  const length = Math.hypot(...axis);
  const z = axis.map((part) => part / length);
  const min = z.map(Math.abs).indexOf(Math.min(...z.map(Math.abs)));
  const x = cross(
    z,
    [0, 1, 2].map((k) => (k === min ? 1 : 0)),
  );
  const y = cross(z, x);
  return (vertex) => {
    const arm = from(vertex);
    return Math.atan2(dot(arm, y), dot(arm, x));
  };
}

const dot = (u: readonly number[], v: readonly number[]): number => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];

const cross = (u: readonly number[], v: readonly number[]): number[] => [
  u[1] * v[2] - u[2] * v[1],
  u[2] * v[0] - u[0] * v[2],
  u[0] * v[1] - u[1] * v[0],
];
