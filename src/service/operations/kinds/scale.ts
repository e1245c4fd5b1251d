import { MODEL_OUTPUT, type OperationKind } from '../operation-kind.js';
import { LENGTH_MM } from '../parameters.js';

/** Scales a model uniformly to a size along one axis. */
export const SCALE = {
  name: 'scale',
  input: 'model',
  output: MODEL_OUTPUT,
  parameters: {
    axis: { values: ['x', 'y', 'z'], proposed: 'z' },
    scaleToSizeMm: { ...LENGTH_MM, proposed: 100 },
  },
  dialogs: ['operation'],
} as const satisfies OperationKind;
