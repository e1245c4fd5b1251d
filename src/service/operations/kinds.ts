import { type Static, Type } from 'typebox';
import type { InnerShellRule } from '../../api/index.js';
import { readUnit, UNIT_IN_MM } from '../../mesh/core/units.js';
import { exportFormatOf, FORMATS, type Format, importFormatOf } from '../../mesh/formats/format-table.js';
import type { JobParameters } from '../kernel/messages.js';
import { ServiceError } from '../service-error.js';
import { EXTENDED_KINDS } from './extended-kinds.js';
import { MESHING_PARAMETERS, type Parameters, readParameters } from './parameters.js';

const Text = Type.String({ minLength: 1, maxLength: 4096 });
const Absent = Type.Null();
const callbackUrl = Type.Optional(Type.Union([Text, Absent]));

/** The body that starts an operation. Null means absent. Which fields an operation needs says its `read`. */
export const StartBody = Type.Object({
  fileId: Type.Optional(Type.Union([Text, Absent])),
  inputId: Type.Optional(Type.Union([Text, Absent])),
  measurementUnits: Type.Optional(Type.Union([Text, Absent])),
  exportToFormat: Type.Optional(Type.Union([Text, Absent])),
  innerShells: Type.Optional(Type.Union([Text, Absent])),
  callbackUrl,
});

export type StartBody = Static<typeof StartBody>;

/** One operation of the API: what it takes and what it makes. */
export interface OperationKind {
  name: string;
  input: 'file' | 'model';
  output: 'file' | 'model' | undefined;
  /** What `read` takes from the body, where that is all: for the description of the service. */
  parameters?: Parameters;
  /** Reads the parameters, given the name of the input. Throws `ServiceError` for wrong ones. */
  read(body: StartBody, filename: string): JobParameters;
  /** The name of what it makes, of the name of what it takes. */
  outputName(filename: string, parameters: JobParameters): string;
  outputMediaType(parameters: JobParameters): string;
}

// Models are in a format of our own.
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
    const message = `measurementUnits "${name.slice(0, 40)}" is unknown; known are ${joinNames(Object.keys(UNIT_IN_MM))}`;
    throw new ServiceError('UNIT_UNKNOWN', message);
  }
  return { measurementUnits };
}

function readImport(body: StartBody, filename: string): JobParameters {
  if (importFormatOf(filename) === undefined) {
    const known = FORMATS.filter(({ canImport }) => canImport).flatMap(({ extensions }) => extensions);
    const message = `the format of "${filename}" is unknown; files that can be imported end in ${joinNames(known)}`;
    throw new ServiceError('IMPORT_FORMAT_UNKNOWN', message);
  }
  return { ...readMeasurementUnits(body.measurementUnits), ...readParameters(MESHING_PARAMETERS, body) };
}

function readExport(body: StartBody): JobParameters {
  const name = body.exportToFormat;
  if (name === undefined || name === null) {
    throw new ServiceError('FIELD_INVALID', 'exportToFormat is missing: name the format of the file to make');
  }
  const exportToFormat = exportFormatOf(name);
  if (exportToFormat === undefined) {
    const known = FORMATS.filter(({ canExport }) => canExport).map(({ id }) => id);
    const message = `exportToFormat "${name.slice(0, 40)}" is unknown; known are ${joinNames(known)}`;
    throw new ServiceError('EXPORT_FORMAT_UNKNOWN', message);
  }
  return { exportToFormat };
}

/** What a repair may be told to do with closed shells inside others. */
export const INNER_SHELL_RULES: readonly InnerShellRule[] = ['auto', 'void', 'merge'];

/** The rule of this name, without regard to case. */
export function readInnerShellRule(name: string): InnerShellRule | undefined {
  return INNER_SHELL_RULES.find((rule) => rule === name.toLowerCase());
}

function readRepair({ innerShells: name }: StartBody): JobParameters {
  if (name === undefined || name === null) return {};
  const innerShells = readInnerShellRule(name);
  if (innerShells === undefined) {
    const message = `innerShells "${name.slice(0, 40)}" is unknown; known are ${joinNames(INNER_SHELL_RULES)}`;
    throw new ServiceError('FIELD_INVALID', message);
  }
  return { innerShells };
}

/** `bracket.obj` exported to STL is `bracket.stl`. */
function exportedName(filename: string, { exportToFormat = '' }: JobParameters): string {
  const extension = formatOf(exportToFormat)?.extensions[0] ?? exportToFormat;
  return `${filename.replace(/\.[^.]*$/, '')}.${extension}`;
}

/** All operations that this service runs. */
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
    outputName: exportedName,
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

/** The operation of this name, without regard to case. */
export function findKind(name: string): OperationKind | undefined {
  return OPERATION_KINDS.find((kind) => kind.name === name.toLowerCase());
}
