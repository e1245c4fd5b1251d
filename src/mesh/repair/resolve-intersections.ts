import type { ReportWarning } from '../analysis/report.js';
import { computeSelfUnion } from '../arrangement/self-union.js';
import { separateCoincidentVertices } from '../arrangement/separate-coincident-vertices.js';
import { pluralize } from '../core/pluralize.js';
import { maxDisplacement } from '../geometry/max-displacement.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { markIntersectingOrDegenerate } from '../intersections/mark-intersecting.js';
import { createMeshIndex } from '../spatial/mesh-index.js';
import { isClosedSurface } from '../topology/closed-twins.js';
import { buildEdges } from '../topology/edges.js';
import { findShells } from '../topology/shells.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { FLIP_DEGENERATE } from './flip-degenerate.js';
import { preservesModel } from './preserves-model.js';
import { SPLIT_FANS } from './split-fans.js';
import type { RepairStep, StepResult } from './step.js';

/** Perturbation of the vertices of intersecting triangles in each attempt, as a fraction of the diagonal. */
const PERTURBATION_FRACTIONS = [1e-6, 3e-6, 1e-5, 3e-7, 3e-5, 1e-7];
/** Each pass has this fraction of the amplitude of the pass before. */
const PASS_DECAY = 0.3;
/** Passes of an attempt. It ends earlier if a pass does not reduce the number of intersecting triangles. */
const MAX_PASSES = 5;
/** The strategies of an attempt, in order. A later one is used if the model would lose a part with the earlier ones. */
const STRATEGIES: readonly Strategy[] = [
  { keepInvertedRegions: false, keepThinShells: false },
  { keepInvertedRegions: true, keepThinShells: false },
  { keepInvertedRegions: true, keepThinShells: true },
];
/** After this many attempts that lost a part of the model with every strategy, no more are made. */
const MAX_LOSSY_ATTEMPTS = 2;
/** A shell thinner than this many amplitudes is a gap between surfaces that touched, and is dropped. */
const THIN_SHELL_FACTOR = 4;

/** The code of the warning that intersections remain. */
export const INTERSECTIONS_LEFT = 'INTERSECTIONS_LEFT';

interface Strategy {
  /** Reverse and keep inverted regions (winding number -1), even if they are small. */
  keepInvertedRegions: boolean;
  /** Keep shells that are hardly thicker than the perturbation: walls that the file contains as sheets. */
  keepThinShells: boolean;
}

/** The maximum displacement of a vertex along each axis, and the seed of the random numbers. */
interface Perturbation {
  amplitudeMm: number;
  seed: number;
}

/** The result of a pass, and an upper bound of the displacement of vertices. */
interface PassResult {
  mesh: TaggedMesh;
  maxDisplacementMm: number;
}

interface AttemptResult extends PassResult {
  /** Triangles that still intersect. */
  remainingCount: number;
}

/**
 * The step `intersections`. Computes the self-union of a closed mesh: the surface where the winding number changes from
 * 0 to 1 (mesh arrangements, Zhou et al. 2016). Makes several attempts, each from the original mesh, and keeps the one
 * with the fewest intersecting triangles. If none has fewer than the mesh, or each would lose a part of the model, the
 * mesh stays unchanged, with a warning. `changed` counts triangles that no longer intersect.
 */
export const RESOLVE_INTERSECTIONS: RepairStep = { name: 'intersections', run: resolve };

function resolve(mesh: TaggedMesh, diagonalMm: number): StepResult {
  if (!isWatertight(mesh)) return { mesh, changed: 0 };
  const isIntersecting = markIntersectingOrDegenerate(createMeshIndex(mesh));
  const initialCount = countMarks(isIntersecting);
  const best = findBestAttempt(mesh, isIntersecting, diagonalMm, initialCount);
  if (best === undefined || (initialCount > 0 && best.remainingCount >= initialCount)) {
    return { mesh, changed: 0, warnings: initialCount > 0 ? [createUnresolvedWarning(initialCount)] : [] };
  }
  const warnings = best.remainingCount > 0 ? [createUnresolvedWarning(best.remainingCount)] : [];
  const maxDisplacementMm = initialCount > 0 ? best.maxDisplacementMm : 0;
  return { mesh: best.mesh, changed: initialCount - best.remainingCount, maxDisplacementMm, warnings };
}

/** Returns the attempt with the fewest remaining intersections, of those that lose no part of the model. */
function findBestAttempt(
  mesh: TaggedMesh,
  isIntersecting: Uint8Array,
  diagonalMm: number,
  initialCount: number,
): AttemptResult | undefined {
  let best: AttemptResult | undefined;
  let lossyCount = 0;
  for (const [seed, fraction] of PERTURBATION_FRACTIONS.entries()) {
    const result = makeAttempt(mesh, isIntersecting, { amplitudeMm: fraction * diagonalMm, seed: seed + 1 });
    if (result === 'lossy' && ++lossyCount === MAX_LOSSY_ATTEMPTS) break;
    if (result === undefined || result === 'lossy') continue;
    if (best === undefined || result.remainingCount < best.remainingCount) best = result;
    if (best.remainingCount === 0) break;
    if (initialCount === 0) break; // no vertex is perturbed: all attempts are equal
  }
  return best;
}

