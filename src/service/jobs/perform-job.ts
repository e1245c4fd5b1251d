import { analyze } from '../../mesh/analysis/analyze.js';
import { describeModel } from '../../mesh/analysis/describe-model.js';
import { verdictOf } from '../../mesh/analysis/verdict.js';
import { fitToFormat } from '../../mesh/formats/fit-to-format.js';
import { parseInternal, serializeInternal } from '../../mesh/formats/internal.js';
import { parseModel } from '../../mesh/formats/parse-model.js';
import { serializeModel } from '../../mesh/formats/serialize-model.js';
import { MeshError } from '../../mesh/mesh-error.js';
import { repair } from '../../mesh/repair/repair.js';
import { isDiskFull } from '../service-error.js';
import { readWhole, writeWhole } from './files.js';
import type { Job, JobOutcome } from './messages.js';
import { outOfMemory } from './out-of-memory.js';

type OnProgress = (progress: number) => void;

const outputOf = ({ outputPath, operation }: Job): string => {
  if (outputPath === undefined) throw new Error(`the job ${operation} names no output`);
  return outputPath;
};

const done = (result: Extract<JobOutcome, { type: 'done' }>['result']): JobOutcome => ({ type: 'done', result });

const importModel = async (job: Job, onProgress: OnProgress): Promise<JobOutcome> => {
  const { filename, parameters } = job;
  const options = { filename, measurementUnits: parameters.measurementUnits, onProgress };
  const { mesh, warnings } = await parseModel(readWhole(job.inputPath), options);
  writeWhole(outputOf(job), serializeInternal(mesh));
  return done({ report: describeModel(mesh, warnings) });
};

const repairModel = (job: Job, onProgress: OnProgress): JobOutcome => {
  const { mesh, report, isSuccessful, reason } = repair(parseInternal(readWhole(job.inputPath)), { onProgress });
  if (!isSuccessful) {
    const message = `the model could not be repaired: ${reason ?? 'it is still open'}`;
    return { type: 'failed', code: 'REPAIR_INCOMPLETE', message, result: { report } };
  }
  writeWhole(outputOf(job), serializeInternal(mesh));
  return done({ report });
};

const exportModel = (job: Job): JobOutcome => {
  const format = job.parameters.exportToFormat ?? '';
  const { mesh, report } = fitToFormat(parseInternal(readWhole(job.inputPath)), format);
  writeWhole(outputOf(job), serializeModel(mesh, format));
  return done(report ? { report } : {});
};

const analyzeModel = (job: Job): JobOutcome => {
  const analysis = analyze(parseInternal(readWhole(job.inputPath)));
  return done({ analysis, verdict: verdictOf(analysis) });
};

const JOBS: Record<string, (job: Job, onProgress: OnProgress) => JobOutcome | Promise<JobOutcome>> = {
  import: importModel,
  repair: repairModel,
  export: exportModel,
  analyze: analyzeModel,
};

/** Whether an allocation failed that JavaScript survives: typed arrays and strings throw a RangeError. */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof RangeError && /allocation|array length|string length|array buffer/i.test(error.message);

const isMissing = (error: unknown, file: string): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'path' in error && error.path === file;

/** The outcome of what was thrown while a job ran. */
const failureOf = (error: unknown, { memoryBytes, inputPath, filename }: Job): JobOutcome => {
  if (isMissing(error, inputPath)) {
    return { type: 'failed', code: 'INPUT_MISSING', message: `the bytes of ${filename} are not on the disk any more` };
  }
  if (error instanceof MeshError) return { type: 'failed', code: error.code, message: error.message };
  if (isDiskFull(error)) {
    return {
      type: 'failed',
      code: 'DISK_FULL',
      message: 'the disk of the service was full before the output was written',
    };
  }
  if (isOutOfMemory(error)) return outOfMemory(memoryBytes);
  throw error; // a mistake of ours: the process breaks down with it, and its stack is logged
};

/**
 * Runs a job to its end: reads the input, works, writes the output. Takes the thread that it is called in for as long; it waits only where code
 * has to be loaded first.
 */
export const performJob = async (job: Job, onProgress: OnProgress): Promise<JobOutcome> => {
  const perform = JOBS[job.operation];
  if (!perform) throw new Error(`there is no job ${job.operation}`);
  try {
    return await perform(job, onProgress);
  } catch (error) {
    return failureOf(error, job);
  }
};
