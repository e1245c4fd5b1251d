import type { Shells } from '../topology/shells.js';
import { castRay } from './cast-ray.js';
import type { MeshIndex } from './mesh-index.js';
import { createPointInBoxQuery, emptyBoxes, expandBox } from './point-in-box-query.js';

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
 * A shell contains another if its box contains the other's box, and if a ray from the first corner of the other crosses
 * it an odd number of times. For shells that intersect each other, the result depends on this corner.
 *
 * @param isClosed shell → 1 if it is closed
 */
export function findNesting(index: MeshIndex, shells: Shells, isClosed: Uint8Array): Nesting {
  if (shells.count === 1) return { containers: [[]], boxes: emptyBoxes(1) };
  const { mesh } = index;
  const { positions, triangles } = mesh;
  const firstTriangle = new Int32Array(shells.count).fill(-1);
  const boxes = emptyBoxes(shells.count); // boxes of open shells stay empty
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++) {
    const shell = shells.shellOf[triangle];
    if (firstTriangle[shell] < 0) firstTriangle[shell] = triangle;
    if (isClosed[shell] === 0) continue;
    for (let i = triangle * 3; i < triangle * 3 + 3; i++) expandBox(boxes, shell, positions, triangles[i]);
  }
  const findBoxesAt = createPointInBoxQuery(boxes);
  const containers = Array.from(firstTriangle, (triangle, shell) => {
    if (isClosed[shell] === 0) return [];
    // Only a shell whose box contains the corner can contain it. Most shells therefore need no ray.
    const corner = positions.subarray(triangles[triangle * 3] * 3);
    const candidates = new Set(
      findBoxesAt(corner).filter((other) => other !== shell && isBoxWithin(boxes, shell, other)),
    );
    if (candidates.size === 0) return [];
    const crossings = new Map<number, number>();
    for (const hit of castRay(mesh, index.bvh(), triangle, (other) => candidates.has(shells.shellOf[other]))) {
      const container = shells.shellOf[hit];
      crossings.set(container, (crossings.get(container) ?? 0) + 1);
    }
    return [...candidates].filter((container) => (crossings.get(container) ?? 0) % 2 === 1);
  });
  return { containers, boxes };
}

function isBoxWithin(boxes: Float64Array, inner: number, outer: number): boolean {
  for (let k = 0; k < 3; k++) {
    if (boxes[inner * 6 + k] < boxes[outer * 6 + k] || boxes[inner * 6 + 3 + k] > boxes[outer * 6 + 3 + k])
      return false;
  }
  return true;
}
