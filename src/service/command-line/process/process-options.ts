import { statSync } from 'node:fs';
import path from 'node:path';
import type { InnerShellRule, MeasurementUnit } from '../../../api/index.js';
import { exportFormatOf, FORMATS, type FormatId } from '../../../mesh/formats/format-table.js';
import { JOB_MEMORY } from '../../defaults.js';
import { EXPORT } from '../../operations/kinds/export.js';
import { IMPORT } from '../../operations/kinds/import.js';
import { REPAIR } from '../../operations/kinds/repair.js';
import type { ParametersOf } from '../../operations/operation-kind.js';
import { checkNumber, describeParameter } from '../../operations/parameters.js';
import { StartError } from '../../start-error.js';
import { type OptionTable, parseOptions, readByteSize } from '../parse-options.js';

const OPTIONS: OptionTable = {
  units: { type: 'string' },
  accuracy: { type: 'string' },
  'max-angle': { type: 'string' },
  repair: { type: 'boolean' },
  'inner-shells': { type: 'string' },
  to: { type: 'string' },
  output: { type: 'string', short: 'o' },
  thumbnail: { type: 'string' },
  check: { type: 'boolean' },
  report: { type: 'boolean' },
  json: { type: 'boolean' },
  memory: { type: 'string' },
};

/** The options of `model-processing process`. */
export interface ProcessOptions {
  inputs: string[];
  measurementUnits: MeasurementUnit | undefined;
  /** Tolerances of the meshing of curved surfaces. */
  meshing: Pick<ParametersOf<typeof IMPORT>, 'accuracyMm' | 'maxAngle'>;
  shouldRepair: boolean;
  /** How to treat closed shells inside others. Default: `auto`. */
  innerShells: InnerShellRule | undefined;
  /** Whether to write an output file. */
  shouldWrite: boolean;
  /** Default: the format of the input. */
  format: FormatId | undefined;
  /** The output file. Default: named after the input, in `outputFolder`. */
  outputFile: string | undefined;
  outputFolder: string;
  /** The thumbnail to render: a file, or a folder for files named after the inputs. Default: none. */
  thumbnail: { file?: string | undefined; folder: string } | undefined;
  checkOnly: boolean;
  printReport: boolean;
  printJson: boolean;
  memoryBytes: number | undefined;
}

function usageError(message: string): StartError {
  return new StartError('USAGE', message);
}

function isFolder(name: string): boolean {
  if (/[\\/]$/.test(name)) return true;
  try {
    return statSync(name).isDirectory();
  } catch {
    return false; // missing or inaccessible: writing to it reports the error
  }
}

function readFormat(name: string): FormatId {
  const { find, names } = EXPORT.parameters.exportToFormat;
  const format = find(name);
  if (format) return format;
  throw usageError(`Invalid output format "${name}": expected one of ${names.join(', ')}.`);
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
    const parameter = IMPORT.parameters[name];
    const value = checkNumber(Number(text), parameter);
    if (value === undefined)
      throw usageError(`Invalid --${option} "${text}": expected ${describeParameter(parameter)}.`);
    meshing[name] = value;
  }
  return meshing;
}

function readInnerShells(name: string | undefined, shouldRepair: boolean): InnerShellRule | undefined {
  if (name === undefined) return undefined;
  if (!shouldRepair) throw usageError('--inner-shells requires --repair.');
  const { find, names } = REPAIR.parameters.innerShells;
  const rule = find(name);
  if (rule === undefined) throw usageError(`Invalid --inner-shells "${name}": expected one of ${names.join(', ')}.`);
  return rule;
}

/** Returns the output format by `--to` and by the extension of the output file; `undefined` for that of the input. */
function readOutputFormat(to: string | undefined, outputFile: string | undefined): FormatId | undefined {
  const requested = to === undefined ? undefined : readFormat(to);
  const extension = outputFile === undefined ? '' : path.extname(outputFile);
  if (extension === '') return requested;
  const extensionFormat = readFormat(extension);
  const extensions = FORMATS.find(({ id }) => id === requested)?.extensions;
  if (extensions?.includes(extension.slice(1).toLowerCase()) === false)
    throw usageError(
      `--to ${to} and --output ${outputFile} name different formats. Omit one of them, or change the extension.`,
    );
  return requested ?? extensionFormat;
}

function readThumbnail(name: string | undefined, inputCount: number): ProcessOptions['thumbnail'] {
  if (name === undefined) return undefined;
  if (isFolder(name)) return { folder: name };
  if (inputCount > 1)
    throw usageError(`--thumbnail ${name} is a file, but there are ${inputCount} inputs. Specify a folder.`);
  if (path.extname(name).toLowerCase() === '.png') return { file: name, folder: '.' };
  throw usageError(
    `Invalid --thumbnail "${name}": expected a .png file, or a folder (with a trailing slash if it does not exist).`,
  );
}

/** Parses the command line of `process`. Throws `USAGE`. */
export function readProcessOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ProcessOptions {
  const options = parseOptions(args, OPTIONS, environment);
  const inputs = options.positionals;
  if (inputs.length === 0) throw usageError('No input file given. See --help.');
  const to = options.stringValues.get('to');
  const output = options.stringValues.get('output');
  const shouldRepair = options.flags.has('repair');
  const checkOnly = options.flags.has('check');
  if (checkOnly && (to !== undefined || output !== undefined) && !shouldRepair) {
    throw usageError('--check without --repair writes no file. Omit --to and --output, or add --repair.');
  }
  const isFile = output !== undefined && !isFolder(output);
  if (isFile && inputs.length > 1 && exportFormatOf(path.extname(output)))
    throw usageError(`--output ${output} is a file, but there are ${inputs.length} inputs. Specify a folder.`);
  const outputFile = isFile && inputs.length === 1 ? output : undefined;
  return {
    inputs,
    measurementUnits: readMeasurementUnits(options.stringValues.get('units')),
    meshing: readMeshing(options.stringValues),
    shouldRepair,
    innerShells: readInnerShells(options.stringValues.get('inner-shells'), shouldRepair),
    shouldWrite: shouldRepair || to !== undefined || output !== undefined,
    format: readOutputFormat(to, outputFile),
    outputFile,
    outputFolder: outputFile === undefined ? (output ?? '.') : '.',
    thumbnail: readThumbnail(options.stringValues.get('thumbnail'), inputs.length),
    checkOnly,
    printReport: options.flags.has('report'),
    printJson: options.flags.has('json'),
    memoryBytes: readByteSize(options, 'memory', JOB_MEMORY.minBytes),
  };
}
