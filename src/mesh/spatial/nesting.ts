import type { IndexedMesh } from '../mesh.js';
import type { Shells } from '../topology/shells.js';
import { castRay } from './cast-ray.js';
import type { TriangleTree } from './triangle-tree.js';

/** Which shells lie inside which. */
export interface Nesting {
  /** shell → shells round it, in ascending order */
  containers: number[][];
}

/**
 * Finds for each shell the closed shells that lie round its first vertex: those that a ray from there leaves an odd number of times.
 * Shells that cross each other have no true answer, and get that of this vertex.
 */
export function findNesting(
  mesh: Pick<IndexedMesh, 'positions' | 'triangles'>,
  shells: Shells,
  tree: TriangleTree,
): Nesting {
  const containers: number[][] = [];
  const firstTriangle = new Int32Array(shells.count).fill(-1);
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++) {
    if (firstTriangle[shells.shellOf[triangle]] < 0) firstTriangle[shells.shellOf[triangle]] = triangle;
  }
  for (let shell = 0; shell < shells.count; shell++) {
    const crossings = new Map<number, number>();
    if (shells.count > 1) {
      for (const triangle of castRay(mesh, tree, firstTriangle[shell], (hit) => shells.shellOf[hit] !== shell)) {
        const hit = shells.shellOf[triangle];
        crossings.set(hit, (crossings.get(hit) ?? 0) + 1);
      }
    }
    const odd = [...crossings].filter(([, count]) => count % 2 === 1).map(([container]) => container);
    containers.push(odd.sort((a, b) => a - b));
  }
  return { containers };
}
