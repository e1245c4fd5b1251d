import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { type ExportFormat, exportFormatOf } from '../../../mesh/formats/registry.js';
import { EXPORT } from '../../operations/kinds/export.js';
import { StartError } from '../../start-error.js';
import { REPORT_LANGUAGES, type ReportLanguage } from '../html-report/report-texts.js';
import type { ParsedOptions } from '../parse-options.js';

/** The name of stdin as an input, and of stdout as an output. */
export const STANDARD_STREAM = '-';

/** An output beside the model: a file, or a folder for files named after the inputs. */
export interface SideOutput {
  file?: string | undefined;
  folder: string;
}

/** The options of `process` that select the files to write. */
export interface OutputOptions {
  /** Whether to write the model. */
  shouldWrite: boolean;
  /** Default: the format of the input. */
  format: ExportFormat | undefined;
  /** The output file, or `-` for stdout. Default: named after the input, in `outputFolder`. */
  outputFile: string | undefined;
  outputFolder: string;
  /** The thumbnail to render. Default: none. */
  thumbnail: SideOutput | undefined;
  /** The HTML report to write, as `thumbnail`. Default: none. */
  html: SideOutput | undefined;
  /** The language of HTML reports. */
  language: ReportLanguage;
  /** Whether to skip files whose outputs exist. */
  skipExisting: boolean;
  /** A CSV file with one row per file. Default: none. */
  tableFile: string | undefined;
}

function usageError(message: string): StartError {
  return new StartError('USAGE', message);
}

/** Returns whether a path names a folder: one that exists, or one with a trailing slash. */
export function isFolder(name: string): boolean {
  if (/[\\/]$/.test(name)) return true;
  try {
    return statSync(name).isDirectory();
  } catch {
    return false; // missing or inaccessible: reading or writing it reports the error
  }
}

/** Returns whether a path to write is a folder: also one that does not exist and has no extension. */
function isOutputFolder(name: string): boolean {
  return isFolder(name) || (path.extname(name) === '' && !existsSync(name));
}

function readFormat(name: string): ExportFormat {
  const format = exportFormatOf(name);
  if (format) return format;
  const { names } = EXPORT.parameters.exportToFormat;
  throw usageError(`Invalid output format "${name}": expected one of ${names.join(', ')}.`);
}

/** Returns the output format by `--to` and by the extension of the output file; `undefined` for that of the input. */
function readOutputFormat(to: string | undefined, outputFile: string | undefined): ExportFormat | undefined {
  const requested = to === undefined ? undefined : readFormat(to);
  const extension = outputFile === undefined ? '' : path.extname(outputFile);
  if (extension === '') return requested;
  const extensionFormat = readFormat(extension);
  if (requested?.extensions.includes(extension.slice(1).toLowerCase()) === false)
    throw usageError(
      `--to ${to} and --output ${outputFile} name different formats. Omit one of them, or change the extension.`,
    );
  return requested ?? extensionFormat;
}

/** Returns why the inputs do not fit into one output file, or `undefined` if they are one file. */
export function findConflict(inputs: readonly string[]): string | undefined {
  if (inputs.length > 1) return `there are ${inputs.length} inputs`;
  return inputs.some(isFolder) ? 'the input is a folder' : undefined;
}

/** Returns the output file, `-` for stdout, or `undefined` for files in a folder. */
function readOutputFile(output: string | undefined, inputs: readonly string[]): string | undefined {
  if (output === undefined || (output !== STANDARD_STREAM && isOutputFolder(output))) return undefined;
  const conflict = findConflict(inputs);
  if (conflict === undefined) return output;
  if (output === STANDARD_STREAM) throw usageError(`--output - writes one model to stdout, but ${conflict}.`);
  if (exportFormatOf(path.extname(output)))
    throw usageError(`--output ${output} is a file, but ${conflict}. Specify a folder.`);
  return undefined;
}

function readSideOutput(
  option: string,
  extension: string,
  name: string | undefined,
  inputs: readonly string[],
): SideOutput | undefined {
  if (name === undefined) return undefined;
  if (isOutputFolder(name)) return { folder: name };
  const conflict = findConflict(inputs);
  if (conflict !== undefined) throw usageError(`${option} ${name} is a file, but ${conflict}. Specify a folder.`);
  if (path.extname(name).toLowerCase() === extension) return { file: name, folder: '.' };
  throw usageError(`Invalid ${option} "${name}": expected a ${extension} file or a folder.`);
}

function readLanguage(name: string | undefined, html: SideOutput | undefined): ReportLanguage {
  if (name === undefined) return 'en';
  if (!html) throw usageError('--language requires --html.');
  const language = REPORT_LANGUAGES.find((known) => known === name.toLowerCase());
  if (!language) throw usageError(`Invalid --language "${name}": expected one of ${REPORT_LANGUAGES.join(', ')}.`);
  return language;
}

function readTableFile(name: string | undefined): string | undefined {
  if (name === undefined || !(name === STANDARD_STREAM || isFolder(name))) return name;
  throw usageError(`Invalid --table "${name}": expected a file, such as models.csv.`);
}

function assertCanSkip({ shouldWrite, outputFile, thumbnail, html }: OutputOptions, isCheck: boolean): void {
  if (isCheck) throw usageError('--skip-existing analyzes no skipped file. Omit --check.');
  if (outputFile === STANDARD_STREAM) throw usageError('--skip-existing requires output files. Omit --output -.');
  if (!shouldWrite && !thumbnail && !html)
    throw usageError('--skip-existing requires output files. Add --repair, --to, --output, --thumbnail or --html.');
}

/** Reads the options that select the files to write. Throws `USAGE`. */
export function readOutputOptions({ stringValues, flags }: ParsedOptions, inputs: readonly string[]): OutputOptions {
  const to = stringValues.get('to');
  const output = stringValues.get('output');
  const shouldRepair = flags.has('repair');
  if (flags.has('check') && (to !== undefined || output !== undefined) && !shouldRepair)
    throw usageError('--check without --repair writes no file. Omit --to and --output, or add --repair.');
  const outputFile = readOutputFile(output, inputs);
  if (outputFile === STANDARD_STREAM && flags.has('json'))
    throw usageError('--json and --output - both write to stdout. Omit one of them.');
  const html = readSideOutput('--html', '.html', stringValues.get('html'), inputs);
  const options: OutputOptions = {
    shouldWrite: shouldRepair || to !== undefined || output !== undefined,
    format: readOutputFormat(to, outputFile),
    outputFile,
    outputFolder: outputFile === undefined ? (output ?? '.') : '.',
    thumbnail: readSideOutput('--thumbnail', '.png', stringValues.get('thumbnail'), inputs),
    html,
    language: readLanguage(stringValues.get('language'), html),
    skipExisting: flags.has('skip-existing'),
    tableFile: readTableFile(stringValues.get('table')),
  };
  if (options.skipExisting) assertCanSkip(options, flags.has('check'));
  return options;
}
