import type { MeshGeometry } from '../core/mesh.js';
import { findTwinShells } from '../topology/shells.js';

/**
 * The triangles of `after`, with shells turned back that moving its vertices turned inside out: those thinner than a step of float32. Both have
 * the same triangles by number; `twins` are those of `before`, and `isRemoved` marks triangles that `after` has no longer. Where no shell is
 * turned, the array itself.
 */
export function restoreShellOrientation(
  before: MeshGeometry,
  after: MeshGeometry,
  twins: Int32Array,
  isGone?: Uint8Array,
): Uint32Array {
  const { shellOf, count } = findTwinShells(twins);
  const volumes = signedShellVolumes(before, shellOf, count);
  const volumesAfter = signedShellVolumes(after, shellOf, count, isGone);
  if (!volumes.some((volume, shell) => volume * volumesAfter[shell] < 0)) return after.triangles;
  const triangles = after.triangles.slice();
  for (let triangle = 0; triangle < shellOf.length; triangle++) {
    const shell = shellOf[triangle];
    if (volumes[shell] * volumesAfter[shell] >= 0) continue;
    const second = triangles[triangle * 3 + 1];
    triangles[triangle * 3 + 1] = triangles[triangle * 3 + 2];
    triangles[triangle * 3 + 2] = second;
  }
  return triangles;
}

/** shell → six times its signed volume, taken from its first corner: small shells keep their sign however far they are from others. */
function signedShellVolumes(
  { positions: p, triangles }: MeshGeometry,
  shellOf: Uint32Array,
  count: number,
  isGone?: Uint8Array,
): Float64Array {
  const volumes = new Float64Array(count);
  const origins = new Int32Array(count).fill(-1);
  for (let triangle = 0; triangle < shellOf.length; triangle++) {
    if (isGone?.[triangle] === 1) continue;
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
    const overX = (p[a] - p[o]) * (by * cz - bz * cy);
    const overY = (p[a + 1] - p[o + 1]) * (bz * cx - bx * cz);
    const overZ = (p[a + 2] - p[o + 2]) * (bx * cy - by * cx);
    volumes[shell] += overX + overY + overZ;
  }
  return volumes;
}
