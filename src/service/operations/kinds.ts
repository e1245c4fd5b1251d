import type { InnerShellRule } from '../../api/index.js';
import { readUnit, UNIT_IN_MM } from '../../mesh/core/units.js';
import { exportFormatOf, FORMATS, type Format, importFormatOf } from '../../mesh/formats/format-table.js';
import type { JobParameters } from '../kernel/messages.js';
import { ServiceError } from '../service-error.js';
import { EXTENDED_KINDS } from './extended-kinds.js';
import type { OperationKind, StartBody } from './operation-kind.js';
import { MESHING_PARAMETERS, readParameters } from './parameters.js';

// Models are stored in the internal format.
const INTERNAL_TYPE = 'application/octet-stream';

function joinNames(names: readonly string[]): string {
  return names.join(', ');
}

function keepName(filename: string): string {
  return filename;
}

function formatOf(id: string): Format | undefined {
  return FORMATS.find((format) => format.id === id);
}

function readMeasurementUnits(name: string | null | undefined): JobParameters {
  if (name === undefined || name === null) return {};
  const measurementUnits = readUnit(name);
  if (measurementUnits === undefined) {
    const expected = `expected one of ${joinNames(Object.keys(UNIT_IN_MM))}`;
    const message = `Invalid measurementUnits "${name.slice(0, 40)}": ${expected}.`;
    throw new ServiceError('UNIT_UNKNOWN', message);
  }
  return { measurementUnits };
}

function readImport(body: StartBody, filename: string): JobParameters {
  if (importFormatOf(filename) === undefined) {
    const supported = FORMATS.filter(({ canImport }) => canImport).flatMap(({ extensions }) => extensions);
    const message = `Unknown format of "${filename}". Supported extensions are ${joinNames(supported)}.`;
    throw new ServiceError('IMPORT_FORMAT_UNKNOWN', message);
  }
  return { ...readMeasurementUnits(body.measurementUnits), ...readParameters(MESHING_PARAMETERS, body) };
}

function readExport(body: StartBody): JobParameters {
  const name = body.exportToFormat;
  if (name === undefined || name === null) {
    throw new ServiceError('FIELD_INVALID', 'Missing field exportToFormat. Set it to the output format.');
  }
  const exportToFormat = exportFormatOf(name);
  if (exportToFormat === undefined) {
    const supported = FORMATS.filter(({ canExport }) => canExport).map(({ id }) => id);
    const message = `Invalid exportToFormat "${name.slice(0, 40)}": expected one of ${joinNames(supported)}.`;
    throw new ServiceError('EXPORT_FORMAT_UNKNOWN', message);
  }
  return { exportToFormat };
}

/** The rules of a repair for closed shells inside others. */
export const INNER_SHELL_RULES: readonly InnerShellRule[] = ['auto', 'void', 'merge'];

/** Returns the rule with this name, case-insensitively, or `undefined`. */
export function readInnerShellRule(name: string): InnerShellRule | undefined {
  return INNER_SHELL_RULES.find((rule) => rule === name.toLowerCase());
}

function readRepair({ innerShells: name }: StartBody): JobParameters {
  if (name === undefined || name === null) return {};
  const innerShells = readInnerShellRule(name);
  if (innerShells === undefined) {
    const message = `Invalid innerShells "${name.slice(0, 40)}": expected one of ${joinNames(INNER_SHELL_RULES)}.`;
    throw new ServiceError('FIELD_INVALID', message);
  }
  return { innerShells };
}

/** Returns the filename of an export: `bracket.obj` exported to STL becomes `bracket.stl`. */
function createExportName(filename: string, { exportToFormat = '' }: JobParameters): string {
  const extension = formatOf(exportToFormat)?.extensions[0] ?? exportToFormat;
  return `${filename.replace(/\.[^.]*$/, '')}.${extension}`;
}

/** All operations that this service supports. */
export const OPERATION_KINDS: readonly OperationKind[] = [
  {
    name: 'import',
    input: 'file',
    output: 'model',
    read: readImport,
    outputName: keepName,
    outputMediaType: () => INTERNAL_TYPE,
  },
  {
    name: 'repair',
    input: 'model',
    output: 'model',
    read: readRepair,
    outputName: keepName,
    outputMediaType: () => INTERNAL_TYPE,
  },
  {
    name: 'export',
    input: 'model',
    output: 'file',
    read: readExport,
    outputName: createExportName,
    outputMediaType: ({ exportToFormat = '' }) => formatOf(exportToFormat)?.mediaType ?? INTERNAL_TYPE,
  },
  {
    name: 'analyze',
    input: 'model',
    output: undefined,
    read: () => ({}),
    outputName: keepName,
    outputMediaType: () => INTERNAL_TYPE,
  },
  ...EXTENDED_KINDS,
];

/** Returns the operation with this name, case-insensitively, or `undefined`. */
export function findKind(name: string): OperationKind | undefined {
  return OPERATION_KINDS.find((kind) => kind.name === name.toLowerCase());
}
