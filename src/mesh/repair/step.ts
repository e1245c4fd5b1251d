import type { InnerShell, InnerShellRule, ReportWarning } from '../analysis/report.js';
import { RESOLUTION_BUDGET, type ResolutionBudget } from '../arrangement/resolve-intersections.js';
import type { OnProgress } from '../core/mesh.js';
import type { MeshIndex, MeshState } from '../spatial/mesh-index.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import type { Filling } from './measure-fillings.js';
import { createTolerances, type Tolerances } from './tolerances.js';

/** What a step did. */
export interface StepNotes {
  /** What the step counts: vertices welded, holes filled, ... */
  count: number;
  /** Area of triangles that were added or moved to close the mesh. */
  filledAreaMm2?: number;
  /** The fillings of holes that do not continue a flat face. */
  fillings?: readonly Filling[];
  /** Maximum displacement of a vertex. */
  maxDisplacementMm?: number;
  innerShells?: InnerShell[];
  warnings?: ReportWarning[];
}

export interface StepResult {
  mesh: TaggedMesh;
  /** Whether `mesh` is another mesh than the one that the step received. */
  changed: boolean;
  notes: StepNotes;
  /** The index of a changed mesh, if the step created it. */
  index?: MeshIndex;
}

/** Limits of the work of the steps, as counts: the result does not depend on the speed of the machine. */
export interface WorkBudget {
  /** Triangles that the rays of `orient` are tested against in a small mesh. In a large one, each triangle allows more. */
  minRayTests: number;
  /** Rounds of `t-junctions`: splitting edges may create further T-junctions, which the next round splits. */
  junctionRounds: number;
  /** Rounds of `holes`: filling a hole with a non-manifold boundary may leave another hole. */
  holeRounds: number;
  /** Rounds of `planar-regions`: a round splits the edges at which the round before failed. */
  regionRounds: number;
  resolution: ResolutionBudget;
}

/** The limits of a repair. */
const WORK_BUDGET: WorkBudget = {
  minRayTests: 10_000_000,
  junctionRounds: 4,
  holeRounds: 3,
  regionRounds: 4,
  resolution: RESOLUTION_BUDGET,
};

/** What all steps of a repair share. */
export interface RepairContext {
  tolerances: Tolerances;
  budget: WorkBudget;
  /** How to treat closed shells inside others. */
  innerShells: InnerShellRule;
  /** Receives the progress of a sequence of steps. */
  onProgress: OnProgress;
}

/** Creates the context of a repair, without progress. */
export function createContext(diagonalMm: number, innerShells: InnerShellRule = 'auto'): RepairContext {
  return { tolerances: createTolerances(diagonalMm), budget: WORK_BUDGET, innerShells, onProgress() {} };
}

/** What a step receives besides the mesh. */
export interface StepContext extends RepairContext {
  /** The index of the mesh that the step receives. */
  index: MeshIndex;
}

/** A repair step. The report contains its name. */
export interface RepairStep {
  name: string;
  run: (mesh: TaggedMesh, context: StepContext) => StepResult;
}

/** The result of a step that leaves the mesh as it is. */
export function unchanged(mesh: TaggedMesh, notes: Omit<StepNotes, 'count'> = {}): StepResult {
  return { mesh, changed: false, notes: { count: 0, ...notes } };
}

/** The result of a step that created another mesh, with its index if it was created. */
export function changed({ mesh, index }: Pick<MeshState, 'mesh'> & Partial<MeshState>, notes: StepNotes): StepResult {
  return { mesh, changed: true, notes, ...(index && { index }) };
}
