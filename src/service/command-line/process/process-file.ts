import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Report, Verdict } from '../../../api/index.js';
import type { RunJob } from '../../kernel/kernel-runner.js';
import type { ArchiveEntries, JobResult } from '../../kernel/messages.js';
import type { EXPORT } from '../../operations/kinds/export.js';
import type { IMPORT } from '../../operations/kinds/import.js';
import type { REPAIR } from '../../operations/kinds/repair.js';
import type { THUMBNAIL } from '../../operations/kinds/thumbnail.js';
import type { ParametersOf } from '../../operations/operation-kind.js';
import type { ReportLanguage } from '../html-report/report-texts.js';
import { STANDARD_STREAM } from './output-options.js';
import type { PlannedFile } from './plan-files.js';
import type { ProcessOptions } from './process-options.js';
import { readInput } from './read-input.js';
import { type ProcessFailureCode, StepError } from './step-error.js';
import { writeHtmlReport } from './write-html-report.js';
import { type RunStep, sendOutput, writeOutput } from './write-output.js';

/**
 * The result of one file, printed by `--json`. The report is that of the repair if there was one, else that of the
 * import.
 */
export interface ProcessedFile {
  /** The path, or `-` for stdin. */
  input: string;
  /** The model in an archive. */
  entry?: string;
  /** The path, or `-` for stdout. */
  output?: string;
  thumbnail?: string;
  html?: string;
  isSuccessful: boolean;
  /** Set if the file was not processed, because its outputs exist (`--skip-existing`). */
  isSkipped?: true;
  verdict?: Verdict;
  report?: Report;
  error?: { code: ProcessFailureCode; message: string } & ArchiveEntries;
}

export interface ProcessDependencies {
  runJob: RunJob;
  /** A private folder for intermediate files. */
  folder: string;
  signal: AbortSignal;
  /** Called with the current step and its progress (0..1). */
  onProgress: (step: string, progress: number) => void;
}

const THUMBNAIL_PARAMETERS: ParametersOf<typeof THUMBNAIL> = {
  width: 512,
  height: 512,
  cameraAngleX: 25,
  cameraAngleY: 0,
  cameraAngleZ: -35,
  background: 'plain',
};

function createStepRunner(filename: string, { runJob, signal, onProgress }: ProcessDependencies): RunStep {
  return async (job) => {
    onProgress(job.operation, 0);
    const outcome = await runJob(
      { ...job, filename: path.basename(filename) },
      { signal, onProgress: (progress) => onProgress(job.operation, progress) },
    );
    if (outcome.type === 'done') return outcome.result;
    throw new StepError(outcome.code, outcome.message, outcome.result, outcome);
  };
}

/** Updates the result with the report of an export that changed the model, since the file is what the user gets. */
function applyExportReport(processed: ProcessedFile, report: Report | undefined): void {
  if (!report) return;
  const known = processed.report?.warnings ?? [];
  // The report of every operation begins with the warnings of the import.
  const isNew = ({ message }: Report['warnings'][number]): boolean => !known.some((other) => other.message === message);
  const warnings = [...known, ...report.warnings.filter(isNew)];
  processed.report = { ...(processed.report ?? report), after: report.after, warnings, verdict: report.verdict };
  processed.verdict = report.verdict;
}

