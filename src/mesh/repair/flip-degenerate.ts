import { distance } from '../geometry/distance.js';
import { areCollinear } from '../geometry/predicates.js';
import { buildEdges, findTwins, NO_TWIN } from '../topology/edges.js';
import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import type { RepairStep, StepResult } from './step.js';

/** A flip may enable further ones, which the next round makes. */
const MAX_ROUNDS = 16;

/**
 * The step `degenerate-triangles`. Removes triangles whose corners are exactly collinear, by an edge flip: the longest
 * side is replaced by the other diagonal of its two triangles. The surface does not move. `changed` counts flips.
 */
export const FLIP_DEGENERATE: RepairStep = { name: 'degenerate-triangles', run: flipDegenerateTriangles };

function flipDegenerateTriangles(mesh: TaggedMesh): StepResult {
  const { positions } = mesh;
  const triangles = mesh.triangles.slice();
  let changed = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const degenerate = findCollinearTriangles(positions, triangles);
    if (degenerate.length === 0) break;
    const edges = buildEdges(triangles, positions.length / 3);
    const twins = findTwins(triangles, edges);
    const existingEdges = new Set<number>();
    for (let h = 0; h < triangles.length; h++) existingEdges.add(edgeKey(triangles, h, positions.length / 3));
    const touched = new Set<number>(); // triangles whose twins changed in this round
    let flips = 0;
    for (const triangle of degenerate)
      if (tryFlip(positions, triangles, triangle, twins, existingEdges, touched)) flips++;
    if (flips === 0) break;
    changed += flips;
  }
  return changed > 0 ? { mesh: { ...mesh, triangles }, changed } : { mesh, changed };
}

function findCollinearTriangles(positions: Float64Array, triangles: Uint32Array): number[] {
  const degenerate: number[] = [];
  for (let offset = 0; offset < triangles.length; offset += 3) {
    if (areCollinear(positions, triangles[offset], triangles[offset + 1], triangles[offset + 2]))
      degenerate.push(offset / 3);
  }
  return degenerate;
}

function edgeKey(triangles: Uint32Array, h: number, vertexCount: number): number {
  return triangles[h] * vertexCount + triangles[nextOf(h)];
}

/**
 * Flips the longest side of a degenerate triangle, if both new triangles have area and the new edge does not exist yet.
 */
function tryFlip(
  positions: Float64Array,
  triangles: Uint32Array,
  triangle: number,
  twins: Int32Array,
  existingEdges: Set<number>,
  touched: Set<number>,
): boolean {
  const h = longestHalfEdge(positions, triangles, triangle);
  const twin = twins[h];
  if (twin === NO_TWIN) return false;
  const other = triangleOf(twin);
  if (touched.has(triangle) || touched.has(other)) return false;
  const [a, b, c] = [triangles[h], triangles[nextOf(h)], triangles[previousOf(h)]];
  const d = triangles[previousOf(twin)];
  const vertexCount = positions.length / 3;
  if (existingEdges.has(c * vertexCount + d) || existingEdges.has(d * vertexCount + c)) return false;
  if (areCollinear(positions, a, d, c) || areCollinear(positions, d, b, c)) return false;
  triangles.set([a, d, c], triangle * 3);
  triangles.set([d, b, c], other * 3);
  existingEdges.add(c * vertexCount + d).add(d * vertexCount + c);
  touched.add(triangle).add(other);
  return true;
}

function longestHalfEdge(positions: Float64Array, triangles: Uint32Array, triangle: number): number {
  const lengths = [0, 1, 2].map((side) => {
    const h = triangle * 3 + side;
    return distance(positions, triangles[h], triangles[nextOf(h)]);
  });
  return triangle * 3 + lengths.indexOf(Math.max(...lengths));
}
