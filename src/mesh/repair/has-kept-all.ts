import { computeBounds, diagonalOf, measureGroups } from '../analysis/measure.js';
import type { Box3, MeshGeometry } from '../mesh.js';
import { doubleAreaNormal } from '../spatial/double-normal.js';
import { createLattice } from '../spatial/lattice.js';
import { computeLatticeWindings } from '../spatial/lattice-windings.js';
import { buildBvh } from '../spatial/triangle-tree.js';
import { windingNumber } from '../spatial/winding-number.js';
import { compact } from '../topology/compact.js';
import { buildEdges } from '../topology/edges.js';
import { findShells } from '../topology/shells.js';

/** The box may shrink by this share of the diagonal. */
const BOX_SHARE = 1e-4;
/** A result that lacks this share of the volume is worse than none. */
const VOLUME_SHARE = 0.2;
/** The volume is held against the other at the points of a lattice: this many to the diagonal. */
const POINTS = 64;
/** Each shell is looked for this deep behind its surface, in the distances that vertices may have been moved by. */
const DEPTH = 8;

/**
 * Whether a closed surface that was made of another holds all of size that the other holds: its box, its volume (what it goes round at least
 * once) up to a fifth, and something of each of its shells. `movedMm`: how far vertices may have been moved; shells not much thicker are not
 * looked for.
 */
export function hasKeptAll(before: MeshGeometry, after: MeshGeometry, movedMm: number): boolean {
  const box = computeBounds(compact(before.positions, before.triangles).positions);
  return hasKeptBox(box, after) && hasKeptVolume(box, before, after) && hasKeptShells(before, after, movedMm * DEPTH);
}

function hasKeptBox(box: Box3, { positions, triangles }: MeshGeometry): boolean {
  const found = computeBounds(compact(positions, triangles).positions);
  const withinMm = diagonalOf(box) * BOX_SHARE;
  return [0, 1, 2].every((k) => found.min[k] <= box.min[k] + withinMm && found.max[k] >= box.max[k] - withinMm);
}

function hasKeptVolume(box: Box3, before: MeshGeometry, after: MeshGeometry): boolean {
  const stepMm = diagonalOf(box) / POINTS;
  const cellsOf = (k: 0 | 1 | 2) => Math.ceil((box.max[k] - box.min[k]) / stepMm);
  const lattice = createLattice({ min: box.min, stepMm, cells: [cellsOf(0), cellsOf(1), cellsOf(2)] });
  const were = computeLatticeWindings(before, lattice);
  const are = computeLatticeWindings(after, lattice);
  let inside = 0;
  let lost = 0;
  for (let point = 0; point < lattice.size; point++) {
    if (were[point] <= 0) continue;
    inside++;
    if (are[point] <= 0) lost++;
  }
  return lost <= inside * VOLUME_SHARE;
}

/** Whether what lies just behind the largest triangle of each shell is still inside. */
function hasKeptShells(before: MeshGeometry, after: MeshGeometry, depthMm: number): boolean {
  const { positions, triangles } = before;
  const shells = findShells(triangles.length / 3, buildEdges(triangles, positions.length / 3));
  if (shells.count === 1) return after.triangles.length > 0;
  const { areaMm2, volumeMm3 } = measureGroups(before, shells.shellOf, shells.count);
  const largest = largestTriangles(before, shells.shellOf, shells.count);
  const tree = buildBvh(positions, triangles);
  const treeAfter = buildBvh(after.positions, after.triangles);
  return Array.from(largest).every((triangle, shell) => {
    if (Math.abs(volumeMm3[shell]) * 2 < areaMm2[shell] * depthMm * 2) return true;
    const normal = doubleAreaNormal(positions, triangles, triangle);
    const length = Math.hypot(...normal);
    const behind = normal.map((part, k) => {
      const middle = [0, 1, 2].reduce((sum, i) => sum + positions[triangles[triangle * 3 + i] * 3 + k] / 3, 0);
      return middle - (part / length) * depthMm;
    });
    const windingIn = (mesh: MeshGeometry, of: typeof tree) => windingNumber(mesh, of, behind, normal, () => true);
    return windingIn(before, tree) <= 0 || windingIn(after, treeAfter) > 0;
  });
}

function largestTriangles(mesh: MeshGeometry, shellOf: Uint32Array, count: number): Int32Array {
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
