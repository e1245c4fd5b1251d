import { measureGroups } from '../analysis/measure.js';
import { findNesting } from '../spatial/nesting.js';
import { buildTriangleTree } from '../spatial/triangle-tree.js';
import { buildEdges, NO_TWIN } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { pairTriangles } from '../topology/pair-triangles.js';
import { findTwinShells } from '../topology/shells.js';
import type { RepairMesh, RepairStep, StepResult } from './step.js';

/**
 * Turns shells so that the outermost face outward. A shell inside others stays as it is wound: one that faces inward is a cavity. Only
 * inside a shell that had to be turned winding says nothing, and nesting decides: shells face inward and outward by turns.
 * Open shells are left alone. `changed` counts shells.
 */
export const SHELLS_OUTWARD: RepairStep = { name: 'shells', run: turnShells };

function turnShells(mesh: RepairMesh): StepResult {
  const { positions, triangles } = mesh;
  const twins = pairTriangles(positions, triangles, buildEdges(triangles, positions.length / 3));
  const shells = findTwinShells(twins);
  const isClosed = new Uint8Array(shells.count).fill(1);
  for (let h = 0; h < twins.length; h++) if (twins[h] === NO_TWIN) isClosed[shells.shellOf[triangleOf(h)]] = 0;
  const { volumeMm3 } = measureGroups(mesh, shells.shellOf, shells.count);
  if (volumeMm3.every((volume, shell) => volume >= 0 || isClosed[shell] === 0)) return { mesh, changed: 0 };

  const { containers } = findNesting(mesh, shells, isClosed, buildTriangleTree(positions, triangles));
  const isOuterInverted = containers.map(
    (around, shell) => isClosed[shell] === 1 && around.length === 0 && volumeMm3[shell] < 0,
  );
  const isTurned = containers.map((around, shell) => {
    if (isClosed[shell] === 0) return false;
    if (around.length === 0) return isOuterInverted[shell];
    const isInward = around.length % 2 === 1;
    return around.some((container) => isOuterInverted[container]) && volumeMm3[shell] < 0 !== isInward;
  });
  const changed = isTurned.filter(Boolean).length;
  if (changed === 0) return { mesh, changed };
  const turned = triangles.slice();
  for (let at = 0; at < triangles.length; at += 3) {
    if (!isTurned[shells.shellOf[at / 3]]) continue;
    turned[at + 1] = triangles[at + 2];
    turned[at + 2] = triangles[at + 1];
  }
  return { mesh: { ...mesh, triangles: turned }, changed };
}
