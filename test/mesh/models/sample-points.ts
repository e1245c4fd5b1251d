import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { doubleAreaNormal } from '../../../src/mesh/geometry/double-area-normal.js';

/** Calls `visit` with `count` points, distributed evenly by area (a low-discrepancy sequence). Deterministic. */
export function samplePoints(
  { positions, triangles }: IndexedMesh,
  count: number,
  visit: (x: number, y: number, z: number) => void,
): void {
  const areas = new Float64Array(triangles.length / 3); // triangle → total area up to it
  let totalArea = 0;
  for (let triangle = 0; triangle < areas.length; triangle++) {
    totalArea += Math.hypot(...doubleAreaNormal(positions, triangles, triangle)) / 2;
    areas[triangle] = totalArea;
  }
  let triangle = 0;
  for (let point = 0; point < count; point++) {
    while (triangle + 1 < areas.length && (areas[triangle] ?? 0) < ((point + 0.5) / count) * totalArea) triangle++;
    let [u, v] = [(point * 0.7548776662466927) % 1, (point * 0.5698402909980532) % 1];
    if (u + v > 1) [u, v] = [1 - u, 1 - v];
    const at = (k: number) => {
      const corner = (i: number) => positions[(triangles[triangle * 3 + i] ?? 0) * 3 + k] ?? 0;
      return corner(0) + u * (corner(1) - corner(0)) + v * (corner(2) - corner(0));
    };
    visit(at(0), at(1), at(2));
  }
}
