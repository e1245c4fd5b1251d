import { Type } from 'typebox';
import { type OperationKind, removeExtension } from '../operation-kind.js';
import { LENGTH_MM } from '../parameters.js';

/** Finds thin walls of a model, and creates a model file in which they are colored. */
export const WALL_THICKNESS_ANALYSIS = {
  name: 'wall-thickness-analysis',
  input: 'model',
  output: {
    kind: 'file',
    createFilename: (filename) => `${removeExtension(filename)}-walls.glb`,
    findMediaType: () => 'model/gltf-binary',
  },
  parameters: {
    minimalWallThicknessMm: { ...LENGTH_MM, proposed: 1 },
    accuracyWallThickness: { isInteger: true, min: 0, max: 100, proposed: 2 },
  },
  result: {
    schemaName: 'WallsResult',
    fields: {
      hasThinWalls: Type.Boolean(),
      hasPossibleThinWalls: Type.Boolean(),
      thinnestPlaces: Type.Array(
        Type.Object({
          x: Type.Number(),
          y: Type.Number(),
          z: Type.Number(),
          thicknessMm: Type.Number({ minimum: 0 }),
        }),
      ),
    },
  },
  dialogs: ['operation'],
} as const satisfies OperationKind;
