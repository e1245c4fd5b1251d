import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { type Bvh, buildBvh } from '../spatial/bvh.js';
import { castRayFrom } from '../spatial/cast-ray.js';
import { windingNumber } from '../spatial/winding-number.js';
import { buildEdges, type Edges } from '../topology/edges.js';
import { nextOf, previousOf, triangleOf } from '../topology/half-edge.js';
import { hasBalancedEdges } from '../topology/has-balanced-edges.js';
import type { RepairMesh, RepairStep, StepResult } from './step.js';

/**
 * Makes neighbours agree in winding. Patches grow over edges with two triangles; in each the winding of the larger area stays. Patches
 * that end at non-manifold edges are then held against the whole mesh by rays: outside is where a ray leaves an even number of times.
 */
export const ORIENT: RepairStep = { name: 'orient', run: orient };

function orient(mesh: RepairMesh): StepResult {
  const edges = edgesOf(mesh);
  const wasBalanced = hasBalancedEdges(mesh.triangles, edges);
  const neighbors = findNeighbors(edges, mesh.triangles.length);
  const isFlipped = new Uint8Array(mesh.triangles.length / 3);
  const patches = growPatches(mesh, neighbors, isFlipped);
  for (const patch of patches) if (isMostlyFlipped(mesh, patch, isFlipped)) for (const t of patch) isFlipped[t] ^= 1;
  let current = flipTriangles(mesh, isFlipped);
  const isAtNonManifold = markNonManifold(edges, mesh.triangles.length / 3);
  const ambiguousPatches =
    patches.length > 1 ? patches.filter((patch) => patch.some((t) => isAtNonManifold[t] === 1)) : [];
  if (ambiguousPatches.length > 0) {
    const tree = buildBvh(mesh.positions, mesh.triangles);
    for (const patch of ambiguousPatches) {
      if (facesInward(current, tree, patch, wasBalanced)) for (const t of patch) isFlipped[t] ^= 1;
    }
    current = flipTriangles(mesh, isFlipped);
    // What was sound stays so, or stays as it is.
    if (wasBalanced && !hasBalancedEdges(current.triangles, edgesOf(current))) return { mesh, changed: 0 };
  }
  const changed = isFlipped.reduce((sum, flag) => sum + flag, 0);
  return { mesh: changed > 0 ? { ...current, wasFlipped: isFlipped } : mesh, changed };
}

const edgesOf = ({ positions, triangles }: RepairMesh): Edges => buildEdges(triangles, positions.length / 3);

/** half-edge → the other half-edge of an edge with two triangles, whatever its direction; -1 elsewhere */
function findNeighbors({ order, starts }: Edges, halfEdgeCount: number): Int32Array {
  const neighbors = new Int32Array(halfEdgeCount).fill(-1);
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] !== 2) continue;
    const [a, b] = [order[starts[edge]], order[starts[edge] + 1]];
    neighbors[a] = b;
    neighbors[b] = a;
  }
  return neighbors;
}

/** Floods the mesh patch by patch, and says of each triangle whether it must turn to agree with the first of its patch. */
function growPatches({ triangles }: RepairMesh, neighbors: Int32Array, isFlipped: Uint8Array): Uint32Array[] {
  const triangleCount = triangles.length / 3;
  const isSeen = new Uint8Array(triangleCount);
  const queue = new Uint32Array(triangleCount); // all patches one after the other
  const patches: Uint32Array[] = [];
  let end = 0;
  for (let seed = 0; seed < triangleCount; seed++) {
    if (isSeen[seed] === 1) continue;
    const start = end;
    queue[end++] = seed;
    isSeen[seed] = 1;
    for (let index = start; index < end; index++) {
      const triangle = queue[index];
      for (let h = triangle * 3; h < triangle * 3 + 3; h++) {
        const other = neighbors[h];
        if (other < 0 || isSeen[triangleOf(other)] === 1) continue;
        const isSame = triangles[h] === triangles[other];
        isFlipped[triangleOf(other)] = isFlipped[triangle] ^ (isSame ? 1 : 0);
        isSeen[triangleOf(other)] = 1;
        queue[end++] = triangleOf(other);
      }
    }
    patches.push(queue.subarray(start, end));
  }
  return patches;
}

function isMostlyFlipped(mesh: RepairMesh, patch: Uint32Array, isFlipped: Uint8Array): boolean {
  let flippedMm2 = 0;
  let keptMm2 = 0;
  for (const triangle of patch) {
    const area = Math.hypot(...doubleAreaNormal(mesh.positions, mesh.triangles, triangle));
    if (isFlipped[triangle] === 1) flippedMm2 += area;
    else keptMm2 += area;
  }
  return flippedMm2 > keptMm2;
}

function markNonManifold({ order, starts }: Edges, triangleCount: number): Uint8Array {
  const marks = new Uint8Array(triangleCount);
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    if (starts[edge + 1] - starts[edge] <= 2) continue;
    for (let i = starts[edge]; i < starts[edge + 1]; i++) marks[triangleOf(order[i])] = 1;
  }
  return marks;
}

/**
 * Whether rays from the largest triangle of a patch say that its front is inside and its back outside. In doubt: no. Where the winding is sound
 * it is counted, since bodies that overlap would mislead a count of walls.
 */
function facesInward(mesh: RepairMesh, tree: Bvh, patch: Uint32Array, wasBalanced: boolean): boolean {
  const largest = patch.reduce((best, triangle) =>
    Math.hypot(...doubleAreaNormal(mesh.positions, mesh.triangles, triangle)) >
    Math.hypot(...doubleAreaNormal(mesh.positions, mesh.triangles, best))
      ? triangle
      : best,
  );
  const normal = doubleAreaNormal(mesh.positions, mesh.triangles, largest);
  if (Math.hypot(...normal) === 0) return false;
  const middle = [0, 1, 2].map((k) => {
    const corner = (i: number) => mesh.positions[mesh.triangles[largest * 3 + i] * 3 + k];
    return (corner(0) + corner(1) + corner(2)) / 3;
  });
  const isOther = (triangle: number) => triangle !== largest;
  if (wasBalanced) return windingNumber(mesh, tree, middle, normal, isOther) < 0;
  const front = castRayFrom(mesh, tree, middle, normal, isOther).length % 2;
  const back =
    castRayFrom(
      mesh,
      tree,
      middle,
      normal.map((part) => -part),
      isOther,
    ).length % 2;
  return front === 1 && back === 0;
}

function flipTriangles(mesh: RepairMesh, isFlipped: Uint8Array): RepairMesh {
  const triangles = mesh.triangles.slice();
  for (let triangle = 0; triangle < isFlipped.length; triangle++) {
    if (isFlipped[triangle] === 0) continue;
    triangles[nextOf(triangle * 3)] = mesh.triangles[previousOf(triangle * 3)];
    triangles[previousOf(triangle * 3)] = mesh.triangles[nextOf(triangle * 3)];
  }
  return { ...mesh, triangles };
}
