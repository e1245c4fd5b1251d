import type { MeshGeometry } from '../core/mesh.js';
import { completeBasis, subtract } from '../core/vec3.js';

/** Sides of the prism that approximates a cylinder. Its area is 1 % below that of the cylinder. */
const SIDES = 24;
/** Any angle: the edges of models are rarely at it. */
const FIRST_ANGLE = 0.1234;

/** Creates a closed prism of 24 sides that faces outward, around the axis from one point to another. */
export function createCylinder(from: readonly number[], to: readonly number[], radiusMm: number): MeshGeometry {
  const axis = subtract(to, from);
  const length = Math.hypot(...axis);
  const [u, v] = completeBasis(axis.map((part) => part / length));
  const positions = [...from, ...to];
  const triangles: number[] = [];
  for (let side = 0; side < SIDES; side++) {
    const angle = FIRST_ANGLE + (2 * Math.PI * side) / SIDES;
    const offset = u.map((part, k) => radiusMm * (part * Math.cos(angle) + v[k] * Math.sin(angle)));
    positions.push(...offset.map((part, k) => from[k] + part), ...offset.map((part, k) => to[k] + part));
    const [a, b] = [2 + side * 2, 2 + ((side + 1) % SIDES) * 2];
    triangles.push(0, b, a, 1, a + 1, b + 1, a, b, b + 1, a, b + 1, a + 1);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}
