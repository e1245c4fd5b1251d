import { access, chmod, constants, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Report, ReportWarning, Verdict } from '../../api/index.js';
import { FORMATS, type FormatId, importFormatOf } from '../../mesh/formats/format-table.js';
import type { JobRequest, RunJob } from '../kernel/kernel-runner.js';
import type { JobFailureCode, JobResult } from '../kernel/messages.js';
import { ensureFolder } from '../machine/ensure-folder.js';
import { claimFilename } from './claim-filename.js';
import type { ProcessOptions } from './process-options.js';

/** Why nothing came of a file: what a kernel run can fail with, and what the disk refuses. */
export type ProcessFailureCode = JobFailureCode | 'FILE_UNREADABLE' | 'FILE_UNWRITABLE';

/** What came of one file: one line of `--json`. The report is that of the repair, else of the reading. */
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
  /** A folder of ours, for what comes between. */
  folder: string;
  signal: AbortSignal;
  /** Told which step runs, and how far it is (0..1). */
  onProgress: (step: string, progress: number) => void;
}

/** Thrown where a step failed; carries what it found out nevertheless. */
class StepError extends Error {
  override readonly name = 'StepFailed';
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

/** The format to write: the one asked for, else that of the input, else STL. */
function outputFormat(input: string, { format }: ProcessOptions): FormatId {
  const own = importFormatOf(input);
  return format ?? (FORMATS.some(({ id, canExport }) => id === own && canExport) ? own : undefined) ?? 'stl';
}

function outputName(input: string, options: ProcessOptions, format: FormatId): string {
  if (options.outputFile !== undefined) return options.outputFile;
  const name = `${path.parse(input).name}${options.shouldRepair ? '-repaired' : ''}.${extensionOf(format)}`;
  return path.join(options.outputFolder, name);
}

function thumbnailName(input: string, { file, folder }: { file?: string | undefined; folder: string }): string {
  return file ?? path.join(folder, `${path.parse(input).name}.png`);
}

function createSteps(input: string, { runJob, signal, onProgress }: ProcessDependencies) {
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

/** Says so before a process is started, where the file is none that can be read. */
async function checkInput(input: string): Promise<void> {
  const refuse = (code: ProcessFailureCode, message: string, cause?: unknown): never => {
    throw new StepError(code, message, {}, { cause });
  };
  const processed = await stat(input).catch((error: unknown) =>
    refuse('FILE_UNREADABLE', 'there is no such file', error),
  );
  if (processed.isDirectory()) refuse('FILE_UNREADABLE', 'it is a folder: name the files in it');
  await access(input, constants.R_OK).catch((error: unknown) =>
    refuse('FILE_UNREADABLE', 'you may not read this file: look at its permissions', error),
  );
  if (importFormatOf(input) !== undefined) return;
  const known = FORMATS.filter(({ canImport }) => canImport).flatMap(({ extensions }) => extensions);
  refuse('FORMAT_UNKNOWN', `files that can be read end in ${known.join(', ')}`);
}

async function claimOutput(wanted: string): Promise<string> {
  try {
    await ensureFolder(path.dirname(wanted));
    return await claimFilename(wanted);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown';
    throw new StepError('FILE_UNWRITABLE', `the output cannot be written: ${reason}`, {}, { cause });
  }
}

/** Writes what a job makes under a free name, where it appears only when whole. Answers that name, and what the job found out. */
async function writeTo(
  wanted: string,
  run: ReturnType<typeof createSteps>,
  job: Parameters<typeof run>[0],
): Promise<{ file: string; result: JobResult }> {
  const file = await claimOutput(wanted);
  const part = `${file}.part`;
  try {
    const result = await run({ ...job, outputPath: part });
    await chmod(part, (await stat(file)).mode); // what lies between is ours alone, the result is the user's
    await rename(part, file);
    return { file, result };
  } catch (error) {
    await rm(part, { force: true });
    await rm(file, { force: true });
    throw error;
  }
}

/** What the writing of a file did to the model, where it did something: the file is what the user has. */
function applyExportReport(processed: ProcessedFile, report: Report | undefined): void {
  if (!report) return;
  const warnings = [...(processed.report?.warnings ?? []), ...report.warnings];
  processed.report = { ...(processed.report ?? report), after: report.after, warnings, verdict: report.verdict };
  processed.verdict = report.verdict;
}

/** Takes one file through the steps that were asked for. What fails is told in the answer; throws only when it was broken off. */
export async function processFile(
  input: string,
  options: ProcessOptions,
  dependencies: ProcessDependencies,
): Promise<ProcessedFile> {
  const run = createSteps(input, dependencies);
  const at = (name: string): string => path.join(dependencies.folder, name);
  const processed: ProcessedFile = { input, isSuccessful: true };
  const readingWarnings: ReportWarning[] = [];
  const note = ({ report }: JobResult): void => {
    if (!report) return;
    processed.report = { ...report, warnings: [...readingWarnings, ...report.warnings] };
    processed.verdict = report.verdict;
  };
  try {
    await checkInput(input);
    let model = at('imported');
    const units = options.measurementUnits ? { measurementUnits: options.measurementUnits } : {};
    const parameters = { ...units, ...options.meshing };
    const imported = await run({ operation: 'import', inputPath: path.resolve(input), outputPath: model, parameters });
    note(imported);
    readingWarnings.push(...(imported.report?.warnings ?? []));
    if (options.shouldRepair) {
      const repairing = options.innerShells ? { innerShells: options.innerShells } : {};
      note(await run({ operation: 'repair', inputPath: model, outputPath: at('repaired'), parameters: repairing }));
      model = at('repaired');
    }
    if (options.shouldWrite) {
      const format = outputFormat(input, options);
      const job = { operation: 'export', inputPath: model, parameters: { exportToFormat: format } };
      const { file, result } = await writeTo(outputName(input, options, format), run, job);
      processed.output = file;
      applyExportReport(processed, result.report);
    }
    if (options.thumbnail) {
      const job = { operation: 'thumbnail', inputPath: model, parameters: { background: 'plain' as const } };
      processed.thumbnail = (await writeTo(thumbnailName(input, options.thumbnail), run, job)).file;
    }
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    note(error.result);
    processed.isSuccessful = false;
    processed.error = { code: error.code, message: error.message };
  }
  return processed;
}
