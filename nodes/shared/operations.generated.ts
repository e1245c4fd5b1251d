// Generated from src/service/operations/kinds: change those files, then run `npm run generate`.

/** The operations in the dialog of *model operation*. */
export const MODEL_OPERATIONS = [
  'analyze',
  'geometrical-repair',
  'shrinkwrap-repair',
  'scale',
  'reduce-triangles',
  'hollowing',
  'wall-thickness-analysis',
  'thumbnail',
] as const;

/** The operations that repair a model: those in the dialog of *model repair*. */
export const REPAIR_OPERATIONS = ['repair', 'geometrical-repair', 'shrinkwrap-repair'] as const;

/** The operations in the list of steps of *model process*. */
export const STEP_OPERATIONS = [
  'repair',
  'analyze',
  'geometrical-repair',
  'shrinkwrap-repair',
  'scale',
  'reduce-triangles',
  'hollowing',
  'wall-thickness-analysis',
  'thumbnail',
] as const;

/** Operations whose file is not the model. Its id is in the payload and in the result of the operation only. */
export const OPERATIONS_WITHOUT_MODEL_FILE: readonly string[] = ['wall-thickness-analysis', 'thumbnail', 'preview'];

/** A parameter in a dialog: the proposed value, and whether the operation runs the same without it. */
export interface OperationParameter {
  readonly proposed: number | string;
  readonly isOptional?: true;
  /** The value of nodes that were saved before the parameter existed. Default: the proposed one. */
  readonly legacyValue?: number | string;
}

/** Operation → parameter name → parameter, for all operations in dialogs. */
export const OPERATION_PARAMETERS: Readonly<Record<string, Readonly<Record<string, OperationParameter>>>> = {
  repair: {
    innerShells: { proposed: 'auto', isOptional: true },
    parts: { proposed: 'keep', isOptional: true, legacyValue: 'unite' },
  },
  analyze: {},
  'geometrical-repair': {},
  'shrinkwrap-repair': { accuracy: { proposed: 'Smooth' } },
  scale: { axis: { proposed: 'z' }, scaleToSizeMm: { proposed: 100 } },
  'reduce-triangles': {
    accuracyMm: { proposed: 0.1 },
    targetTriangles: { proposed: 0, isOptional: true },
    maxAngle: { proposed: 15 },
    numberOfIterations: { proposed: 1 },
  },
  hollowing: {
    wallThicknessMm: { proposed: 2 },
    direction: { proposed: 'inward', isOptional: true },
    drainHoleCount: { proposed: 0, isOptional: true },
    drainHoleDiameterMm: { proposed: 4, isOptional: true },
    upAxis: { proposed: 'z', isOptional: true },
  },
  'wall-thickness-analysis': { minimalWallThicknessMm: { proposed: 1 }, accuracyWallThickness: { proposed: 2 } },
  thumbnail: {
    width: { proposed: 400 },
    height: { proposed: 300 },
    cameraAngleX: { proposed: 25 },
    cameraAngleY: { proposed: 0 },
    cameraAngleZ: { proposed: -35 },
    background: { proposed: 'plain', isOptional: true },
  },
};
