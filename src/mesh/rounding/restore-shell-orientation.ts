import type { MeshGeometry } from '../core/mesh.js';
import { reverseWinding } from '../topology/reverse-winding.js';
import { findTwinShells } from '../topology/shells.js';

/**
 * Reverses the shells that were inverted by moving vertices, which happens to shells thinner than a float32 ulp.
 * Compares the signs of the volumes before and after.
 *
 * @param after the moved mesh, with the same triangle indices as `before`
 * @param twins half-edge → twin, of `before`
 * @param isRemoved triangle → 1 if `after` does not have it any more. Default: none.
 * @returns the triangles of `after`; the array itself if no shell was inverted
 */
export function restoreShellOrientation(
  before: MeshGeometry,
  after: MeshGeometry,
  twins: Int32Array,
  isRemoved?: Uint8Array,
): Uint32Array {
  const { shellOf, count } = findTwinShells(twins);
  const volumes = computeShellVolumes(before, shellOf, count);
  const volumesAfter = computeShellVolumes(after, shellOf, count, isRemoved);
  if (!volumes.some((volume, shell) => volume * volumesAfter[shell] < 0)) return after.triangles;
  const triangles = after.triangles.slice();
  for (let triangle = 0; triangle < shellOf.length; triangle++) {
    const shell = shellOf[triangle];
    if (volumes[shell] * volumesAfter[shell] < 0) reverseWinding(triangles, triangle);
  }
  return triangles;
}

/**
 * Computes six times the signed volume of each shell (shell → volume), relative to its first corner. Small shells
 * thereby keep their sign far from the origin.
 */
function computeShellVolumes(
  { positions: p, triangles }: MeshGeometry,
  shellOf: Uint32Array,
  count: number,
  isRemoved?: Uint8Array,
): Float64Array {
  const volumes = new Float64Array(count);
  const origins = new Int32Array(count).fill(-1);
  for (let triangle = 0; triangle < shellOf.length; triangle++) {
    if (isRemoved?.[triangle] === 1) continue;
    const shell = shellOf[triangle];
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    if (origins[shell] < 0) origins[shell] = a;
    const o = origins[shell];
    const bx = p[b] - p[o];
    const by = p[b + 1] - p[o + 1];
    const bz = p[b + 2] - p[o + 2];
    const cx = p[c] - p[o];
    const cy = p[c + 1] - p[o + 1];
    const cz = p[c + 2] - p[o + 2];
    const termX = (p[a] - p[o]) * (by * cz - bz * cy);
    const termY = (p[a + 1] - p[o + 1]) * (bz * cx - bx * cz);
    const termZ = (p[a + 2] - p[o + 2]) * (bx * cy - by * cx);
    volumes[shell] += termX + termY + termZ;
  }
  return volumes;
}
