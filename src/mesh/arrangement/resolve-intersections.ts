import { createWorkCounter, type WorkCounter } from '../core/work-counter.js';
import { flipDegenerateTriangles } from '../editing/flip-degenerate-triangles.js';
import { splitFans } from '../editing/split-fans.js';
import { maxDisplacement } from '../geometry/max-displacement.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { countCheckedPairs, markIntersectingOrDegenerate } from '../intersections/mark-intersecting.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { selectTriangles } from '../topology/tagged-mesh.js';
import { preservesModel } from './preserves-model.js';
import { computeSelfUnion, type InvertedRegionRule } from './self-union.js';
import { separateCoincidentVertices } from './separate-coincident-vertices.js';

/** Perturbation of the vertices of intersecting triangles in each attempt, as a fraction of the size of the mesh. */
const PERTURBATION_FRACTIONS = [1e-6, 3e-6, 1e-5, 3e-7, 3e-5, 1e-7];
/** Each pass has this fraction of the amplitude of the pass before. */
const PASS_DECAY = 0.3;
/** The strategies of an attempt, in order. A later one is used if the model would lose a part with the earlier ones. */
const STRATEGIES: readonly Strategy[] = [
  { invertedRegions: 'keepLarge', keepThinShells: false },
  { invertedRegions: 'keep', keepThinShells: false },
  { invertedRegions: 'keep', keepThinShells: true },
];
/** A shell thinner than this many amplitudes is a gap between surfaces that touched, and is dropped. */
const THIN_SHELL_FACTOR = 4;

/** Limits of the work of `resolveIntersections`. */
export interface ResolutionBudget {
  /** Passes of an attempt. It ends earlier if a pass does not reduce the number of intersecting triangles. */
  maxPasses: number;
  /** After this many attempts that lost a part of the model with every strategy, no more are made. */
  maxLossyAttempts: number;
}

/** The default limits. */
export const RESOLUTION_BUDGET: ResolutionBudget = { maxPasses: 5, maxLossyAttempts: 2 };

/** Units of work of all attempts, for each triangle of the mesh. */
const WORK_PER_TRIANGLE = 200;
/** The limit of the work for small meshes: a few seconds. */
const MIN_WORK = 10_000_000;

/** Units of work per triangle of the comparison of a result with its source. */
const COMPARISON_WORK = 8;

interface Strategy {
  /** Which inverted regions (winding number -1) are reversed and kept. */
  invertedRegions: InvertedRegionRule;
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
  state: MeshState;
  maxDisplacementMm: number;
}

interface AttemptResult extends PassResult {
  /** Triangles that still intersect. */
  remainingCount: number;
}

/** The result of `resolveIntersections`. */
export interface Resolution {
  /** Triangles of the source that intersect. */
  initialCount: number;
  /** The self-union. Absent if the attempts failed, or left as many intersecting triangles. */
  resolved?: AttemptResult;
}

/** Returns the perturbations of the attempts, for a mesh of this size. */
export function listPerturbations(sizeMm: number): number[] {
  return PERTURBATION_FRACTIONS.map((fraction) => fraction * sizeMm);
}

/** Creates the counter of the work of `resolveIntersections` for a mesh of so many triangles. */
export function createResolutionWork(triangleCount: number): WorkCounter {
  return createWorkCounter(Math.max(MIN_WORK, triangleCount * WORK_PER_TRIANGLE));
}

/**
 * Computes the self-union of a closed mesh: the surface where the winding number changes from 0 to 1 (mesh
 * arrangements, Zhou et al. 2016). Makes several attempts, each from the original mesh, and keeps the one with the
 * fewest intersecting triangles, of those that lose no part of the model.
 *
 * @param perturbationsMm perturbation of the vertices of intersecting triangles in each attempt
 * @param work counts the work. The attempts end when it is exceeded; the best result until then is used.
 */
export function resolveIntersections(
  source: MeshState,
  perturbationsMm: readonly number[],
  budget: ResolutionBudget,
  work: WorkCounter,
): Resolution {
  const isIntersecting = markIntersectingOrDegenerate(source.index);
  const initialCount = countMarks(isIntersecting);
  const resolved = findBestAttempt(source, isIntersecting, initialCount, perturbationsMm, budget, work);
  const isBetter = resolved !== undefined && (initialCount === 0 || resolved.remainingCount < initialCount);
  return isBetter ? { initialCount, resolved } : { initialCount };
}

/** Returns the attempt with the fewest remaining intersections, of those that lose no part of the model. */
function findBestAttempt(
  source: MeshState,
  isIntersecting: Uint8Array,
  initialCount: number,
  perturbationsMm: readonly number[],
  budget: ResolutionBudget,
  work: WorkCounter,
): AttemptResult | undefined {
  let best: AttemptResult | undefined;
  let lossyCount = 0;
  for (const [seed, amplitudeMm] of perturbationsMm.entries()) {
    const result = makeAttempt(source, isIntersecting, { amplitudeMm, seed: seed + 1 }, budget, work);
    if (result === 'lossy' && ++lossyCount === budget.maxLossyAttempts) break;
    const isBest = typeof result === 'object' && (best === undefined || result.remainingCount < best.remainingCount);
    if (isBest) best = result;
    if (best?.remainingCount === 0 || work.isExceeded()) break;
    if (best !== undefined && initialCount === 0) break; // no vertex is perturbed: no attempt is better
  }
  return best;
}

