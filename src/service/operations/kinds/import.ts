import { readUnit, UNIT_IN_MM } from '../../../mesh/core/units.js';
import { HELPER_HANDLINGS } from '../../../mesh/formats/helper-bodies/body-placer.js';
import { sanitizeFilename } from '../../http/filename.js';
import { MODEL_OUTPUT, type OperationKind } from '../operation-kind.js';
import { LENGTH_MM } from '../parameters.js';

/** Imports a file as a model. */
export const IMPORT = {
  name: 'import',
  input: 'file',
  output: {
    ...MODEL_OUTPUT,
    createFilename: (filename, { entry }) => (typeof entry === 'string' && sanitizeFilename(entry)) || filename,
  },
  canUseThreads: true,
  parameters: {
    measurementUnits: {
      names: Object.keys(UNIT_IN_MM),
      find: readUnit,
      unknownCode: 'UNIT_UNKNOWN',
      isOptional: true,
      proposed: 'mm',
      description: 'default mm',
    },
    // Files that contain triangles ignore these two.
    accuracyMm: {
      ...LENGTH_MM,
      isOptional: true,
      proposed: undefined,
      description:
        'for files with curved surfaces: max distance between triangles and surface; default 1/1000 of the model size',
    },
    maxAngle: {
      isInteger: false,
      min: 1,
      max: 90,
      isOptional: true,
      proposed: undefined,
      description: 'for files with curved surfaces: max angle between adjacent triangles in degrees; default 20',
    },
    // Only files of slicers and some 3MF have helper bodies.
    helpers: {
      values: HELPER_HANDLINGS,
      isOptional: true,
      proposed: 'apply',
      description:
        'for 3MF and AMF, how helper bodies are treated. apply: negative volumes are subtracted, others left out; keep: they are kept beside the model; ignore: all are left out; default apply',
    },
    // Files of other formats are one plate.
    plate: {
      isInteger: true,
      min: 1,
      max: 1_000_000,
      word: 'all',
      isOptional: true,
      proposed: undefined,
      description: 'for projects of slicers (3MF): the number of the plate to read; default all',
    },
    entry: {
      maxLength: 1024,
      isOptional: true,
      proposed: undefined,
      description:
        'for a ZIP of several models: the path of the one to import, or its name without folders; case-insensitive',
    },
  },
  dialogs: [],
} as const satisfies OperationKind;