function createUnresolvedWarning(count: number): ReportWarning {
  const remaining = pluralize(count, 'triangle still intersects', 'triangles still intersect');
  const message = `${remaining}: resolving them would remove part of the model or exceed the work limit.`;
  return { code: INTERSECTIONS_LEFT, message };
}

/** Makes one attempt. Returns `undefined` if it fails, `lossy` if every strategy would lose a part of the model. */
function makeAttempt(
  mesh: TaggedMesh,
  isIntersecting: Uint8Array,
  perturbation: Perturbation,
): AttemptResult | 'lossy' | undefined {
  for (const strategy of STRATEGIES) {
    const result = resolveInPasses(mesh, isIntersecting, perturbation, strategy);
    if (result === undefined) return undefined;
    if (preservesModel(mesh, result.mesh, perturbation.amplitudeMm)) return result;
  }
  return 'lossy';
}

/** Runs a pass, then further ones on the remaining intersections as long as each reduces their number. */
function resolveInPasses(
  mesh: TaggedMesh,
  isIntersecting: Uint8Array,
  perturbation: Perturbation,
  strategy: Strategy,
): AttemptResult | undefined {
  let result = resolvePass(mesh, isIntersecting, perturbation, strategy);
  if (result === undefined) return undefined;
  let marks = markIntersectingOrDegenerate(createMeshIndex(result.mesh));
  let remainingCount = countMarks(marks);
  for (let pass = 1; pass < MAX_PASSES && remainingCount > 0; pass++) {
    const amplitudeMm = perturbation.amplitudeMm * PASS_DECAY ** pass;
    const next = resolvePass(result.mesh, marks, { ...perturbation, amplitudeMm }, strategy);
    if (next === undefined) break;
    const nextMarks = markIntersectingOrDegenerate(createMeshIndex(next.mesh));
    const nextCount = countMarks(nextMarks);
    if (nextCount >= remainingCount) break;
    result = { mesh: next.mesh, maxDisplacementMm: result.maxDisplacementMm + next.maxDisplacementMm };
    marks = nextMarks;
    remainingCount = nextCount;
  }
  return { ...result, remainingCount };
}

/** Runs one pass. Returns `undefined` if its result is empty, not watertight or encloses no volume. */
function resolvePass(
  mesh: TaggedMesh,
  isIntersecting: Uint8Array,
  { amplitudeMm, seed }: Perturbation,
  strategy: Strategy,
): PassResult | undefined {
  const selfUnion = computeSelfUnion(mesh, isIntersecting, amplitudeMm, seed, strategy.keepInvertedRegions);
  if (selfUnion === undefined || selfUnion.triangles.length === 0) return undefined;
  const { positions, triangles, parentOf } = selfUnion;
  const union: TaggedMesh = { positions, triangles, objectOf: parentOf.map((parent) => mesh.objectOf[parent]) };
  const split = FLIP_DEGENERATE.run(SPLIT_FANS.run(union, 0).mesh, 0).mesh;
  const separated = { ...split, positions: separateCoincidentVertices(split, amplitudeMm) };
  if (!isWatertight(separated)) return undefined;
  if (!(computeVolume(separated) > 0)) return undefined;
  const thickShells = dropThinShells(separated, amplitudeMm * THIN_SHELL_FACTOR);
  if (thickShells.triangles.length === 0) return undefined;
  const maxDisplacementMm = amplitudeMm * Math.sqrt(3) + maxDisplacement(split.positions, separated.positions);
  return { mesh: strategy.keepThinShells ? separated : thickShells, maxDisplacementMm };
}

function countMarks(marks: Uint8Array): number {
  return marks.reduce((sum, mark) => sum + mark, 0);
}

function isWatertight({ positions, triangles }: TaggedMesh): boolean {
  return isClosedSurface(triangles, positions.length / 3);
}

function computeVolume(mesh: TaggedMesh): number {
  return measureGroups(mesh, new Uint32Array(mesh.triangles.length / 3), 1).volumeMm3[0];
}

/** Drops closed shells whose mean thickness is below `thicknessMm`. */
function dropThinShells(mesh: TaggedMesh, thicknessMm: number): TaggedMesh {
  const { positions, triangles } = mesh;
  const shells = findShells(triangles.length / 3, buildEdges(triangles, positions.length / 3));
  const { areaMm2, volumeMm3 } = measureGroups(mesh, shells.shellOf, shells.count);
  const isThin = Array.from(areaMm2, (area, shell) => Math.abs(volumeMm3[shell]) < (area / 2) * thicknessMm);
  const kept: number[] = [];
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++)
    if (!isThin[shells.shellOf[triangle]]) kept.push(triangle);
  return kept.length === shells.shellOf.length ? mesh : selectTriangles(mesh, kept);
}
