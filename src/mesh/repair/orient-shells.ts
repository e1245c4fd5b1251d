import type { InnerShell, InnerShellRule } from '../analysis/report.js';
import { createWorkLimitWarning } from '../analysis/work-limit-warning.js';
import { lazy } from '../core/lazy.js';
import type { WorkCounter } from '../core/work-counter.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { measureGroups } from '../geometry/measure-groups.js';
import type { MeshIndex, MeshState } from '../spatial/mesh-index.js';
import { findNesting } from '../spatial/nesting.js';
import { createSidesQuery } from '../spatial/triangle-sides.js';
import { windingNumber } from '../spatial/winding-number.js';
import { NO_TWIN } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { hasBalancedEdges } from '../topology/has-balanced-edges.js';
import { reverseTriangles } from '../topology/reverse-winding.js';
import { findTwinShells, groupTriangles, type Shells } from '../topology/shells.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import { chooseShellOrientations, listInnerShells, type NestedShells } from './inner-shells.js';
import { createRayWork } from './orient.js';
import { changed, type RepairContext, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** A shell is compared with the rest at this many of its triangles, the largest. */
const MAX_SAMPLED_TRIANGLES = 32;
/** The part of the work of rays that this comparison may need. Most shells need one ray. */
export const RAY_WORK_SHARE = 0.1;

/**
 * The step `shells`. Orients the outermost shells outward, and shells inside others by the rule of the context (see
 * `chooseShellOrientations`). Open shells do not change. The notes count shells, and list the closed shells inside
 * others. At the limit of the work, shells that are left keep their winding.
 */
export const ORIENT_SHELLS: RepairStep = { name: 'shells', run: orientShells };

function orientShells(mesh: TaggedMesh, context: StepContext): StepResult {
  const { index, innerShells: rule } = context;
  const work = createRayWork(context, mesh.triangles.length / 3, RAY_WORK_SHARE);
  const { shells, isReversed, innerShells } = chooseOrientations({ mesh, index }, rule, work);
  const warnings = work.isExceeded() ? [createWorkLimitWarning(ORIENT_SHELLS.name)] : [];
  const count = isReversed.filter(Boolean).length;
  if (count === 0) return unchanged(mesh, { innerShells, warnings });
  const isFlipped = Uint8Array.from(shells.shellOf, (shell) => Number(isReversed[shell]));
  const triangles = reverseTriangles(mesh.triangles, isFlipped);
  return changed({ mesh: { ...mesh, triangles } }, { count, innerShells, warnings });
}

/** Lists the closed shells of a solid that are inside others, with their outcome by the rule `auto`. */
export function findInnerShells(solid: MeshState, context: RepairContext): InnerShell[] {
  return chooseOrientations(solid, 'auto', createRayWork(context, solid.mesh.objectOf.length, RAY_WORK_SHARE))
    .innerShells;
}

/** Chooses the shells to reverse. Lists the closed shells inside others, with their outcome. */
function chooseOrientations({ mesh, index }: MeshState, rule: InnerShellRule, work: WorkCounter) {
  const shells = index.isClosed() ? index.shells() : findTwinShells(index.radialTwins());
  const isClosed = markClosedShells(index, shells);
  const { volumeMm3 } = measureGroups(mesh, shells.shellOf, shells.count);
  const nesting = findNesting(index, shells, isClosed);
  const nested: NestedShells = { ...nesting, isClosed, volumeMm3, wasFlipped: markFlippedShells(mesh, shells) };
  const orientations = chooseShellOrientations(nested, rule);
  const isConsistent = rule === 'auto' ? createConsistencyTest({ mesh, index }, shells, work) : () => false;
  for (let shell = 0; shell < shells.count; shell++)
    if (orientations[shell] * volumeMm3[shell] < 0 && isConsistent(shell)) orientations[shell] = 0;
  const isReversed = Array.from(orientations, (orientation, shell) => orientation * volumeMm3[shell] < 0);
  return { shells, isReversed, innerShells: listInnerShells(nested, orientations) };
}

/**
 * Creates a function that tells whether a shell that seems to be inside out fits the rest of a mesh as it is: its
 * winding was never changed, all edges are balanced, and the winding number in front of its largest triangles is not
 * negative. Such a shell is what is left of a cavity by bodies that touch its wall. At the limit of the work, a shell fits
 * unless it was found not to.
 */
function createConsistencyTest(
  { mesh, index }: MeshState,
  shells: Shells,
  work: WorkCounter,
): (shell: number) => boolean {
  const hasBalanced = lazy(
    () => !mesh.wasFlipped && (index.isClosed() || hasBalancedEdges(mesh.triangles, index.edges())),
  );
  const sidesOf = lazy(() => createSidesQuery(mesh));
  const trianglesOf = lazy(() => groupTriangles(shells));
  const countTest = () => {
    work.add(1);
    return true;
  };
  return (shell) => {
    if (!hasBalanced()) return false;
    const largest = trianglesOf()
      [shell].map((triangle) => ({
        triangle,
        area: Math.hypot(...doubleAreaNormal(mesh.positions, mesh.triangles, triangle)),
      }))
      .sort((a, b) => b.area - a.area || a.triangle - b.triangle)
      .slice(0, MAX_SAMPLED_TRIANGLES);
    return largest.every(({ triangle }) => {
      const sides = work.isExceeded() ? undefined : sidesOf()(triangle);
      return !sides || windingNumber(mesh, index.bvh(), sides.front, sides.normal, countTest) >= 0;
    });
  };
}

/** shell → 1 if each of its half-edges has a twin */
export function markClosedShells(index: MeshIndex, { shellOf, count }: Shells): Uint8Array {
  const isClosed = new Uint8Array(count).fill(1);
  if (index.isClosed()) return isClosed;
  const twins = index.radialTwins();
  for (let h = 0; h < twins.length; h++) if (twins[h] === NO_TWIN) isClosed[shellOf[triangleOf(h)]] = 0;
  return isClosed;
}

/** shell → 1 if an earlier step changed the winding of one of its triangles */
function markFlippedShells({ wasFlipped }: TaggedMesh, { shellOf, count }: Shells): Uint8Array {
  const marks = new Uint8Array(count);
  if (wasFlipped)
    for (let triangle = 0; triangle < shellOf.length; triangle++) marks[shellOf[triangle]] |= wasFlipped[triangle];
  return marks;
}
