import { measureGroups } from '../analysis/measure.js';
import type { ReportWarning } from '../analysis/report.js';
import { computeSelfUnion } from '../arrangement/self-union.js';
import { separateCoincidentVertices } from '../arrangement/separate-coincident-vertices.js';
import { pluralize } from '../core/pluralize.js';
import { maxDisplacement } from '../geometry/max-displacement.js';
import { markIntersectingOrDegenerate } from '../intersections/mark-intersecting.js';
import { isClosedSurface } from '../topology/closed-twins.js';
import { buildEdges } from '../topology/edges.js';
import { findShells } from '../topology/shells.js';
import { FLIP_DEGENERATE } from './flip-degenerate.js';
import { preservesModel } from './preserves-model.js';
import { SPLIT_FANS } from './split-fans.js';
import { type RepairMesh, type RepairStep, type StepResult, selectTriangles } from './step.js';

/** How far vertices of intersecting triangles are moved, as shares of the diagonal; each is a fresh start. */
const PERTURBATION_FRACTIONS = [1e-6, 3e-6, 1e-5, 3e-7, 3e-5, 1e-7];
/** What a pass leaves is resolved by another, with this share of its amplitude, as long as each leaves less. */
const PASS_DECAY = 0.3;
const MAX_PASSES = 5;
/** What is left out at first, and not where the model would lose something by it. */
const STRATEGIES: readonly Strategy[] = [
  { keepInvertedLobes: false, keepThinShells: false },
  { keepInvertedLobes: true, keepThinShells: false },
  { keepInvertedLobes: true, keepThinShells: true },
];
/** Where so many starts would have lost something whatever is kept, others would too. */
const MAX_LOSSY_ATTEMPTS = 2;
/** Shells this many times as thin as the amplitude are gaps and bubbles between surfaces that touched. */
const THIN_SHELL_FACTOR = 4;

/** The code of the warning that something crosses still. */
export const INTERSECTIONS_LEFT = 'INTERSECTIONS_LEFT';

interface Strategy {
  /** Parts that the surface goes round the wrong way are turned and stay, however small. */
  keepInvertedLobes: boolean;
  /** So do shells hardly thicker than vertices are moved: walls that a file holds as sheets. */
  keepThinShells: boolean;
}

/** How far vertices are moved along each axis, and by which numbers. */
interface Perturbation {
  amplitudeMm: number;
  seed: number;
}

/** What a pass made, and how far it moved vertices at most. */
interface PassResult {
  mesh: RepairMesh;
  movedMm: number;
}

interface AttemptResult extends PassResult {
  /** Triangles that still intersect. */
  remainingCount: number;
}

/**
 * Makes one outer surface of what crosses, overlaps and lies within something else: the surface where the winding number goes from 0 to 1.
 * Closed meshes only. Several starts, each from the mesh as it came; the one with fewest intersecting triangles is kept, and only if that
 * is fewer than before and nothing of size was lost; else the mesh stays as it was, with a warning. `changed` counts triangles that no longer intersect.
 */
export const RESOLVE_INTERSECTIONS: RepairStep = { name: 'intersections', run: resolve };

function resolve(mesh: RepairMesh, diagonalMm: number): StepResult {
  if (!isWatertight(mesh)) return { mesh, changed: 0 };
  const isHit = markIntersectingOrDegenerate(mesh);
  const initialCount = count(isHit);
  const best = bestAttempt(mesh, isHit, diagonalMm, initialCount);
  if (best === undefined || (initialCount > 0 && best.remainingCount >= initialCount)) {
    return { mesh, changed: 0, warnings: initialCount > 0 ? [unresolvedWarning(initialCount)] : [] };
  }
  const warnings = best.remainingCount > 0 ? [unresolvedWarning(best.remainingCount)] : [];
  const maxDisplacementMm = initialCount > 0 ? best.movedMm : 0;
  return { mesh: best.mesh, changed: initialCount - best.remainingCount, maxDisplacementMm, warnings };
}

/** The start that leaves the fewest intersecting triangles, of those that lose nothing. */
function bestAttempt(
  mesh: RepairMesh,
  isHit: Uint8Array,
  diagonalMm: number,
  initialCount: number,
): AttemptResult | undefined {
  let best: AttemptResult | undefined;
  let lossyCount = 0;
  for (const [seed, fraction] of PERTURBATION_FRACTIONS.entries()) {
    const result = attempt(mesh, isHit, { amplitudeMm: fraction * diagonalMm, seed: seed + 1 });
    if (result === 'lossy' && ++lossyCount === MAX_LOSSY_ATTEMPTS) break;
    if (result === undefined || result === 'lossy') continue;
    if (best === undefined || result.remainingCount < best.remainingCount) best = result;
    if (best.remainingCount === 0) break;
    if (initialCount === 0) break; // nothing is moved: all starts are the same
  }
  return best;
}

