import { orient2d } from 'robust-predicates';
import type { IndexedMesh } from '../mesh.js';
import { createMeetingTest } from './meeting.js';
import { buildTriangleTree, visitClosePairs } from './triangle-tree.js';

/** Pairs of triangles looked at, for each triangle of the mesh: closed surfaces need about 12. */
const MAX_PAIRS_PER_TRIANGLE = 400;

/** Which triangles of a mesh cross or overlap others. */
export interface Intersections {
  /** Triangles that cross or touch another beyond the vertices they share, in rising order. */
  crossing: Uint32Array;
  /** Triangles that lie in one plane with another and share area with it, in rising order. */
  overlapping: Uint32Array;
  /** False where the search was given up: nearly everything lies in one place. Then more may be there. */
  isComplete: boolean;
}

const CROSSES = 1;
const OVERLAPS = 2;

/**
 * Finds every triangle that meets another other than along shared vertices and edges; exact. Triangles without area are passed over.
 * Vertices must be welded: two of the same place count as touching.
 */
export function findIntersections(mesh: IndexedMesh): Intersections {
  const triangleCount = mesh.triangles.length / 3;
  const isFlat = flatTriangles(mesh);
  const meetingOf = createMeetingTest(mesh);
  const marks = new Uint8Array(triangleCount);
  let pairsLeft = triangleCount * MAX_PAIRS_PER_TRIANGLE;
  if (triangleCount > 1)
    visitClosePairs(mesh, buildTriangleTree(mesh), (a, b) => {
      if (--pairsLeft < 0) return false;
      if (isFlat[a] || isFlat[b]) return true;
      const meeting = meetingOf(a, b);
      if (meeting !== 'apart') {
        const mark = meeting === 'crossing' ? CROSSES : OVERLAPS;
        marks[a] |= mark;
        marks[b] |= mark;
      }
      return true;
    });
  const marked = (mark: number) => Uint32Array.from(marks.keys()).filter((triangle) => (marks[triangle] & mark) !== 0);
  return { crossing: marked(CROSSES), overlapping: marked(OVERLAPS), isComplete: pairsLeft >= 0 };
}

/** triangle → 1 where two of its corners are one vertex, or all three lie on a line. */
function flatTriangles({ positions: p, triangles }: IndexedMesh): Uint8Array {
  const isFlat = new Uint8Array(triangles.length / 3);
  for (let triangle = 0; triangle < isFlat.length; triangle++) {
    const [a, b, c] = [triangles[triangle * 3] * 3, triangles[triangle * 3 + 1] * 3, triangles[triangle * 3 + 2] * 3];
    const isLine = (x: number, y: number) => orient2d(p[a + x], p[a + y], p[b + x], p[b + y], p[c + x], p[c + y]) === 0;
    if (isLine(0, 1) && isLine(1, 2) && isLine(2, 0)) isFlat[triangle] = 1;
  }
  return isFlat;
}
