import { access, chmod, constants, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Report, ReportWarning, Verdict } from '../../../api/index.js';
import { FORMATS, type FormatId, importFormatOf } from '../../../mesh/formats/format-table.js';
import type { JobRequest, RunJob } from '../../kernel/kernel-runner.js';
import type { JobFailureCode, JobResult } from '../../kernel/messages.js';
import { ensureFolder } from '../../machine/ensure-folder.js';
import type { EXPORT } from '../../operations/kinds/export.js';
import type { IMPORT } from '../../operations/kinds/import.js';
import type { REPAIR } from '../../operations/kinds/repair.js';
import type { THUMBNAIL } from '../../operations/kinds/thumbnail.js';
import type { ParametersOf } from '../../operations/operation-kind.js';
import { claimFilename } from './claim-filename.js';
import { findUnitWarning } from './find-unit-warning.js';
import type { ProcessOptions } from './process-options.js';

/** Error codes of a failed file: those of a kernel run, and those of the file system. */
export type ProcessFailureCode = JobFailureCode | 'FILE_UNREADABLE' | 'FILE_UNWRITABLE';

/**
 * The result of one file, printed by `--json`. The report is that of the repair if there was one, else that of the
 * import.
 */
export interface ProcessedFile {
  input: string;
  output?: string;
  thumbnail?: string;
  isSuccessful: boolean;
  verdict?: Verdict;
  report?: Report;
  error?: { code: ProcessFailureCode; message: string };
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

/** Thrown if a step failed. Carries its partial result. */
class StepError extends Error {
  override readonly name = 'StepError';
  readonly code: ProcessFailureCode;
  readonly result: JobResult;

