import { EXPORT_FORMATS, type ExportFormat, exportFormatOf } from '../../../mesh/formats/registry.js';
import { INTERNAL_TYPE, type OperationKind, removeExtension } from '../operation-kind.js';

function findFormat(format: unknown): ExportFormat | undefined {
  return EXPORT_FORMATS.find(({ id }) => id === format);
}

/** Exports a model to a file. */
export const EXPORT = {
  name: 'export',
  input: 'model',
  output: {
    kind: 'file',
    isModelFile: true,
    createFilename: (filename, { exportToFormat }) => {
      const extension = findFormat(exportToFormat)?.extensions[0] ?? exportToFormat;
      return `${removeExtension(filename)}.${extension}`;
    },
    findMediaType: ({ exportToFormat }) => findFormat(exportToFormat)?.mediaType ?? INTERNAL_TYPE,
  },
  parameters: {
    exportToFormat: {
      names: EXPORT_FORMATS.map(({ id }) => id),
      find: (name) => exportFormatOf(name)?.id,
      unknownCode: 'EXPORT_FORMAT_UNKNOWN',
      missingRemedy: 'Set it to the output format.',
      proposed: 'stl',
    },
  },
  dialogs: [],
} as const satisfies OperationKind;
