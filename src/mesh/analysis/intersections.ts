import type { IndexedMesh } from '../mesh.js';
import { meetingOf } from '../spatial/triangle-pair.js';
import { LEAF_SIZE, type TriangleTree } from '../spatial/triangle-tree.js';

// A clean mesh needs about eight tests a triangle. The limit bounds the time for models made to take forever.
const TESTS_PER_TRIANGLE = 300;
const LEAST_TESTS = 20_000_000;

/** What an exact check of all pairs of triangles found. */
export interface Intersections {
  /** triangle → 1 where it crosses or touches another other than along shared edges or vertices */
  isIntersecting: Uint8Array;
  /** triangle → 1 where it shares area (or an edge by place, not by number) with another in its plane */
  isOverlapping: Uint8Array;
  /** False where there were too many pairs close together to test them all: the marks are then a part of the truth. */
  isComplete: boolean;
}

/** Finds the intersecting and overlapping triangles, exactly. Triangles without area are left to the count of degenerate ones. */
export function findIntersections(mesh: IndexedMesh, tree: TriangleTree): Intersections {
  const triangleCount = mesh.triangles.length / 3;
  const found: Intersections = {
    isIntersecting: new Uint8Array(triangleCount),
    isOverlapping: new Uint8Array(triangleCount),
    isComplete: true,
  };
  if (triangleCount === 0) return found;
  let testsLeft = Math.max(LEAST_TESTS, triangleCount * TESTS_PER_TRIANGLE);
  const { leafBase, nodeBoxes } = tree;
  // Pairs of nodes still to compare, both on the same level of the tree. A pair of a node with itself opens it.
  const stack = [1, 1];
  while (stack.length > 0) {
    const b = stack.pop() ?? 0; // never empty here: entries come in pairs
    const a = stack.pop() ?? 0;
    if (a !== b && !boxesMeet(nodeBoxes, a * 6, nodeBoxes, b * 6)) continue;
    if (a >= leafBase) {
      testsLeft -= comparePlaces(mesh, tree, a - leafBase, b - leafBase, found);
      if (testsLeft < 0) return { ...found, isComplete: false };
    } else if (a === b) stack.push(a * 2, a * 2, a * 2 + 1, a * 2 + 1, a * 2, a * 2 + 1);
    else stack.push(a * 2, b * 2, a * 2, b * 2 + 1, a * 2 + 1, b * 2, a * 2 + 1, b * 2 + 1);
  }
  return found;
}

/** Tests the triangles of two leaves (or of one, with itself) against each other; returns how many pairs were tested. */
function comparePlaces(mesh: IndexedMesh, tree: TriangleTree, a: number, b: number, found: Intersections): number {
  const { order, boxes } = tree;
  const endA = Math.min(order.length, (a + 1) * LEAF_SIZE);
  const endB = Math.min(order.length, (b + 1) * LEAF_SIZE);
  let tests = 0;
  for (let i = a * LEAF_SIZE; i < endA; i++) {
    for (let j = a === b ? i + 1 : b * LEAF_SIZE; j < endB; j++) {
      tests++;
      if (!boxesMeet(boxes, i * 6, boxes, j * 6)) continue;
      const meeting = meetingOf(mesh.positions, mesh.triangles, order[i], order[j]);
      if (meeting === 'none') continue;
      const marks = meeting === 'cross' ? found.isIntersecting : found.isOverlapping;
      marks[order[i]] = 1;
      marks[order[j]] = 1;
    }
  }
  return tests;
}

function boxesMeet(a: Float32Array, i: number, b: Float32Array, j: number): boolean {
  return (
    a[i] <= b[j + 3] &&
    a[i + 3] >= b[j] &&
    a[i + 1] <= b[j + 4] &&
    a[i + 4] >= b[j + 1] &&
    a[i + 2] <= b[j + 5] &&
    a[i + 5] >= b[j + 2]
  );
}