  constructor(code: ProcessFailureCode, message: string, result: JobResult, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.result = result;
  }
}

function extensionOf(format: FormatId): string {
  return FORMATS.find(({ id }) => id === format)?.extensions[0] ?? format;
}

/** Returns the output format: the requested one, else that of the input if it can be written, else STL. */
function chooseOutputFormat(input: string, { format }: ProcessOptions): FormatId {
  const inputFormat = importFormatOf(input);
  const isExportable = FORMATS.some(({ id, canExport }) => id === inputFormat && canExport);
  return format ?? (isExportable ? inputFormat : undefined) ?? 'stl';
}

function createOutputPath(input: string, options: ProcessOptions, format: FormatId): string {
  if (options.outputFile !== undefined) return options.outputFile;
  const name = `${path.parse(input).name}${options.shouldRepair ? '-repaired' : ''}.${extensionOf(format)}`;
  return path.join(options.outputFolder, name);
}

function createThumbnailPath(input: string, { file, folder }: { file?: string | undefined; folder: string }): string {
  return file ?? path.join(folder, `${path.parse(input).name}.png`);
}

function createStepRunner(input: string, { runJob, signal, onProgress }: ProcessDependencies) {
  const run = async (job: Omit<JobRequest, 'filename'>): Promise<JobResult> => {
    onProgress(job.operation, 0);
    const outcome = await runJob(
      { ...job, filename: path.basename(input) },
      { signal, onProgress: (progress) => onProgress(job.operation, progress) },
    );
    if (outcome.type === 'done') return outcome.result;
    throw new StepError(outcome.code, outcome.message, outcome.result ?? {});
  };
  return run;
}

/** Throws `StepError` if the file cannot be imported, before a kernel process is started. */
async function assertReadable(input: string): Promise<void> {
  const refuse = (code: ProcessFailureCode, message: string, cause?: unknown): never => {
    throw new StepError(code, message, {}, { cause });
  };
  const stats = await stat(input).catch((error: unknown) => refuse('FILE_UNREADABLE', 'No such file.', error));
  if (stats.isDirectory()) refuse('FILE_UNREADABLE', 'This is a folder. Specify the files in it.');
  await access(input, constants.R_OK).catch((error: unknown) =>
    refuse('FILE_UNREADABLE', 'Permission denied. Check the permissions of the file.', error),
  );
  if (importFormatOf(input) !== undefined) return;
  const supported = FORMATS.filter(({ canImport }) => canImport).flatMap(({ extensions }) => extensions);
  refuse('FORMAT_UNKNOWN', `Unknown file format. Supported extensions are ${supported.join(', ')}.`);
}

async function claimOutput(preferred: string): Promise<string> {
  try {
    await ensureFolder(path.dirname(preferred));
    return await claimFilename(preferred);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown';
    throw new StepError('FILE_UNWRITABLE', `Could not write ${preferred}: ${reason}.`, {}, { cause });
  }
}

/**
 * Writes the output of a job to an unused filename, where it appears only once it is complete. Returns that name and
 * the job's result.
 */
async function writeOutput(
  preferred: string,
  run: ReturnType<typeof createStepRunner>,
  job: Parameters<typeof run>[0],
): Promise<{ file: string; result: JobResult }> {
  const file = await claimOutput(preferred);
  const part = `${file}.part`;
  try {
    const result = await run({ ...job, outputPath: part });
    await chmod(part, (await stat(file)).mode); // the part is private, the output gets the user's default mode
    await rename(part, file);
    return { file, result };
  } catch (error) {
    await rm(part, { force: true });
    await rm(file, { force: true });
    throw error;
  }
}

/** Updates the result with the report of an export that changed the model, since the file is what the user gets. */
function applyExportReport(processed: ProcessedFile, report: Report | undefined): void {
  if (!report) return;
  const warnings = [...(processed.report?.warnings ?? []), ...report.warnings];
  processed.report = { ...(processed.report ?? report), after: report.after, warnings, verdict: report.verdict };
  processed.verdict = report.verdict;
}

function listUnitWarnings(input: string, { measurementUnits = 'mm' }: ProcessOptions, { report }: JobResult) {
  const hasUnits = FORMATS.some(({ id, hasUnits }) => hasUnits && id === importFormatOf(input));
  const warning = report && findUnitWarning(report.after, hasUnits ? undefined : measurementUnits);
  return warning ? [warning] : [];
}

/** Runs the requested steps on one file. A failed step is part of the result; throws only if `signal` was aborted. */
export async function processFile(
  input: string,
  options: ProcessOptions,
  dependencies: ProcessDependencies,
): Promise<ProcessedFile> {
  const run = createStepRunner(input, dependencies);
  const temporaryPath = (name: string): string => path.join(dependencies.folder, name);
  const processed: ProcessedFile = { input, isSuccessful: true };
  const importWarnings: ReportWarning[] = [];
  const applyReport = ({ report }: JobResult): void => {
    if (!report) return;
    processed.report = { ...report, warnings: [...importWarnings, ...report.warnings] };
    processed.verdict = report.verdict;
  };
  try {
    await assertReadable(input);
    let model = temporaryPath('imported');
    const units = options.measurementUnits ? { measurementUnits: options.measurementUnits } : {};
    const parameters = { ...units, ...options.meshing } satisfies ParametersOf<typeof IMPORT>;
    const imported = await run({ operation: 'import', inputPath: path.resolve(input), outputPath: model, parameters });
    importWarnings.push(...listUnitWarnings(input, options, imported));
    applyReport(imported);
    importWarnings.push(...(imported.report?.warnings ?? []));
    if (options.shouldRepair) {
      const rule: ParametersOf<typeof REPAIR> = options.innerShells ? { innerShells: options.innerShells } : {};
      const outputPath = temporaryPath('repaired');
      applyReport(await run({ operation: 'repair', inputPath: model, outputPath, parameters: rule }));
      model = outputPath;
    }
    if (options.shouldWrite) {
      const format = chooseOutputFormat(input, options);
      const exportParameters = { exportToFormat: format } satisfies ParametersOf<typeof EXPORT>;
      const job = { operation: 'export', inputPath: model, parameters: exportParameters };
      const { file, result } = await writeOutput(createOutputPath(input, options, format), run, job);
      processed.output = file;
      applyExportReport(processed, result.report);
    }
    if (options.thumbnail) {
      const job = { operation: 'thumbnail', inputPath: model, parameters: THUMBNAIL_PARAMETERS };
      processed.thumbnail = (await writeOutput(createThumbnailPath(input, options.thumbnail), run, job)).file;
    }
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    applyReport(error.result);
    processed.isSuccessful = false;
    processed.error = { code: error.code, message: error.message };
  }
  return processed;
}
