import type { IndexedMesh, MeshGeometry } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { computeBounds } from '../geometry/bounds.js';

/** A coordinate axis. */
export type Axis = 'x' | 'y' | 'z';

/** Returns the factor by which `scaleToSize` scales. Infinite if the size along the axis is zero. */
export function findScaleFactor({ positions }: MeshGeometry, axis: Axis, sizeMm: number): number {
  const { min, max } = computeBounds(positions);
  const k = { x: 0, y: 1, z: 2 }[axis];
  return sizeMm / (max[k] - min[k]);
}

/**
 * Scales a mesh uniformly about the origin, so that its bounds have the size `sizeMm` along `axis`.
 *
 * @throws MeshError `SIZE_ZERO` if the size along the axis is zero, or so small that the coordinates would overflow
 */
export function scaleToSize(mesh: IndexedMesh, axis: Axis, sizeMm: number): IndexedMesh {
  const factor = findScaleFactor(mesh, axis, sizeMm);
  const positions = mesh.positions.map((value) => value * factor);
  if (!(factor < Number.POSITIVE_INFINITY) || !positions.every(Number.isFinite)) {
    const reason = `it measures ${sizeMm / factor} mm there`;
    const message = `Could not scale the model to ${sizeMm} mm along ${axis}: ${reason}. Choose another axis.`;
    throw new MeshError('SIZE_ZERO', message);
  }
  return { ...mesh, positions };
}
