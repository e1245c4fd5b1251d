import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';

/** Creates a torus around the z axis with radii of 20 mm and `tubeRadius`, and 2 * rings * sides triangles. */
export function makeTorus(rings = 36, sides = 18, tubeRadius = 6): IndexedMesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  const vertexAt = (ring: number, side: number) => (ring % rings) * sides + (side % sides);
  for (let ring = 0; ring < rings; ring++) {
    for (let side = 0; side < sides; side++) {
      const [ringAngle, sideAngle] = [(2 * Math.PI * ring) / rings, (2 * Math.PI * side) / sides];
      const radius = 20 + tubeRadius * Math.cos(sideAngle);
      positions.push(radius * Math.cos(ringAngle), radius * Math.sin(ringAngle), tubeRadius * Math.sin(sideAngle));
      triangles.push(vertexAt(ring, side), vertexAt(ring + 1, side), vertexAt(ring + 1, side + 1));
      triangles.push(vertexAt(ring, side), vertexAt(ring + 1, side + 1), vertexAt(ring, side + 1));
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}
