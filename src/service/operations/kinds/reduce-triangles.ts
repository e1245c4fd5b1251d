import { MODEL_OUTPUT, type OperationKind } from '../operation-kind.js';
import { LENGTH_MM } from '../parameters.js';

/** Simplifies the mesh of a model. */
export const REDUCE_TRIANGLES = {
  name: 'reduce-triangles',
  input: 'model',
  output: MODEL_OUTPUT,
  parameters: {
    accuracyMm: {
      ...LENGTH_MM,
      proposed: 0.1,
      replacedBy: 'targetTriangles',
      description: 'max displacement of the surface; ignored with targetTriangles',
    },
    targetTriangles: {
      isInteger: true,
      min: 0,
      max: 1_000_000_000,
      default: 0,
      proposed: 0,
      description: 'number of triangles to reach in place of an accuracy; default 0: as few as the accuracy allows',
    },
    // The max dihedral angle that may be flattened, in degrees.
    maxAngle: { isInteger: true, min: 0, max: 180, proposed: 15 },
    numberOfIterations: { isInteger: true, min: 1, max: 1000, proposed: 1 },
  },
  dialogs: ['operation'],
} as const satisfies OperationKind;
