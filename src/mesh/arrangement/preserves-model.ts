import type { Box3, MeshGeometry } from '../core/mesh.js';
import { computeBounds, diagonalOf } from '../geometry/bounds.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { createLattice, type Lattice } from '../spatial/lattice.js';
import { computeLatticeWindings } from '../spatial/lattice-windings.js';
import type { MeshIndex } from '../spatial/mesh-index.js';
import { windingNumber } from '../spatial/winding-number.js';
import { compact } from '../topology/compact.js';

/** The bounds may shrink by this fraction of the diagonal. */
const BOUNDS_TOLERANCE_FRACTION = 1e-4;
/** A result may lose at most this fraction of the volume. */
const MAX_VOLUME_LOSS_FRACTION = 0.2;
/** Volumes are compared at the points of a lattice with this many steps along the diagonal. */
const LATTICE_RESOLUTION = 64;
/** Each shell is probed this deep behind its surface, in multiples of the maximum displacement. */
const PROBE_DEPTH_FACTOR = 8;

/**
 * Whether a closed surface preserves the essential parts of the one that it was made from: its bounds, four fifths of
 * its volume (winding number above 0), and a part of each of its shells. What it needs of `before` is computed once.
 * `maxDisplacementMm`: how far vertices may have moved; shells that are hardly thicker are not probed.
 */
export function preservesModel(before: MeshIndex, after: MeshIndex, maxDisplacementMm: number): boolean {
  return (
    preservesBounds(before.derive(computeUsedBounds), after) &&
    preservesVolume(before, after.mesh) &&
    preservesShells(before, after, maxDisplacementMm * PROBE_DEPTH_FACTOR)
  );
}

/** Computes the bounds of the vertices that triangles use. */
function computeUsedBounds({ mesh }: MeshIndex): Box3 {
  return computeBounds(compact(mesh.positions, mesh.triangles).positions);
}

function preservesBounds(box: Box3, after: MeshIndex): boolean {
  const bounds = computeUsedBounds(after);
  const toleranceMm = diagonalOf(box) * BOUNDS_TOLERANCE_FRACTION;
  return [0, 1, 2].every((k) => bounds.min[k] <= box.min[k] + toleranceMm && bounds.max[k] >= box.max[k] - toleranceMm);
}

function preservesVolume(before: MeshIndex, after: MeshGeometry): boolean {
  const { lattice, windings } = before.derive(sampleWindings);
  const windingsAfter = computeLatticeWindings(after, lattice);
  let insideCount = 0;
  let lostCount = 0;
  for (let point = 0; point < lattice.size; point++) {
    if (windings[point] <= 0) continue;
    insideCount++;
    if (windingsAfter[point] <= 0) lostCount++;
  }
  return lostCount <= insideCount * MAX_VOLUME_LOSS_FRACTION;
}

/** Computes the winding number of a mesh at the points of a lattice over its bounds. */
function sampleWindings(index: MeshIndex): { lattice: Lattice; windings: Int16Array } {
  const box = index.derive(computeUsedBounds);
  const stepMm = diagonalOf(box) / LATTICE_RESOLUTION;
  const cellsOf = (k: 0 | 1 | 2) => Math.ceil((box.max[k] - box.min[k]) / stepMm);
  const lattice = createLattice({ min: box.min, stepMm, cells: [cellsOf(0), cellsOf(1), cellsOf(2)] });
  return { lattice, windings: computeLatticeWindings(index.mesh, lattice) };
}

/** Whether a point just behind the largest triangle of each shell is still inside. */
function preservesShells(before: MeshIndex, after: MeshIndex, depthMm: number): boolean {
  const { positions, triangles } = before.mesh;
  const shells = before.shells();
  if (shells.count === 1) return after.mesh.triangles.length > 0;
  const { areaMm2, volumeMm3 } = measureGroups(before.mesh, shells.shellOf, shells.count);
  const largest = findLargestTriangles(before.mesh, shells.shellOf, shells.count);
  return Array.from(largest).every((triangle, shell) => {
    if (Math.abs(volumeMm3[shell]) * 2 < areaMm2[shell] * depthMm * 2) return true;
    const normal = doubleAreaNormal(positions, triangles, triangle);
    const length = Math.hypot(...normal);
    const behind = normal.map((part, k) => {
      const middle = [0, 1, 2].reduce((sum, i) => sum + positions[triangles[triangle * 3 + i] * 3 + k] / 3, 0);
      return middle - (part / length) * depthMm;
    });
    const windingIn = ({ mesh, bvh }: MeshIndex) => windingNumber(mesh, bvh(), behind, normal, () => true);
    return windingIn(before) <= 0 || windingIn(after) > 0;
  });
}

/** shell → its triangle of the largest area */
function findLargestTriangles(mesh: MeshGeometry, shellOf: Uint32Array, count: number): Int32Array {
  const largest = new Int32Array(count).fill(-1);
  const areas = new Float64Array(count);
  for (let triangle = 0; triangle < shellOf.length; triangle++) {
    const area = Math.hypot(...doubleAreaNormal(mesh.positions, mesh.triangles, triangle));
    const shell = shellOf[triangle];
    if (largest[shell] >= 0 && area <= areas[shell]) continue;
    largest[shell] = triangle;
    areas[shell] = area;
  }
  return largest;
}
