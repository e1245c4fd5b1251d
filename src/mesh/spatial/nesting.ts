import type { MeshGeometry } from '../core/mesh.js';
import type { Shells } from '../topology/shells.js';
import type { Bvh } from './bvh.js';
import { castRay } from './cast-ray.js';
import { createPointInBoxQuery, emptyBoxes, expandBox } from './point-in-box-query.js';

/** Which shells lie inside which. */
export interface Nesting {
  /** shell → shells round it, in ascending order; none where it was not asked for */
  containers: number[][];
  /** shell → min x, y, z, max x, y, z; of one that is not closed, or the only one, `min` is above `max` */
  boxes: Float64Array;
}

/**
 * Finds for each closed shell (`isClosed`: shell → 1) the closed shells that lie round its first vertex: those that a ray from there
 * leaves an odd number of times, and whose box holds its box. Shells that cross each other have no true answer, and get that of this vertex.
 */
export function findNesting(mesh: MeshGeometry, shells: Shells, isClosed: Uint8Array, tree: Bvh): Nesting {
  if (shells.count === 1) return { containers: [[]], boxes: emptyBoxes(1) };
  const { positions, triangles } = mesh;
  const firstTriangle = new Int32Array(shells.count).fill(-1);
  const boxes = emptyBoxes(shells.count); // those of shells that are not closed stay empty
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++) {
    const shell = shells.shellOf[triangle];
    if (firstTriangle[shell] < 0) firstTriangle[shell] = triangle;
    if (isClosed[shell] === 0) continue;
    for (let i = triangle * 3; i < triangle * 3 + 3; i++) expandBox(boxes, shell, positions, triangles[i]);
  }
  const findAround = createPointInBoxQuery(boxes);
  const containers = Array.from(firstTriangle, (triangle, shell) => {
    if (isClosed[shell] === 0) return [];
    // Only a shell whose box the vertex lies in can be round it: most shells need no ray.
    const corner = positions.subarray(triangles[triangle * 3] * 3);
    const candidates = new Set(
      findAround(corner).filter((other) => other !== shell && isBoxWithin(boxes, shell, other)),
    );
    if (candidates.size === 0) return [];
    const crossings = new Map<number, number>();
    for (const hit of castRay(mesh, tree, triangle, (wall) => candidates.has(shells.shellOf[wall]))) {
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
