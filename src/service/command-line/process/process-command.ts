import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { LIMITS } from '../../defaults.js';
import { builtKernelProgram } from '../../kernel/built-kernel-program.js';
import { createKernelRunner, type RunJob } from '../../kernel/kernel-runner.js';
import { planConcurrency, readCapacity } from '../../machine/capacity.js';
import { formatReport } from './format-report.js';
import { type ProcessedFile, processFile } from './process-file.js';
import { type ProcessOptions, readProcessOptions } from './process-options.js';

function createRunner({ memoryBytes }: ProcessOptions): RunJob {
  const plan = planConcurrency(readCapacity(), memoryBytes === undefined ? {} : { jobMemoryBytes: memoryBytes });
  return createKernelRunner({
    program: builtKernelProgram(),
    memoryBytes: plan.jobMemoryBytes,
    timeoutMs: LIMITS.operationTimeoutMs,
    onCrash: (stderr) => process.stderr.write(stderr),
  });
}

/** Creates a progress line that overwrites itself on stderr. It writes nothing if stderr is not a terminal. */
function createProgressLine(input: string) {
  const isTerminal = process.stderr.isTTY;
  return {
    show(step: string, progress: number): void {
      if (isTerminal) process.stderr.write(`\r\u001b[K${input}: ${step} ${Math.round(progress * 100)} %`);
    },
    clear(): void {
      if (isTerminal) process.stderr.write('\r\u001b[K');
    },
  };
}

function print(file: ProcessedFile, options: ProcessOptions): void {
  if (options.printJson) process.stdout.write(`${JSON.stringify(file)}\n`);
  else (file.error ? process.stderr : process.stdout).write(`${formatReport(file, options)}\n`);
}

function isAcceptable({ isSuccessful, verdict }: ProcessedFile, { checkOnly }: ProcessOptions): boolean {
  return isSuccessful && !(checkOnly && verdict?.needsRepair !== false);
}

async function processOne(
  input: string,
  options: ProcessOptions,
  runJob: RunJob,
  signal: AbortSignal,
): Promise<ProcessedFile> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'model-processing-'));
  const line = createProgressLine(input);
  try {
    return await processFile(input, options, { runJob, folder, signal, onProgress: line.show });
  } finally {
    line.clear();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs `model-processing process`: processes the files one after the other. Resolves with the exit status; throws
 * `USAGE`.
 */
export async function processCommand(args: readonly string[]): Promise<number> {
  const options = readProcessOptions(args, process.env);
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error('Stopped by a signal.'));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const runJob = createRunner(options);
  let status = 0;
  for (const input of options.inputs) {
    const file = await processOne(input, options, runJob, stopping.signal);
    print(file, options);
    if (!isAcceptable(file, options)) status = 1;
  }
  return status;
}
