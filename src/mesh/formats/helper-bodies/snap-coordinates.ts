import type { MeshGeometry } from '../../core/mesh.js';
import { flipDegenerateTriangles } from '../../editing/flip-degenerate-triangles.js';
import { createMeshState } from '../../spatial/mesh-index.js';
import { compact } from '../../topology/compact.js';
import { toTaggedMesh } from '../../topology/tagged-mesh.js';
import { gatherPositions, weldPoints } from '../../welding/weld.js';

/**
 * Sets each coordinate of a mesh that is at most `toleranceMm` from one of the sources, along the same axis, to it.
 * Vertices that coincide then are merged, and triangles without an area removed where that is possible.
 */
export function snapCoordinates(
  { positions, triangles }: MeshGeometry,
  sources: readonly MeshGeometry[],
  toleranceMm: number,
): MeshGeometry {
  const snapped = positions.slice();
  for (let k = 0; k < 3; k++) {
    const known = listCoordinates(sources, k);
    for (let i = k; i < snapped.length; i += 3) {
      const nearest = findNearest(known, snapped[i]);
      if (Math.abs(nearest - snapped[i]) <= toleranceMm) snapped[i] = nearest;
    }
  }
  const { vertexOf, firstPoint } = weldPoints(snapped);
  const welded = triangles.map((vertex) => vertexOf[vertex]).filter((_, i, corners) => !hasEqualCorners(corners, i));
  const tagged = toTaggedMesh({ positions: gatherPositions(snapped, firstPoint), triangles: welded });
  const { mesh } = flipDegenerateTriangles(createMeshState(tagged)).state;
  return compact(mesh.positions, mesh.triangles);
}

/** Returns whether the triangle of the corner `i` has two equal corners. */
function hasEqualCorners(corners: Uint32Array, i: number): boolean {
  const first = i - (i % 3);
  const [a, b, c] = [corners[first], corners[first + 1], corners[first + 2]];
  return a === b || b === c || c === a;
}

/** Returns the coordinates along an axis in ascending order. */
function listCoordinates(sources: readonly MeshGeometry[], axis: number): Float64Array {
  const values = new Set<number>();
  for (const { positions } of sources) for (let i = axis; i < positions.length; i += 3) values.add(positions[i]);
  return Float64Array.from(values).sort();
}

/** Returns the value of an ascending list that is nearest to `value`, or infinity for an empty list. */
function findNearest(list: Float64Array, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  const [below, above] = [list[low - 1] ?? Number.NEGATIVE_INFINITY, list[low] ?? Number.POSITIVE_INFINITY];
  return value - below <= above - value ? below : above;
}