/** Makes one attempt. Returns `undefined` if it fails, `lossy` if every strategy would lose a part of the model. */
function makeAttempt(
  source: MeshState,
  isIntersecting: Uint8Array,
  perturbation: Perturbation,
  budget: ResolutionBudget,
  work: WorkCounter,
): AttemptResult | 'lossy' | undefined {
  for (const strategy of STRATEGIES) {
    const result = resolveInPasses(source, isIntersecting, perturbation, strategy, budget, work);
    if (result === undefined) return undefined;
    work.add((source.mesh.triangles.length / 3) * COMPARISON_WORK);
    if (preservesModel(source.index, result.state.index, perturbation.amplitudeMm)) return result;
  }
  return 'lossy';
}

/** Runs a pass, then further ones on the remaining intersections as long as each reduces their number. */
function resolveInPasses(
  source: MeshState,
  isIntersecting: Uint8Array,
  perturbation: Perturbation,
  strategy: Strategy,
  { maxPasses }: ResolutionBudget,
  work: WorkCounter,
): AttemptResult | undefined {
  let result = resolvePass(source, isIntersecting, perturbation, strategy, work);
  if (result === undefined) return undefined;
  let marks = markIntersectingOrDegenerate(result.state.index);
  let remainingCount = countMarks(marks);
  work.add(countCheckedPairs(result.state.index));
  for (let pass = 1; pass < maxPasses && remainingCount > 0 && !work.isExceeded(); pass++) {
    const amplitudeMm = perturbation.amplitudeMm * PASS_DECAY ** pass;
    const next = resolvePass(result.state, marks, { ...perturbation, amplitudeMm }, strategy, work);
    if (next === undefined) break;
    const nextMarks = markIntersectingOrDegenerate(next.state.index);
    const nextCount = countMarks(nextMarks);
    work.add(countCheckedPairs(next.state.index));
    if (nextCount >= remainingCount) break;
    result = { state: next.state, maxDisplacementMm: result.maxDisplacementMm + next.maxDisplacementMm };
    marks = nextMarks;
    remainingCount = nextCount;
  }
  return { ...result, remainingCount };
}

/** Runs one pass. Returns `undefined` if its result is empty, not watertight or encloses no volume. */
function resolvePass(
  { mesh, index }: MeshState,
  isIntersecting: Uint8Array,
  { amplitudeMm, seed }: Perturbation,
  strategy: Strategy,
  work: WorkCounter,
): PassResult | undefined {
  const selfUnion = computeSelfUnion(index, isIntersecting, amplitudeMm, seed, strategy.invertedRegions, work);
  if (selfUnion === undefined || selfUnion.triangles.length === 0) return undefined;
  const { positions, triangles, parentOf } = selfUnion;
  const union = createMeshState({ positions, triangles, objectOf: parentOf.map((parent) => mesh.objectOf[parent]) });
  const { state: split } = flipDegenerateTriangles(splitFans(union).state);
  if (!split.index.isClosed()) return undefined;
  const separatedPositions = separateCoincidentVertices(split.index, amplitudeMm, work);
  const separated = createMeshState({ ...split.mesh, positions: separatedPositions }, { connectivity: split.index });
  if (!(computeVolume(separated) > 0)) return undefined;
  const thickShells = dropThinShells(separated, amplitudeMm * THIN_SHELL_FACTOR);
  if (thickShells.mesh.triangles.length === 0) return undefined;
  const maxDisplacementMm = amplitudeMm * Math.sqrt(3) + maxDisplacement(split.mesh.positions, separatedPositions);
  return { state: strategy.keepThinShells ? separated : thickShells, maxDisplacementMm };
}

function countMarks(marks: Uint8Array): number {
  return marks.reduce((sum, mark) => sum + mark, 0);
}

function computeVolume({ mesh }: MeshState): number {
  return measureGroups(mesh, new Uint32Array(mesh.triangles.length / 3), 1).volumeMm3[0];
}

/** Drops closed shells whose mean thickness is below `thicknessMm`. */
function dropThinShells(state: MeshState, thicknessMm: number): MeshState {
  const shells = state.index.shells();
  const { areaMm2, volumeMm3 } = measureGroups(state.mesh, shells.shellOf, shells.count);
  const isThin = Array.from(areaMm2, (area, shell) => Math.abs(volumeMm3[shell]) < (area / 2) * thicknessMm);
  const kept: number[] = [];
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++)
    if (!isThin[shells.shellOf[triangle]]) kept.push(triangle);
  return isThin.includes(true) ? createMeshState(selectTriangles(state.mesh, kept)) : state;
}
