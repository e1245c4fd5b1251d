import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';

/** A torus round the z axis, 20 mm to the middle of the tube, 6 mm tube radius: 2 * rings * sides triangles. */
export function makeTorus(rings = 36, sides = 18): IndexedMesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  const at = (ring: number, side: number) => (ring % rings) * sides + (side % sides);
  for (let ring = 0; ring < rings; ring++) {
    for (let side = 0; side < sides; side++) {
      const [around, about] = [(2 * Math.PI * ring) / rings, (2 * Math.PI * side) / sides];
      const radius = 20 + 6 * Math.cos(about);
      positions.push(radius * Math.cos(around), radius * Math.sin(around), 6 * Math.sin(about));
      triangles.push(at(ring, side), at(ring + 1, side), at(ring + 1, side + 1));
      triangles.push(at(ring, side), at(ring + 1, side + 1), at(ring, side + 1));
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}
