import { MODEL_OUTPUT, type OperationKind } from '../operation-kind.js';
import { LENGTH_MM } from '../parameters.js';

/** Creates a cavity in a model. */
export const HOLLOWING = {
  name: 'hollowing',
  input: 'model',
  output: MODEL_OUTPUT,
  parameters: { wallThicknessMm: { ...LENGTH_MM, proposed: 2 } },
  dialogs: ['operation'],
} as const satisfies OperationKind;
