import { groupTriangles, type Shells } from '../topology/shells.js';
import { type CornerRay, castRay, castRayAt } from './cast-ray.js';
import { createContainingBoxesQuery, emptyBoxes, expandBox } from './containing-boxes.js';
import type { MeshIndex } from './mesh-index.js';
import { isBehindTriangle } from './winding-number.js';

/** Closed shells of fewer triangles are two equal triangles back to back, and contain nothing. */
const MIN_CONTAINER_TRIANGLES = 4;
/** Up to this many triangles of other shells are tested one by one, without the BVH of the mesh. */
const MAX_LISTED_TRIANGLES = 2000;

/** The containment of closed shells in each other. */
export interface Nesting {
  /** shell → shells that contain it, in ascending order; empty if the shell is not closed */
  containers: number[][];
  /** shell → min x, y, z, max x, y, z; `min` is above `max` if the shell is not closed, or the only one */
  boxes: Float64Array;
}

/**
 * Finds the closed shells that contain each closed shell, by ray casting.
 *
 * A shell contains another if its box contains the other's box, and if its winding number at the first corner of the other
 * is not 0: a shell that crosses itself can enclose a point twice. For shells that intersect each other, the result depends
 * on this corner.
 *
 * @param isClosed shell → 1 if it is closed
 */
export function findNesting(index: MeshIndex, shells: Shells, isClosed: Uint8Array): Nesting {
  if (shells.count === 1) return { containers: [[]], boxes: emptyBoxes(1) };
  const { positions, triangles } = index.mesh;
  const trianglesOf = groupTriangles(shells);
  const boxes = emptyBoxes(shells.count); // boxes of open shells stay empty
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++) {
    const shell = shells.shellOf[triangle];
    if (isClosed[shell] === 0) continue;
    for (let i = triangle * 3; i < triangle * 3 + 3; i++) expandBox(boxes, shell, positions, triangles[i]);
  }
  const containerBoxes = boxes.slice();
  trianglesOf.forEach(({ length }, shell) => {
    if (length < MIN_CONTAINER_TRIANGLES) containerBoxes.set(emptyBoxes(1), shell * 6);
  });
  const visitContainingBoxes = createContainingBoxesQuery(containerBoxes);
  const containers = trianglesOf.map(([triangle], shell) => {
    if (isClosed[shell] === 0) return [];
    // Only a shell whose box contains the box can contain the shell. Most shells therefore need no ray.
    const candidates: number[] = [];
    const box = Array.from(boxes.subarray(shell * 6, shell * 6 + 6));
    visitContainingBoxes(box.slice(0, 3), box.slice(3), (other) => {
      if (other !== shell && isBoxWithin(boxes, shell, other)) candidates.push(other);
    });
    if (candidates.length === 0) return [];
    const windings = new Map<number, number>();
    const { from, hits } = castRayAtShells(index, triangle, candidates, shells, trianglesOf);
    for (const hit of hits) {
      const container = shells.shellOf[hit];
      const step = isBehindTriangle(index.mesh, hit, from) ? 1 : -1;
      windings.set(container, (windings.get(container) ?? 0) + step);
    }
    return candidates.filter((container) => (windings.get(container) ?? 0) !== 0).sort((a, b) => a - b);
  });
  return { containers, boxes };
}

/** Casts a ray from the first corner of a triangle at the candidates. */
function castRayAtShells(
  index: MeshIndex,
  triangle: number,
  candidates: readonly number[],
  { shellOf }: Shells,
  trianglesOf: readonly (readonly number[])[],
): CornerRay {
  const count = candidates.reduce((sum, candidate) => sum + trianglesOf[candidate].length, 0);
  if (count <= MAX_LISTED_TRIANGLES) {
    const listed = candidates.flatMap((candidate) => trianglesOf[candidate]);
    return castRayAt(index.mesh, index.bvh(), triangle, listed);
  }
  const isCandidate = new Set(candidates);
  return castRay(index.mesh, index.bvh(), triangle, (other) => isCandidate.has(shellOf[other]));
}

function isBoxWithin(boxes: Float64Array, inner: number, outer: number): boolean {
  for (let k = 0; k < 3; k++) {
    if (boxes[inner * 6 + k] < boxes[outer * 6 + k] || boxes[inner * 6 + 3 + k] > boxes[outer * 6 + 3 + k])
      return false;
  }
  return true;
}