/** Imports, repairs and writes one file. Throws `StepError`; `processed` then has the results so far. */
async function runSteps(
  file: PlannedFile,
  options: ProcessOptions,
  dependencies: ProcessDependencies,
  processed: ProcessedFile,
): Promise<void> {
  const run = createStepRunner(file.filename, dependencies);
  const temporaryPath = (name: string): string => path.join(dependencies.folder, name);
  const applyReport = ({ report }: JobResult): void => {
    if (!report) return;
    processed.report = report;
    processed.verdict = report.verdict;
  };
  try {
    const inputPath = await readInput(file, temporaryPath('input'), dependencies.signal);
    const models: StoredModels = { before: undefined, after: temporaryPath('imported') };
    const units = options.measurementUnits ? { measurementUnits: options.measurementUnits } : {};
    const { entry } = file.input;
    const parameters = {
      ...units,
      ...options.meshing,
      ...options.selection,
      ...(entry !== undefined && { entry }),
    } satisfies ParametersOf<typeof IMPORT>;
    applyReport(
      await run({
        operation: 'import',
        inputPath,
        ...(file.input.name === STANDARD_STREAM ? {} : { companionFolder: path.dirname(inputPath) }),
        outputPath: models.after,
        parameters,
      }),
    );
    if (options.shouldRepair) {
      const { innerShells, parts } = options;
      const rules: ParametersOf<typeof REPAIR> = { ...(innerShells && { innerShells }), ...(parts && { parts }) };
      const [source, outputPath] = [models.after, temporaryPath('repaired')];
      applyReport(await run({ operation: 'repair', inputPath: source, outputPath, parameters: rules }));
      Object.assign(models, { before: source, after: outputPath });
    }
    await writeOutputs(file, models, { run, dependencies, language: options.language }, processed);
  } catch (error) {
    if (error instanceof StepError) applyReport(error.result);
    throw error;
  }
}

/** The files of a model: before a repair, if there was one, and the result. */
interface StoredModels {
  before: string | undefined;
  after: string;
}

/** Writes the requested files, and adds their names to the result. */
async function writeOutputs(
  { filename, format, outputPath, thumbnailPath, htmlPath }: PlannedFile,
  { before, after }: StoredModels,
  { run, dependencies, language }: { run: RunStep; dependencies: ProcessDependencies; language: ReportLanguage },
  processed: ProcessedFile,
): Promise<void> {
  if (outputPath !== undefined) {
    const parameters = { exportToFormat: format.id } satisfies ParametersOf<typeof EXPORT>;
    const job = { operation: 'export', inputPath: after, parameters };
    const { file, result } =
      outputPath === STANDARD_STREAM
        ? await sendOutput(path.join(dependencies.folder, 'output'), run, job, dependencies.signal)
        : await writeOutput(outputPath, (part) => run({ ...job, outputPath: part }));
    processed.output = file;
    applyExportReport(processed, result.report);
  }
  if (thumbnailPath !== undefined) {
    const job = { operation: 'thumbnail', inputPath: after, parameters: THUMBNAIL_PARAMETERS };
    const { file } = await writeOutput(thumbnailPath, (part) => run({ ...job, outputPath: part }));
    processed.thumbnail = file;
  }
  if (htmlPath !== undefined && processed.report) {
    const source = { filename: path.basename(filename), language, report: processed.report, before, after };
    const { folder } = dependencies;
    processed.html = await writeHtmlReport(htmlPath, source, { run, folder, thumbnail: THUMBNAIL_PARAMETERS });
  }
}

async function exists(file: string | undefined): Promise<boolean> {
  if (file === undefined) return true;
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Returns whether nothing is to be done for a file, with `--skip-existing`. */
async function isDone(
  { input, outputPath, thumbnailPath, htmlPath, isOutput }: PlannedFile,
  { skipExisting }: ProcessOptions,
): Promise<boolean> {
  if (!skipExisting || input.problem !== undefined) return false;
  const found = await Promise.all([outputPath, thumbnailPath, htmlPath].map(exists));
  return isOutput || found.every(Boolean);
}

/**
 * Runs the requested steps on one file. A failed step is part of the result. Throws if `signal` was aborted, and if
 * stdout could not be written.
 */
export async function processFile(
  file: PlannedFile,
  options: ProcessOptions,
  dependencies: ProcessDependencies,
): Promise<ProcessedFile> {
  const { name, entry } = file.input;
  const processed: ProcessedFile = { input: name, ...(entry !== undefined && { entry }), isSuccessful: true };
  if (await isDone(file, options)) {
    if (file.outputPath !== undefined) processed.output = file.outputPath;
    return { ...processed, isSkipped: true };
  }
  try {
    await runSteps(file, options, dependencies, processed);
  } catch (error) {
    dependencies.signal.throwIfAborted();
    if (!(error instanceof StepError)) throw error;
    processed.isSuccessful = false;
    const { entries, hasMoreEntries } = error.archive;
    processed.error = {
      ...{ code: error.code, message: error.message },
      ...(entries && { entries }),
      ...(hasMoreEntries && { hasMoreEntries }),
    };
  }
  return processed;
}
