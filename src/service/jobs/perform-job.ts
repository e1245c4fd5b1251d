import { MeshError } from '../../mesh/core/mesh-error.js';
import type { TaskRunner } from '../../mesh/core/task-runner.js';
import { isUnreadable } from '../blobs/blob-damage.js';
import { digestFile } from '../blobs/digest.js';
import type { Job, JobOutcome } from '../kernel/messages.js';
import { createOutOfMemoryOutcome } from '../kernel/out-of-memory.js';
import { isMissing } from '../machine/is-missing.js';
import type { SupportedKind } from '../operations/kinds.js';
import { isDiskFull } from '../service-error.js';
import { analyzeModel } from './analyze-model.js';
import { analyzeWallThickness } from './analyze-wall-thickness.js';
import { drawThumbnail } from './draw-thumbnail.js';
import { exportModel } from './export-model.js';
import { hollowModel } from './hollow-model.js';
import { importModel } from './import-model.js';
import type { HandlerOutcome, JobHandler } from './job-handler.js';
import { previewModel } from './preview-model.js';
import { reduceModel } from './reduce-model.js';
import { repairGeometry, repairModel } from './repair-model.js';
import { scaleModel } from './scale-model.js';
import { shrinkwrapModel } from './shrinkwrap-model.js';

/** Operation → its handler. Loaded in kernel processes only. */
const JOB_HANDLERS: { readonly [Kind in SupportedKind as Kind['name']]: JobHandler<Kind> } = {
  import: importModel,
  repair: repairModel,
  'geometrical-repair': repairGeometry,
  'shrinkwrap-repair': shrinkwrapModel,
  export: exportModel,
  analyze: analyzeModel,
  scale: scaleModel,
  'reduce-triangles': reduceModel,
  hollowing: hollowModel,
  'wall-thickness-analysis': analyzeWallThickness,
  thumbnail: drawThumbnail,
  preview: previewModel,
};

/**
 * Returns whether a typed array or a string could not be allocated. V8 throws a RangeError then; other failures end the
 * process.
 */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof RangeError && /allocation|array length|string length|array buffer/i.test(error.message);
}

function isInputMissing(error: unknown, inputPath: string): boolean {
  return isMissing(error) && error instanceof Error && 'path' in error && error.path === inputPath;
}

/** Returns whether a job failed because the disk cannot read its input. Such an error does not name the file. */
function isInputUnreadable(error: unknown, inputPath: string): boolean {
  if (!isUnreadable(error)) return false;
  try {
    digestFile(inputPath);
    return false;
  } catch (again) {
    return isUnreadable(again);
  }
}

/**
 * Returns the failure of a job whose input has other bytes than expected, or none. `reason`: what happened to its
 * content.
 */
function createDamagedOutcome({ filename }: Job, reason: string): JobOutcome {
  const message = `Could not read ${filename}: its content ${reason}, and upload the file again.`;
  return { type: 'failed', code: 'INPUT_DAMAGED', message };
}

/** Returns the outcome of a job that threw. Rethrows unknown errors. */
function toFailure(error: unknown, job: Job): JobOutcome {
  const { memoryBytes, inputPath, filename } = job;
  if (isInputUnreadable(error, inputPath))
    return createDamagedOutcome(job, 'cannot be read from the disk of the service. Check the disk');
  if (isInputMissing(error, inputPath)) {
    return {
      type: 'failed',
      code: 'INPUT_MISSING',
      message: `Could not read ${filename}: its content was deleted from the storage of the service.`,
    };
  }
  if (error instanceof MeshError) {
    const { code, message, entries, hasMoreEntries } = error;
    return { type: 'failed', code, message, ...(entries && { entries }), ...(hasMoreEntries && { hasMoreEntries }) };
  }
  if (isDiskFull(error)) {
    return {
      type: 'failed',
      code: 'DISK_FULL',
      message: 'Could not write the output: the disk of the service is full. Free disk space.',
    };
  }
  if (isOutOfMemory(error)) return createOutOfMemoryOutcome(memoryBytes);
  throw error; // a programming error: it crashes the process, and its stack is logged
}

/**
 * Returns the handler of an operation. The parameters of a job need no check: the service, or the command line, has read
 * them by the record that types the handler.
 */
function findHandler(operation: string): JobHandler | undefined {
  return new Map<string, unknown>(Object.entries(JOB_HANDLERS)).get(operation) as JobHandler | undefined;
}

/**
 * Runs a job: reads the input, computes, writes the output, and computes its digest. Blocks its thread meanwhile, except
 * while a reader loads its library. Calls `onProgress` with 0..1. `runner`: runs parts of it in other threads. Throws on a
 * programming error; all other failures are outcomes.
 */
export async function performJob(
  job: Job,
  onProgress: (progress: number) => void,
  runner?: TaskRunner,
): Promise<HandlerOutcome> {
  const perform = findHandler(job.operation);
  if (!perform) throw new Error(`Unknown job ${job.operation}.`);
  const { inputPath, inputSha256, outputPath } = job;
  try {
    if (inputSha256 !== undefined && digestFile(inputPath).sha256 !== inputSha256) {
      return createDamagedOutcome(job, 'was altered in the storage of the service. Check the storage');
    }
    const outcome = await perform(job, onProgress, runner);
    return outcome.type === 'done' && outputPath !== undefined
      ? { ...outcome, output: digestFile(outputPath) }
      : outcome;
  } catch (error) {
    return toFailure(error, job);
  }
}
