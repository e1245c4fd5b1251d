import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { LIMITS } from '../../defaults.js';
import { escapeControls, escapeControlsInLines } from '../../escape-controls.js';
import { builtKernelProgram } from '../../kernel/built-kernel-program.js';
import { createKernelRunner, type RunJob } from '../../kernel/kernel-runner.js';
import { planConcurrency, readCapacity } from '../../machine/capacity.js';
import { writeText } from '../write-text.js';
import { createSignalListener, SignalError } from './create-signal-listener.js';
import { createSummary } from './create-summary.js';
import { createTable } from './create-table.js';
import { findInputs } from './find-inputs.js';
import { formatReport } from './format-report.js';
import { STANDARD_STREAM } from './output-options.js';
import { type PlannedFile, planEntries, planFiles } from './plan-files.js';
import { type ProcessedFile, processFile } from './process-file.js';
import { type ProcessOptions, readProcessOptions } from './process-options.js';

function createRunner({ memoryBytes }: ProcessOptions): RunJob {
  const plan = planConcurrency(readCapacity(), memoryBytes === undefined ? {} : { jobMemoryBytes: memoryBytes });
  return createKernelRunner({
    program: builtKernelProgram(),
    memoryBytes: plan.jobMemoryBytes,
    timeoutMs: LIMITS.operationTimeoutMs,
    onCrash: (stderr) => process.stderr.write(escapeControlsInLines(stderr)),
  });
}

/** Creates a progress line that overwrites itself on stderr. It writes nothing if stderr is not a terminal. */
function createProgressLine(label: string) {
  const isTerminal = process.stderr.isTTY;
  return {
    show(step: string, progress: number): void {
      if (isTerminal) process.stderr.write(`\r\u001b[K${label}: ${step} ${Math.round(progress * 100)} %`);
    },
    clear(): void {
      if (isTerminal) process.stderr.write('\r\u001b[K');
    },
  };
}

async function print(file: ProcessedFile, options: ProcessOptions): Promise<void> {
  if (options.printJson) return writeText(process.stdout, `${JSON.stringify(file)}\n`);
  const isForStderr = file.error !== undefined || options.outputFile === STANDARD_STREAM;
  return writeText(isForStderr ? process.stderr : process.stdout, `${formatReport(file, options)}\n`);
}

function isAcceptable({ isSuccessful, verdict }: ProcessedFile, { checkOnly }: ProcessOptions): boolean {
  return isSuccessful && !(checkOnly && verdict?.needsRepair !== false);
}

async function processOne(
  file: PlannedFile,
  options: ProcessOptions,
  { runJob, signal, position }: { runJob: RunJob; signal: AbortSignal; position: string },
): Promise<ProcessedFile> {
  signal.throwIfAborted();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'model-processing-'));
  const line = createProgressLine(escapeControls(`${position}${file.filename}`));
  try {
    return await processFile(file, options, { runJob, folder, signal, onProgress: line.show });
  } finally {
    line.clear();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Processes a file, or each model of an archive of several. If the archive has more models than it can list, its own
 * failure comes last. Calls `onModels` with the number of models before the first one.
 */
async function* processModels(
  file: PlannedFile,
  options: ProcessOptions,
  context: { runJob: RunJob; signal: AbortSignal; position: string; onModels: (count: number) => void },
): AsyncGenerator<ProcessedFile> {
  const processed = await processOne(file, options, context);
  const { code, entries = [], hasMoreEntries } = processed.error ?? {};
  const models = code === 'SEVERAL_MODELS' ? planEntries(file, entries, options) : [];
  if (models.length > 0) context.onModels(models.length);
  for (const model of models) yield await processOne(model, options, context);
  if (models.length === 0 || hasMoreEntries) yield processed;
}

/** Prints, counts and tabulates the results. */
async function createReporter(files: readonly PlannedFile[], options: ProcessOptions) {
  const startedAt = performance.now();
  const summary = createSummary();
  let plannedCount = files.length;
  const table = options.tableFile === undefined ? undefined : await createTable(options.tableFile);
  return {
    async add(processed: ProcessedFile): Promise<void> {
      summary.count(processed);
      await table?.add(processed);
      await print(processed, options);
    },
    /** Counts the models of an archive instead of the archive. */
    planModels(count: number): void {
      plannedCount += count - 1;
    },
    async printSummary(isInterrupted: boolean): Promise<void> {
      const isFolderGiven = files.some(({ input }) => input.subfolder !== undefined);
      if (plannedCount <= 1 && !isFolderGiven && !table) return;
      const suffix = table ? `; table: ${escapeControls(table.file)}` : '';
      const counts = summary.format(performance.now() - startedAt, isInterrupted ? plannedCount : undefined);
      await writeText(process.stderr, `${counts}${suffix}\n`);
    },
    close: async (): Promise<void> => table?.close(),
  };
}

/** Processes the files one after the other. Resolves with the exit status. */
async function processFiles(
  files: readonly PlannedFile[],
  options: ProcessOptions,
  signal: AbortSignal,
): Promise<number> {
  const reporter = await createReporter(files, options);
  const runJob = createRunner(options);
  let status = 0;
  try {
    for (const [index, file] of files.entries()) {
      const position = files.length > 1 ? `[${index + 1}/${files.length}] ` : '';
      const context = { runJob, signal, position, onModels: reporter.planModels };
      for await (const processed of processModels(file, options, context)) {
        await reporter.add(processed);
        if (!isAcceptable(processed, options)) status = 1;
      }
    }
  } catch (error) {
    if (!(error instanceof SignalError)) throw error;
    status = error.exitStatus;
    await writeText(process.stderr, `model-processing: ${error.message}.\n`);
  } finally {
    await reporter.close();
  }
  await reporter.printSummary(signal.aborted);
  return status;
}

/** Runs `model-processing process`. Resolves with the exit status; throws `USAGE`. */
export async function processCommand(args: readonly string[]): Promise<number> {
  const options = readProcessOptions(args, process.env);
  const { signal, close } = createSignalListener();
  try {
    return await processFiles(planFiles(await findInputs(options), options), options, signal);
  } finally {
    close();
  }
}
