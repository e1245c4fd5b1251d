import type { InnerShellRule, MeasurementUnit, PartsRule } from '../../../api/index.js';
import { IMPORT_FORMATS, importFormatOf } from '../../../mesh/formats/registry.js';
import { JOB_MEMORY } from '../../defaults.js';
import { IMPORT } from '../../operations/kinds/import.js';
import { REPAIR } from '../../operations/kinds/repair.js';
import type { ParametersOf } from '../../operations/operation-kind.js';
import { checkNumber, describeParameter, type NumberParameter } from '../../operations/parameters.js';
import { StartError } from '../../start-error.js';
import { expandHome } from '../local-path.js';
import { type OptionTable, parseOptions, readByteSize } from '../parse-options.js';
import { findConflict, type OutputOptions, readOutputOptions, STANDARD_STREAM } from './output-options.js';

const OPTIONS: OptionTable = {
  recursive: { type: 'boolean', short: 'r' },
  format: { type: 'string' },
  units: { type: 'string' },
  accuracy: { type: 'string' },
  'max-angle': { type: 'string' },
  helpers: { type: 'string' },
  plate: { type: 'string' },
  entry: { type: 'string' },
  repair: { type: 'boolean' },
  'inner-shells': { type: 'string' },
  parts: { type: 'string' },
  to: { type: 'string' },
  output: { type: 'string', short: 'o', isPath: true },
  'skip-existing': { type: 'boolean' },
  thumbnail: { type: 'string', isPath: true },
  html: { type: 'string', isPath: true },
  language: { type: 'string' },
  table: { type: 'string', isPath: true },
  check: { type: 'boolean' },
  report: { type: 'boolean' },
  json: { type: 'boolean' },
  memory: { type: 'string' },
};

/** The options of `model-processing process`. */
export interface ProcessOptions extends OutputOptions {
  /** Files, folders, and `-` for stdin. */
  inputs: string[];
  /** Whether to search for files also below the input folders. */
  isRecursive: boolean;
  /** The extension that determines the format of stdin. Default: there is no input from stdin. */
  stdinExtension: string | undefined;
  measurementUnits: MeasurementUnit | undefined;
  /** Tolerances of the meshing of curved surfaces. */
  meshing: Pick<ParametersOf<typeof IMPORT>, 'accuracyMm' | 'maxAngle'>;
  /** What is read of a slicer's project. */
  selection: Pick<ParametersOf<typeof IMPORT>, 'helpers' | 'plate'>;
  /** The model to read in an archive. Default: all. */
  entry: string | undefined;
  shouldRepair: boolean;
  /** How to treat closed shells inside others. Default: `auto`. */
  innerShells: InnerShellRule | undefined;
  /** Whether the repair keeps the parts of a model or unites them. Default: `keep`. */
  parts: PartsRule | undefined;
  checkOnly: boolean;
  printReport: boolean;
  printJson: boolean;
  memoryBytes: number | undefined;
}

function usageError(message: string): StartError {
  return new StartError('USAGE', message);
}

function readNumber(option: string, text: string, parameter: NumberParameter): number {
  const value = checkNumber(Number(text), parameter);
  if (value !== undefined) return value;
  throw usageError(`Invalid --${option} "${text}": expected ${describeParameter(parameter)}.`);
}

function readChoice<T extends string>(option: string, name: string, values: readonly T[]): T {
  const found = values.find((value) => value === name.toLowerCase());
  if (found !== undefined) return found;
  throw usageError(`Invalid --${option} "${name}": expected one of ${values.join(', ')}.`);
}

function readMeasurementUnits(name: string | undefined): MeasurementUnit | undefined {
  const { find, names } = IMPORT.parameters.measurementUnits;
  const unit = name === undefined ? undefined : find(name);
  if (name === undefined || unit) return unit;
  throw usageError(`Invalid --units "${name}": expected one of ${names.join(', ')}.`);
}

/** Reads the tolerances of the meshing of curved surfaces, within the same limits as the service. */
function readMeshing(texts: ReadonlyMap<string, string>): ProcessOptions['meshing'] {
  const meshing: ProcessOptions['meshing'] = {};
  for (const [option, name] of [
    ['accuracy', 'accuracyMm'],
    ['max-angle', 'maxAngle'],
  ] as const) {
    const text = texts.get(option);
    if (text === undefined) continue;
    meshing[name] = readNumber(option, text, IMPORT.parameters[name]);
  }
  return meshing;
}

