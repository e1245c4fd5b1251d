import { GrowableFloat64Array } from '../core/growable-float64-array.js';
import type { IndexedMesh } from '../core/mesh.js';
import { pairKey } from '../core/pair-key.js';

/** A mesh whose triangles subdivide those of another mesh. */
export interface SubdividedMesh extends IndexedMesh {
  /** triangle → the triangle of the original mesh that contains it */
  sourceOf: Uint32Array;
  /** triangle → the triangle of the mesh before the last subdivision that contains it */
  parentOf: Uint32Array;
}

/**
 * Splits the sides of marked triangles that are longer than `maxSideMm` at their midpoints. Each triangle is split into
 * one more than it has split sides. All sides stay shared, so that a closed mesh stays closed. `isMarked`: triangle → 1
 * if it is marked.
 */
export function subdivideTriangles(
  { positions, triangles, sourceOf }: SubdividedMesh,
  isMarked: Uint8Array,
  maxSideMm: number,
): SubdividedMesh {
  const midpoints = new Map<number, number>(); // edge key → the vertex at its midpoint
  const added = new GrowableFloat64Array();
  const vertexCount = positions.length / 3;
  const keyOf = (a: number, b: number): number => pairKey(a, b, vertexCount);
  for (let triangle = 0; triangle < isMarked.length; triangle++) {
    if (isMarked[triangle] === 0) continue;
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangles[triangle * 3 + k], triangles[triangle * 3 + ((k + 1) % 3)]];
      if (squaredLength(positions, a, b) <= maxSideMm * maxSideMm || midpoints.has(keyOf(a, b))) continue;
      midpoints.set(keyOf(a, b), vertexCount + added.length / 3);
      for (let axis = 0; axis < 3; axis++) added.push(positions[a * 3 + axis] / 2 + positions[b * 3 + axis] / 2);
    }
  }
  const corners: number[] = [];
  const sources: number[] = [];
  const parents: number[] = [];
  for (let triangle = 0; triangle < isMarked.length; triangle++) {
    const [a, b, c] = triangles.subarray(triangle * 3, triangle * 3 + 3);
    const parts = subdivide(
      [a, b, c],
      [midpoints.get(keyOf(a, b)), midpoints.get(keyOf(b, c)), midpoints.get(keyOf(c, a))],
    );
    for (const corner of parts) corners.push(corner);
    for (let i = 0; i < parts.length; i += 3) {
      sources.push(sourceOf[triangle]);
      parents.push(triangle);
    }
  }
  const all = new Float64Array(positions.length + added.length);
  all.set(positions);
  all.set(added.values(), positions.length);
  return {
    positions: all,
    triangles: Uint32Array.from(corners),
    sourceOf: Uint32Array.from(sources),
    parentOf: Uint32Array.from(parents),
  };
}

function squaredLength(positions: Float64Array, a: number, b: number): number {
  const dx = positions[a * 3] - positions[b * 3];
  const dy = positions[a * 3 + 1] - positions[b * 3 + 1];
  const dz = positions[a * 3 + 2] - positions[b * 3 + 2];
  return dx * dx + dy * dy + dz * dz;
}

/** The vertex at the midpoint of a side, or `undefined` if the side is not split. */
type Midpoint = number | undefined;

/** Returns the parts of a triangle, given the midpoints of its sides a b, b c and c a. */
function subdivide(
  [a, b, c]: readonly [number, number, number],
  [ab, bc, ca]: readonly [Midpoint, Midpoint, Midpoint],
): number[] {
  if (ab !== undefined && bc !== undefined && ca !== undefined) return [a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca];
  // Rotate until the first side is split and, if two sides are split, the second is the next one.
  if (ab === undefined || (ca !== undefined && bc === undefined)) {
    return ab === undefined && bc === undefined && ca === undefined ? [a, b, c] : subdivide([b, c, a], [bc, ca, ab]);
  }
  if (bc === undefined) return [a, ab, c, ab, b, c];
  return [ab, b, bc, a, ab, bc, a, bc, c];
}
