import { orient3d } from 'robust-predicates';
import type { IndexedMesh } from '../mesh.js';
import { createPlaneTest } from './meeting-in-plane.js';

/** How two triangles meet beyond the vertices they share. */
export type Meeting = 'apart' | 'crossing' | 'overlapping';

/**
 * Makes a test of two triangles of a mesh, by their numbers, that is exact whatever the rounding (Shewchuk, "Adaptive Precision
 * Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997).
 *
 * Triangles that touch at a shared vertex, or along the edge between two, are apart. Vertices are shared by number: two vertices in
 * the same place touch. `crossing`: they have another point in common; `overlapping`: they lie in one plane and share area.
 * Both triangles must have an area.
 */
export function createMeetingTest({ positions: p, triangles }: IndexedMesh): (a: number, b: number) => Meeting {
  const meetInPlane = createPlaneTest(p);
  // Corners of either triangle, the shared ones last: index → vertex.
  const va = [0, 0, 0];
  const vb = [0, 0, 0];

  const volume = (u: number, v: number, w: number, x: number): number =>
    orient3d(
      p[u * 3],
      p[u * 3 + 1],
      p[u * 3 + 2],
      p[v * 3],
      p[v * 3 + 1],
      p[v * 3 + 2],
      p[w * 3],
      p[w * 3 + 1],
      p[w * 3 + 2],
      p[x * 3],
      p[x * 3 + 1],
      p[x * 3 + 2],
    );

  /** Where the first `count` corners lie to a plane: 1 or -1 all on that side, 0 all in it, 2 otherwise. */
  const placeOf = (corners: readonly number[], count: number, plane: readonly number[]): number => {
    let place = 3;
    for (let i = 0; i < count; i++) {
      const side = Math.sign(volume(plane[0], plane[1], plane[2], corners[i]));
      if (place !== 3 && side !== place) return 2;
      place = side;
    }
    return place;
  };

  // An edge in the triangle's plane is left to the other edges, which end where it does.
  const doesEdgeMeet = (from: number, to: number, [u, v, w]: readonly number[]): boolean => {
    const above = volume(u, v, w, from);
    const below = volume(u, v, w, to);
    if ((above > 0 && below > 0) || (above < 0 && below < 0) || (above === 0 && below === 0)) return false;
    const first = volume(from, to, u, v);
    const second = volume(from, to, v, w);
    const third = volume(from, to, w, u);
    return (first >= 0 && second >= 0 && third >= 0) || (first <= 0 && second <= 0 && third <= 0);
  };

  // Two triangles of different planes meet along a line that ends on an edge of one within the other. With a shared vertex at
  // one end, the other end lies on an edge across from it: the one between the two corners that are not shared.
  const doesAnyEdgeMeet = (corners: readonly number[], freeCount: number, other: readonly number[]): boolean =>
    doesEdgeMeet(corners[0], corners[1], other) ||
    (freeCount === 3 && (doesEdgeMeet(corners[1], corners[2], other) || doesEdgeMeet(corners[2], corners[0], other)));

  return (a, b) => {
    const sharedCount = loadCorners(triangles, a, b, va, vb);
    if (sharedCount === 3) return 'overlapping';
    const freeCount = 3 - sharedCount;
    const placeOfB = placeOf(vb, freeCount, va);
    if (placeOfB === 1 || placeOfB === -1) return 'apart';
    if (placeOfB === 0) return meetInPlane(va, vb, freeCount);
    const placeOfA = placeOf(va, freeCount, vb);
    if (placeOfA === 1 || placeOfA === -1) return 'apart';
    return doesAnyEdgeMeet(va, freeCount, vb) || doesAnyEdgeMeet(vb, freeCount, va) ? 'crossing' : 'apart';
  };
}

/** Fills in the corners of both triangles, the shared ones last; answers how many are shared. */
function loadCorners(triangles: Uint32Array, a: number, b: number, va: number[], vb: number[]): number {
  for (let corner = 0; corner < 3; corner++) {
    va[corner] = triangles[a * 3 + corner];
    vb[corner] = triangles[b * 3 + corner];
  }
  let end = 3;
  for (let i = 2; i >= 0; i--) {
    const j = vb.indexOf(va[i]);
    if (j < 0 || j >= end) continue;
    end--;
    swap(va, i, end);
    swap(vb, j, end);
  }
  return 3 - end;
}

function swap(values: number[], i: number, j: number): void {
  const value = values[i];
  values[i] = values[j];
  values[j] = value;
}
