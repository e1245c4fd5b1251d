import { MODEL_OUTPUT, type OperationKind } from '../operation-kind.js';

/** Repairs a model by wrapping it in a new closed surface. */
export const SHRINKWRAP_REPAIR = {
  name: 'shrinkwrap-repair',
  input: 'model',
  output: MODEL_OUTPUT,
  parameters: { accuracy: { values: ['Rough', 'Smooth', 'Detailed'], proposed: 'Smooth' } },
  dialogs: ['repair', 'operation'],
} as const satisfies OperationKind;
