import { statSync } from 'node:fs';
import path from 'node:path';
import type { MeasurementUnit } from '../../api/index.js';
import { exportFormatOf, FORMATS, type FormatId, importFormatOf } from '../../mesh/formats/table.js';
import { readUnit, UNIT_IN_MM } from '../../mesh/units.js';
import { StartError } from '../start-error.js';
import { type OptionTable, type ReadOptions, readOptions, readSize } from './read-options.js';

const LEAST_JOB_MEMORY = 128 * 1024 * 1024;

const OPTIONS: OptionTable = {
  units: { type: 'string' },
  repair: { type: 'boolean' },
  to: { type: 'string' },
  output: { type: 'string', short: 'o' },
  check: { type: 'boolean' },
  report: { type: 'boolean' },
  json: { type: 'boolean' },
  memory: { type: 'string' },
};

/** What is to be done with the files. */
export interface ProcessOptions {
  inputs: string[];
  measurementUnits: MeasurementUnit | undefined;
  repairs: boolean;
  /** Whether a file is to be written. */
  writes: boolean;
  /** Default: the format of the input. */
  format: FormatId | undefined;
  /** The file to write; `undefined`: a name made of the input's, in `outputFolder`. */
  outputFile: string | undefined;
  outputFolder: string;
  checks: boolean;
  printsReport: boolean;
  printsJson: boolean;
  memoryBytes: number | undefined;
}

const usage = (message: string): StartError => new StartError('USAGE', message);

const isFolder = (name: string): boolean => {
  if (/[\\/]$/.test(name)) return true;
  try {
    return statSync(name).isDirectory();
  } catch {
    return false; // not there yet, or not to be had: writing will tell
  }
};

const readFormat = (name: string): FormatId => {
  const format = exportFormatOf(name);
  if (format) return format;
  const known = FORMATS.filter(({ canExport }) => canExport).map(({ id }) => id);
  throw usage(`the format "${name}" cannot be written; known are ${known.join(', ')}`);
};

const readMeasurementUnits = (name: string | undefined): MeasurementUnit | undefined => {
  const unit = name === undefined ? undefined : readUnit(name);
  if (name === undefined || unit) return unit;
  throw usage(`--units "${name}" is unknown; known are ${Object.keys(UNIT_IN_MM).join(', ')}`);
};

const readInputs = ({ rest }: ReadOptions): string[] => {
  if (rest.length === 0) throw usage('process needs at least one file');
  const unreadable = rest.find((input) => importFormatOf(input) === undefined);
  if (unreadable === undefined) return rest;
  const known = FORMATS.filter(({ canImport }) => canImport).flatMap(({ extensions }) => extensions);
  throw usage(`the format of "${unreadable}" is unknown; files that can be read end in ${known.join(', ')}`);
};

/** Reads the command line of `process`. Throws `USAGE`. */
export const readProcessOptions = (
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ProcessOptions => {
  const options = readOptions(args, OPTIONS, environment);
  const inputs = readInputs(options);
  const to = options.texts.get('to');
  const output = options.texts.get('output');
  const repairs = options.switches.has('repair');
  const checks = options.switches.has('check');
  if (checks && (to !== undefined || output !== undefined) && !repairs) {
    throw usage('--check only judges: it writes no file (leave out --to and --output, or add --repair)');
  }
  const isOneFile = output !== undefined && inputs.length === 1 && !isFolder(output);
  const named = isOneFile && path.extname(output) !== '' ? path.extname(output) : undefined;
  const format = to ?? named;
  return {
    inputs,
    measurementUnits: readMeasurementUnits(options.texts.get('units')),
    repairs,
    writes: repairs || to !== undefined || output !== undefined,
    format: format === undefined ? undefined : readFormat(format),
    outputFile: isOneFile ? output : undefined,
    outputFolder: output !== undefined && !isOneFile ? output : '.',
    checks,
    printsReport: options.switches.has('report'),
    printsJson: options.switches.has('json'),
    memoryBytes: readSize(options, 'memory', LEAST_JOB_MEMORY),
  };
};
