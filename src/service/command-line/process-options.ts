import { statSync } from 'node:fs';
import path from 'node:path';
import type { InnerShellRule, MeasurementUnit } from '../../api/index.js';
import { readUnit, UNIT_IN_MM } from '../../mesh/core/units.js';
import { exportFormatOf, FORMATS, type FormatId } from '../../mesh/formats/format-table.js';
import type { JobParameters } from '../kernel/messages.js';
import { INNER_SHELL_RULES, readInnerShellRule } from '../operations/kinds.js';
import { checkNumber, describeParameter, MESHING_PARAMETERS } from '../operations/parameters.js';
import { StartError } from '../start-error.js';
import { type OptionTable, parseOptions, readByteSize } from './parse-options.js';

const MIN_JOB_MEMORY = 128 * 1024 * 1024;

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

/** What is to be done with the files. */
export interface ProcessOptions {
  inputs: string[];
  measurementUnits: MeasurementUnit | undefined;
  /** How curved surfaces are meshed. */
  meshing: Pick<JobParameters, 'accuracyMm' | 'maxAngle'>;
  shouldRepair: boolean;
  /** What becomes of closed shells inside others. Default: `auto`. */
  innerShells: InnerShellRule | undefined;
  /** Whether a file is to be written. */
  shouldWrite: boolean;
  /** Default: the format of the input. */
  format: FormatId | undefined;
  /** The file to write; `undefined`: a name made of the input's, in `outputFolder`. */
  outputFile: string | undefined;
  outputFolder: string;
  /** The picture to draw, or the folder for pictures named after the inputs; absent: none. */
  thumbnail: { file?: string | undefined; folder: string } | undefined;
  checkOnly: boolean;
  printsReport: boolean;
  printsJson: boolean;
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
    return false; // not there yet, or not to be had: writing will tell
  }
}

function readFormat(name: string): FormatId {
  const format = exportFormatOf(name);
  if (format) return format;
  const known = FORMATS.filter(({ canExport }) => canExport).map(({ id }) => id);
  throw usageError(`the format "${name}" cannot be written; known are ${known.join(', ')}`);
}

function readMeasurementUnits(name: string | undefined): MeasurementUnit | undefined {
  const unit = name === undefined ? undefined : readUnit(name);
  if (name === undefined || unit) return unit;
  throw usageError(`--units "${name}" is unknown; known are ${Object.keys(UNIT_IN_MM).join(', ')}`);
}

/** How curved surfaces are meshed: numbers as the service takes them. */
function readMeshing(texts: ReadonlyMap<string, string>): ProcessOptions['meshing'] {
  const meshing: ProcessOptions['meshing'] = {};
  for (const [option, name] of [
    ['accuracy', 'accuracyMm'],
    ['max-angle', 'maxAngle'],
  ] as const) {
    const text = texts.get(option);
    if (text === undefined) continue;
    const read = checkNumber(Number(text), MESHING_PARAMETERS[name]);
    if (read === undefined)
      throw usageError(`--${option} "${text}" is not ${describeParameter(MESHING_PARAMETERS[name])}`);
    meshing[name] = read;
  }
  return meshing;
}

function readInnerShells(name: string | undefined, shouldRepair: boolean): InnerShellRule | undefined {
  if (name === undefined) return undefined;
  if (!shouldRepair) throw usageError('--inner-shells says how to repair: add --repair');
  const rule = readInnerShellRule(name);
  if (rule === undefined)
    throw usageError(`--inner-shells "${name}" is unknown; known are ${INNER_SHELL_RULES.join(', ')}`);
  return rule;
}

/** The format to write, by `--to` and by the name to write to; `undefined`: that of the input. */
function readOutputFormat(to: string | undefined, outputFile: string | undefined): FormatId | undefined {
  const requested = to === undefined ? undefined : readFormat(to);
  const extension = outputFile === undefined ? '' : path.extname(outputFile);
  if (extension === '') return requested;
  const named = readFormat(extension);
  const extensions = FORMATS.find(({ id }) => id === requested)?.extensions;
  if (extensions?.includes(extension.slice(1).toLowerCase()) === false)
    throw usageError(`--to ${to} and --output ${outputFile} disagree: leave one of them out, or change the ending`);
  return requested ?? named;
}

function readThumbnail(name: string | undefined, inputCount: number): ProcessOptions['thumbnail'] {
  if (name === undefined) return undefined;
  if (isFolder(name)) return { folder: name };
  if (inputCount > 1)
    throw usageError(`--thumbnail ${name} is one file, and there are ${inputCount} to draw: name a folder`);
  if (path.extname(name).toLowerCase() === '.png') return { file: name, folder: '.' };
  throw usageError(
    `--thumbnail ${name} must end in .png, or be a folder (with a slash at its end, if it is to be made)`,
  );
}

/** Reads the command line of `process`. Throws `USAGE`. */
export function readProcessOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ProcessOptions {
  const options = parseOptions(args, OPTIONS, environment);
  const inputs = options.positionals;
  if (inputs.length === 0) throw usageError('process needs at least one file');
  const to = options.stringValues.get('to');
  const output = options.stringValues.get('output');
  const shouldRepair = options.flags.has('repair');
  const checkOnly = options.flags.has('check');
  if (checkOnly && (to !== undefined || output !== undefined) && !shouldRepair) {
    throw usageError('--check only judges: it writes no file (leave out --to and --output, or add --repair)');
  }
  const isFile = output !== undefined && !isFolder(output);
  if (isFile && inputs.length > 1 && exportFormatOf(path.extname(output)))
    throw usageError(`--output ${output} is one file, and there are ${inputs.length} to write: name a folder`);
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
    printsReport: options.flags.has('report'),
    printsJson: options.flags.has('json'),
    memoryBytes: readByteSize(options, 'memory', MIN_JOB_MEMORY),
  };
}
