import { MODEL_OUTPUT, type OperationKind } from '../operation-kind.js';
import { LENGTH_MM } from '../parameters.js';

/** Creates a cavity in a model, or a shell around it. */
export const HOLLOWING = {
  name: 'hollowing',
  input: 'model',
  output: MODEL_OUTPUT,
  parameters: {
    wallThicknessMm: { ...LENGTH_MM, proposed: 2 },
    direction: {
      values: ['inward', 'outward'],
      default: 'inward',
      proposed: 'inward',
      description: 'walls inside the surface of the model, or around it; default inward',
    },
    drainHoleCount: {
      isInteger: true,
      min: 0,
      max: 20,
      default: 0,
      proposed: 0,
      description: 'drain holes of each cavity; default 0',
    },
    drainHoleDiameterMm: { ...LENGTH_MM, default: 4, proposed: 4, description: 'default 4' },
    upAxis: {
      values: ['x', 'y', 'z', '-x', '-y', '-z'],
      default: 'z',
      proposed: 'z',
      description: 'drain holes are at the lowest points along it; default z',
    },
  },
  dialogs: ['operation'],
} as const satisfies OperationKind;
