import { computeBounds } from '../analysis/measure.js';
import type { IndexedMesh } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';

/** An axis of space. */
export type Axis = 'x' | 'y' | 'z';

/**
 * Makes a mesh larger or smaller, alike along all axes and about the origin, so that its box has this size along one of them. Throws
 * `SIZE_ZERO` where it has none there, or one too small to be made that large.
 */
export function scaleToSize(mesh: IndexedMesh, axis: Axis, sizeMm: number): IndexedMesh {
  const { min, max } = computeBounds(mesh.positions);
  const k = { x: 0, y: 1, z: 2 }[axis];
  const factor = sizeMm / (max[k] - min[k]);
  const positions = mesh.positions.map((value) => value * factor);
  if (!(factor < Number.POSITIVE_INFINITY) || !positions.every(Number.isFinite)) {
    const message = `The model measures ${max[k] - min[k]} mm along ${axis}: it cannot be scaled to ${sizeMm} mm there`;
    throw new MeshError('SIZE_ZERO', message);
  }
  return { ...mesh, positions };
}
