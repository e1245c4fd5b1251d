import type { OperationTable } from '../requests/replies.js';

/** Which files the service reads. */
export interface FormatRules {
  readonly extensions: readonly string[];
  readonly maxBytes: number;
  isSupported(filename: string): boolean;
  /** Returns whether the format of a file declares its unit. */
  hasUnit(filename: string): boolean;
  /** Returns the format in which a file with this name is downloaded, unless a person chooses another one. */
  exportFormatOf(filename: string): string;
}

/** Returns the extension of a filename in lower case, or the whole name if it has none. */
export function extensionOf(filename: string): string {
  return filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
}

/** Creates the rules of the formats of a service. */
export function createFormatRules({ importFormats, exportFormats, uploadBytes }: OperationTable): FormatRules {
  const find = (filename: string) => importFormats.find(({ extensions }) => extensions.includes(extensionOf(filename)));
  return {
    extensions: importFormats.flatMap(({ extensions }) => extensions),
    maxBytes: uploadBytes,
    isSupported: (filename) => find(filename) !== undefined,
    hasUnit: (filename) => find(filename)?.hasUnits ?? false,
    exportFormatOf: (filename) =>
      exportFormats.find(({ extensions }) => extensions[0] === extensionOf(filename))?.id ?? 'stl',
  };
}
