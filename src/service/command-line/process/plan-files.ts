import path from 'node:path';
import type { Format } from '../../../mesh/formats/format.js';
import { importFormatOf } from '../../../mesh/formats/registry.js';
import { STL } from '../../../mesh/formats/stl/stl.js';
import { sanitizeFilename } from '../../http/filename.js';
import type { InputFile } from './find-inputs.js';
import { type SideOutput, STANDARD_STREAM } from './output-options.js';
import type { ProcessOptions } from './process-options.js';

/** A file to process and the files to write for it, before names in use are avoided. */
export interface PlannedFile {
  input: InputFile;
  /** The name whose extension determines the format of the input. */
  filename: string;
  format: Format;
  /** `-` for stdout. */
  outputPath: string | undefined;
  thumbnailPath: string | undefined;
  htmlPath: string | undefined;
  /** Whether the input was found in a folder and is the output of an input. */
  isOutput: boolean;
}

/** Returns the output format: the requested one, else that of the input if it can be written, else STL. */
function chooseOutputFormat(filename: string, { format }: ProcessOptions): Format {
  const inputFormat = importFormatOf(filename);
  return format ?? (inputFormat?.write ? inputFormat : STL);
}

/** Returns the name of the outputs without extension; with the name of the archive for a model in one. */
function nameOutput(filename: string, entry: string | undefined): string {
  const { name } = path.parse(filename);
  const entryName = entry === undefined ? undefined : sanitizeFilename(entry);
  return entryName === undefined ? name : `${name}-${path.parse(entryName).name}`;
}

function planFile(input: InputFile, options: ProcessOptions): PlannedFile {
  const { outputFile, outputFolder, thumbnail, html, shouldRepair, shouldWrite, stdinExtension } = options;
  const filename = input.name === STANDARD_STREAM ? `stdin.${stdinExtension}` : input.name;
  const format = chooseOutputFormat(input.entry ?? filename, options);
  const name = nameOutput(filename, input.entry);
  const subfolder = input.subfolder ?? '';
  const pathOf = (output: SideOutput | undefined, extension: string): string | undefined =>
    output && (output.file ?? path.join(output.folder, subfolder, `${name}${extension}`));
  const outputName = `${name}${shouldRepair ? '-repaired' : ''}.${format.extensions[0]}`;
  return {
    input,
    filename,
    format,
    outputPath: shouldWrite ? (outputFile ?? path.join(outputFolder, subfolder, outputName)) : undefined,
    thumbnailPath: pathOf(thumbnail, '.png'),
    htmlPath: pathOf(html, '.html'),
    isOutput: false,
  };
}

/** Creates a function that makes paths unique by a suffix: `name.stl`, `name-2.stl` … */
function createNumbering(): (preferred: string | undefined) => string | undefined {
  const used = new Set<string>();
  return (preferred) => {
    if (preferred === undefined) return undefined;
    const { dir, name, ext } = path.parse(preferred);
    let file = preferred;
    for (let suffix = 2; used.has(file); suffix++) file = path.join(dir, `${name}-${suffix}${ext}`);
    used.add(file);
    return file;
  };
}

function isSamePath(input: string, output: string | undefined): boolean {
  return output !== undefined && path.resolve(input) === path.resolve(output);
}

/**
 * Plans the files to write for the models in an archive of several. Returns none if the archive or an option stands for
 * one model.
 */
export function planEntries(
  { input }: PlannedFile,
  entries: readonly string[],
  options: ProcessOptions,
): PlannedFile[] {
  const { outputFile, thumbnail, html } = options;
  const isForOne = input.entry !== undefined || input.name === STANDARD_STREAM;
  if (isForOne || outputFile !== undefined || thumbnail?.file !== undefined || html?.file !== undefined) return [];
  const inputs = entries.map((entry) => ({ ...input, entry }));
  return planFiles(inputs, options);
}

/**
 * Plans the files to write. With `skipExisting`, two inputs never have the same output (`part.stl` and `part.step` to
 * `part.obj` and `part-2.obj`), so that an existing output belongs to one input; and outputs in the folder of their
 * inputs are not processed again.
 */
export function planFiles(inputs: readonly InputFile[], options: ProcessOptions): PlannedFile[] {
  const files = inputs.map((input) => planFile(input, options));
  if (!options.skipExisting) return files;
  const [numberOutput, numberThumbnail, numberHtml] = [createNumbering(), createNumbering(), createNumbering()];
  const numbered = files.map((file) => ({
    ...file,
    // An input that would be its own output stays as it is and takes no name from another one.
    outputPath: isSamePath(file.input.name, file.outputPath) ? file.outputPath : numberOutput(file.outputPath),
    thumbnailPath: numberThumbnail(file.thumbnailPath),
    htmlPath: numberHtml(file.htmlPath),
  }));
  const outputs = new Set(
    numbered.flatMap(({ outputPath }) => (outputPath === undefined ? [] : path.resolve(outputPath))),
  );
  return numbered.map((file) => ({
    ...file,
    isOutput: file.input.subfolder !== undefined && outputs.has(path.resolve(file.input.name)),
  }));
}