/** Reads what is read of a slicer's project. */
function readSelection(texts: ReadonlyMap<string, string>): ProcessOptions['selection'] {
  const helpers = readHelpers(texts.get('helpers'));
  const plate = readPlate(texts.get('plate'));
  return { ...(helpers && { helpers }), ...(plate !== undefined && { plate }) };
}

function readHelpers(name: string | undefined): ProcessOptions['selection']['helpers'] {
  return name === undefined ? undefined : readChoice('helpers', name, IMPORT.parameters.helpers.values);
}

function readPlate(text: string | undefined): ProcessOptions['selection']['plate'] {
  const parameter = IMPORT.parameters.plate;
  if (text === undefined || text.toLowerCase() === parameter.word) return undefined;
  return readNumber('plate', text, parameter);
}

function readEntry(entry: string | undefined, inputs: readonly string[]): string | undefined {
  if (entry === undefined) return undefined;
  const conflict = findConflict(inputs);
  if (conflict !== undefined) throw usageError(`--entry names a model in one ZIP, but ${conflict}.`);
  const { maxLength } = IMPORT.parameters.entry;
  if (entry.length <= maxLength) return entry;
  throw usageError(`Invalid --entry: expected ${describeParameter(IMPORT.parameters.entry)}.`);
}

function readInnerShells(name: string | undefined, shouldRepair: boolean): InnerShellRule | undefined {
  if (name === undefined) return undefined;
  if (!shouldRepair) throw usageError('--inner-shells requires --repair.');
  const { find, names } = REPAIR.parameters.innerShells;
  const rule = find(name);
  if (rule === undefined) throw usageError(`Invalid --inner-shells "${name}": expected one of ${names.join(', ')}.`);
  return rule;
}

function readParts(name: string | undefined, shouldRepair: boolean): PartsRule | undefined {
  if (name === undefined) return undefined;
  if (!shouldRepair) throw usageError('--parts requires --repair.');
  return readChoice('parts', name, REPAIR.parameters.parts.values);
}

/** Returns the extension that determines the format of stdin. */
function readStdinExtension(format: string | undefined, inputs: readonly string[]): string | undefined {
  const count = inputs.filter((input) => input === STANDARD_STREAM).length;
  if (count === 0) {
    if (format !== undefined) throw usageError('--format is the format of stdin. Add - as input, or omit it.');
    return undefined;
  }
  if (count > 1) throw usageError('Stdin (-) can be read only once. Specify it once.');
  if (format === undefined) throw usageError('Stdin has no extension. Add --format, such as --format stl.');
  const extension = format.trim().replace(/^\./, '').toLowerCase();
  if (importFormatOf(`stdin.${extension}`)) return extension;
  const supported = IMPORT_FORMATS.flatMap(({ extensions }) => extensions);
  throw usageError(`Invalid --format "${format}": expected one of ${supported.join(', ')}.`);
}

/** Parses the command line of `process`. Throws `USAGE`. */
export function readProcessOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ProcessOptions {
  const options = parseOptions(args, OPTIONS, environment);
  const inputs = options.positionals.map((input) => expandHome(input));
  if (inputs.length === 0) throw usageError('No input file given. See --help.');
  const shouldRepair = options.flags.has('repair');
  return {
    ...readOutputOptions(options, inputs),
    inputs,
    isRecursive: options.flags.has('recursive'),
    stdinExtension: readStdinExtension(options.stringValues.get('format'), inputs),
    measurementUnits: readMeasurementUnits(options.stringValues.get('units')),
    meshing: readMeshing(options.stringValues),
    selection: readSelection(options.stringValues),
    entry: readEntry(options.stringValues.get('entry'), inputs),
    shouldRepair,
    innerShells: readInnerShells(options.stringValues.get('inner-shells'), shouldRepair),
    parts: readParts(options.stringValues.get('parts'), shouldRepair),
    checkOnly: options.flags.has('check'),
    printReport: options.flags.has('report'),
    printJson: options.flags.has('json'),
    memoryBytes: readByteSize(options, 'memory', JOB_MEMORY.minBytes),
  };
}