function unresolvedWarning(count: number): ReportWarning {
  return {
    code: INTERSECTIONS_LEFT,
    message: `${pluralize(count, 'triangle still crosses', 'triangles still cross')} others: resolving them would have lost a part of the model, or needed too much work`,
  };
}

/** One start. `undefined` where it fails; `lossy` where it would lose something of the model, whatever is kept. */
function attempt(mesh: RepairMesh, isHit: Uint8Array, movement: Perturbation): AttemptResult | 'lossy' | undefined {
  for (const strategy of STRATEGIES) {
    const result = resolveInPasses(mesh, isHit, movement, strategy);
    if (result === undefined) return undefined;
    if (preservesModel(mesh, result.mesh, movement.amplitudeMm)) return result;
  }
  return 'lossy';
}

/** One pass, and others over what it leaves. */
function resolveInPasses(
  mesh: RepairMesh,
  isHit: Uint8Array,
  movement: Perturbation,
  strategy: Strategy,
): AttemptResult | undefined {
  let result = resolvePass(mesh, isHit, movement, strategy);
  if (result === undefined) return undefined;
  let marks = markIntersectingOrDegenerate(result.mesh);
  let remainingCount = count(marks);
  for (let pass = 1; pass < MAX_PASSES && remainingCount > 0; pass++) {
    const amplitudeMm = movement.amplitudeMm * PASS_DECAY ** pass;
    const next = resolvePass(result.mesh, marks, { ...movement, amplitudeMm }, strategy);
    if (next === undefined) break;
    const nextMarks = markIntersectingOrDegenerate(next.mesh);
    const nextLeft = count(nextMarks);
    if (nextLeft >= remainingCount) break;
    result = { mesh: next.mesh, movedMm: result.movedMm + next.movedMm };
    marks = nextMarks;
    remainingCount = nextLeft;
  }
  return { ...result, remainingCount };
}

function resolvePass(
  mesh: RepairMesh,
  isHit: Uint8Array,
  { amplitudeMm, seed }: Perturbation,
  strategy: Strategy,
): PassResult | undefined {
  const surface = computeSelfUnion(mesh, isHit, amplitudeMm, seed, strategy.keepInvertedLobes);
  if (surface === undefined || surface.triangles.length === 0) return undefined;
  const { positions, triangles, parentOf } = surface;
  const outer: RepairMesh = { positions, triangles, objectOf: parentOf.map((parent) => mesh.objectOf[parent]) };
  const split = FLIP_DEGENERATE.run(SPLIT_FANS.run(outer, 0).mesh, 0).mesh;
  const separated = { ...split, positions: separateCoincidentVertices(split, amplitudeMm) };
  if (!isWatertight(separated)) return undefined;
  if (!(volumeOf(separated) > 0)) return undefined;
  const body = dropThinShells(separated, amplitudeMm * THIN_SHELL_FACTOR);
  if (body.triangles.length === 0) return undefined;
  const movedMm = amplitudeMm * Math.sqrt(3) + maxDisplacement(split.positions, separated.positions);
  return { mesh: strategy.keepThinShells ? separated : body, movedMm };
}

const count = (marks: Uint8Array): number => marks.reduce((sum, mark) => sum + mark, 0);

const isWatertight = ({ positions, triangles }: RepairMesh): boolean =>
  isClosedSurface(triangles, positions.length / 3);

function volumeOf(mesh: RepairMesh): number {
  return measureGroups(mesh, new Uint32Array(mesh.triangles.length / 3), 1).volumeMm3[0];
}

/** Leaves out closed shells thinner than this on average. */
function dropThinShells(mesh: RepairMesh, thicknessMm: number): RepairMesh {
  const { positions, triangles } = mesh;
  const shells = findShells(triangles.length / 3, buildEdges(triangles, positions.length / 3));
  const { areaMm2, volumeMm3 } = measureGroups(mesh, shells.shellOf, shells.count);
  const isBubble = Array.from(areaMm2, (area, shell) => Math.abs(volumeMm3[shell]) < (area / 2) * thicknessMm);
  const kept: number[] = [];
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++)
    if (!isBubble[shells.shellOf[triangle]]) kept.push(triangle);
  return kept.length === shells.shellOf.length ? mesh : selectTriangles(mesh, kept);
}
