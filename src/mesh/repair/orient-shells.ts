import type { InnerShellRule } from '../analysis/report.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { createMeshIndex } from '../spatial/mesh-index.js';
import { findNesting } from '../spatial/nesting.js';
import { buildEdges, NO_TWIN } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { pairTwinsRadially } from '../topology/pair-twins-radially.js';
import { reverseWinding } from '../topology/reverse-winding.js';
import { findTwinShells, type Shells } from '../topology/shells.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import { chooseShellOrientations, listInnerShells, type NestedShells } from './inner-shells.js';
import type { RepairStep, StepResult } from './step.js';

/**
 * Creates the step `shells`: orients the outermost shells outward, and shells inside others by `rule` (see
 * `chooseShellOrientations`). Open shells do not change. `changed` counts shells; `innerShells` lists the closed shells
 * inside others.
 */
export function createOrientShellsStep(rule: InnerShellRule): RepairStep {
  return { name: 'shells', run: (mesh) => orientShells(mesh, rule) };
}

function orientShells(mesh: TaggedMesh, rule: InnerShellRule): StepResult {
  const { positions, triangles } = mesh;
  const twins = pairTwinsRadially(positions, triangles, buildEdges(triangles, positions.length / 3));
  const shells = findTwinShells(twins);
  const isClosed = new Uint8Array(shells.count).fill(1);
  for (let h = 0; h < twins.length; h++) if (twins[h] === NO_TWIN) isClosed[shells.shellOf[triangleOf(h)]] = 0;
  const { volumeMm3 } = measureGroups(mesh, shells.shellOf, shells.count);
  if (shells.count === 1 && (volumeMm3[0] >= 0 || isClosed[0] === 0)) return { mesh, changed: 0 };

  const nesting = findNesting(createMeshIndex(mesh), shells, isClosed);
  const nested: NestedShells = { ...nesting, isClosed, volumeMm3, wasFlipped: markFlippedShells(mesh, shells) };
  const orientations = chooseShellOrientations(nested, rule);
  const isFlipped = Array.from(orientations, (orientation, shell) => orientation * volumeMm3[shell] < 0);
  const innerShells = listInnerShells(nested, orientations);
  const changed = isFlipped.filter(Boolean).length;
  if (changed === 0) return { mesh, changed, innerShells };
  const flipped = triangles.slice();
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++)
    if (isFlipped[shells.shellOf[triangle]]) reverseWinding(flipped, triangle);
  return { mesh: { ...mesh, triangles: flipped }, changed, innerShells };
}

/** shell → 1 if an earlier step changed the winding of one of its triangles */
function markFlippedShells({ wasFlipped }: TaggedMesh, { shellOf, count }: Shells): Uint8Array {
  const marks = new Uint8Array(count);
  if (wasFlipped)
    for (let triangle = 0; triangle < shellOf.length; triangle++) marks[shellOf[triangle]] |= wasFlipped[triangle];
  return marks;
}
