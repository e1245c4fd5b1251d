import { MODEL_OUTPUT, type OperationKind } from '../operation-kind.js';

/** Repairs a model without merging or removing shells. */
export const GEOMETRICAL_REPAIR = {
  name: 'geometrical-repair',
  input: 'model',
  output: MODEL_OUTPUT,
  canUseThreads: true,
  parameters: {},
  dialogs: ['repair', 'operation'],
} as const satisfies OperationKind;
