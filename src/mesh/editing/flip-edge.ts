import type { EditableMesh } from './editable-mesh.js';

/**
 * Turns an edge of a triangle, given in the order in which that walks it, to the other diagonal of the two triangles there, where the surface goes
 * no farther than `maxGapMm` by that and less is wrong then. Answers whether it did.
 */
export function tryFlipEdge(surface: EditableMesh, triangle: number, a: number, b: number, maxGapMm: number): boolean {
  const other = surface.oneRingOf(a).find((near) => near !== triangle && surface.cornersOf(near).includes(b));
  if (other === undefined) return false;
  const [c, d] = [triangle, other].map((of) => [...surface.cornersOf(of)].find((v) => v !== a && v !== b) ?? a);
  if (c === d || surface.neighborsOf(c).includes(d) || distanceBetweenLines(surface.positions, a, b, c, d) > maxGapMm)
    return false;
  return surface.tryEdit(surface.createEditRegion([triangle, other]), () => {
    surface.setCorners(triangle, [a, d, c]);
    surface.setCorners(other, [d, b, c]);
  });
}

/** How far the lines a b and c d pass each other. */
function distanceBetweenLines(p: Float64Array, a: number, b: number, c: number, d: number): number {
  const [u, v, w] = [
    [a, b],
    [c, d],
    [a, c],
  ].map(([from, to]) => [0, 1, 2].map((k) => p[to * 3 + k] - p[from * 3 + k]));
  const across = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...across);
  return length > 0 ? Math.abs(across[0] * w[0] + across[1] * w[1] + across[2] * w[2]) / length : 0;
}
