import { exportFormatOf, FORMATS } from '../../../mesh/formats/format-table.js';
import { INTERNAL_TYPE, type OperationKind, removeExtension } from '../operation-kind.js';

/** Exports a model to a file. */
export const EXPORT = {
  name: 'export',
  input: 'model',
  output: {
    kind: 'file',
    isModelFile: true,
    createFilename: (filename, { exportToFormat }) => {
      const extension = FORMATS.find(({ id }) => id === exportToFormat)?.extensions[0] ?? exportToFormat;
      return `${removeExtension(filename)}.${extension}`;
    },
    findMediaType: ({ exportToFormat }) => FORMATS.find(({ id }) => id === exportToFormat)?.mediaType ?? INTERNAL_TYPE,
  },
  parameters: {
    exportToFormat: {
      names: FORMATS.filter(({ canExport }) => canExport).map(({ id }) => id),
      find: exportFormatOf,
      unknownCode: 'EXPORT_FORMAT_UNKNOWN',
      missingRemedy: 'Set it to the output format.',
      proposed: 'stl',
    },
  },
  dialogs: [],
} as const satisfies OperationKind;
