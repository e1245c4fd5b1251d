import type { Report, StepEntry } from '../analysis/report.js';
import { createMeshIndex, type MeshState } from '../spatial/mesh-index.js';
import { createStepEntry } from './ledger.js';
import type { Filling } from './measure-fillings.js';
import type { RepairContext, RepairStep, StepNotes } from './step.js';

/** What the steps so far reported. */
export type StepSummary = Required<
  Pick<Report, 'steps' | 'warnings' | 'filledAreaMm2' | 'maxDisplacementMm' | 'innerShells'>
>;

/** A state of the mesh between two steps. */
export interface RepairState extends MeshState {
  summary: StepSummary;
  /** The fillings of holes so far that do not continue a flat face. */
  fillings: readonly Filling[];
  /** Whether a step changed the mesh. */
  isChanged: boolean;
}

/** Returns the state before the first step. */
export function startRepair(state: MeshState): RepairState {
  const summary = { steps: [], warnings: [], filledAreaMm2: 0, maxDisplacementMm: 0, innerShells: [] };
  return { ...state, summary, fillings: [], isChanged: false };
}

/** Runs steps one after the other. An unchanged mesh keeps its index. */
export function runSteps(steps: readonly RepairStep[], start: RepairState, context: RepairContext): RepairState {
  return steps.reduce((state, step, i) => {
    const result = step.run(state.mesh, { ...context, index: state.index });
    context.onProgress((i + 1) / steps.length);
    const { mesh, index = result.changed ? createMeshIndex(mesh) : state.index } = result;
    const next = result.changed ? { mesh, index } : state;
    const summary = addNotes(state.summary, createStepEntry(step.name, result.notes.count, state, next), result.notes);
    const fillings = [...state.fillings, ...(result.notes.fillings ?? [])];
    return { ...next, summary, fillings, isChanged: state.isChanged || result.changed };
  }, start);
}

/** Records steps that were not necessary: the mesh stays unchanged. */
export function skipSteps(steps: readonly RepairStep[], state: RepairState): RepairState {
  const summary = steps.reduce(
    (sum, { name }) => addNotes(sum, createStepEntry(name, 0, state, state), { count: 0 }),
    state.summary,
  );
  return { ...state, summary };
}

function addNotes(summary: StepSummary, entry: StepEntry, notes: StepNotes): StepSummary {
  return {
    steps: [...summary.steps, entry],
    warnings: [...summary.warnings, ...(notes.warnings ?? [])],
    filledAreaMm2: summary.filledAreaMm2 + (notes.filledAreaMm2 ?? 0),
    maxDisplacementMm: Math.max(summary.maxDisplacementMm, notes.maxDisplacementMm ?? 0),
    innerShells: [...summary.innerShells, ...(notes.innerShells ?? [])],
  };
}
