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
import { type PlannedFile, planFiles } from './plan-files.js';
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

/** Prints, counts and tabulates the results. */
async function createReporter(files: readonly PlannedFile[], options: ProcessOptions) {
  const startedAt = performance.now();
  const summary = createSummary();
  const table = options.tableFile === undefined ? undefined : await createTable(options.tableFile);
  return {
    async add(processed: ProcessedFile): Promise<void> {
      summary.count(processed);
      await table?.add(processed);
      await print(processed, options);
    },
    async printSummary(isInterrupted: boolean): Promise<void> {
      const isFolderGiven = files.some(({ input }) => input.subfolder !== undefined);
      if (files.length <= 1 && !isFolderGiven && !table) return;
      const suffix = table ? `; table: ${escapeControls(table.file)}` : '';
      const counts = summary.format(performance.now() - startedAt, isInterrupted ? files.length : undefined);
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
      const processed = await processOne(file, options, { runJob, signal, position });
      await reporter.add(processed);
      if (!isAcceptable(processed, options)) status = 1;
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
