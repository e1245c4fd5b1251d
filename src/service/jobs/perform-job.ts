import { MeshError } from '../../mesh/core/mesh-error.js';
import type { Job, JobOutcome } from '../kernel/messages.js';
import { outOfMemory } from '../kernel/out-of-memory.js';
import { isDiskFull } from '../service-error.js';
import { analyzeModel } from './analyze-model.js';
import { analyzeWallThickness } from './analyze-wall-thickness.js';
import { drawThumbnail } from './draw-thumbnail.js';
import { exportModel } from './export-model.js';
import { hollowModel } from './hollow-model.js';
import { importModel } from './import-model.js';
import type { JobHandler } from './job-handler.js';
import { reduceModel } from './reduce-model.js';
import { repairGeometry, repairModel } from './repair-model.js';
import { scaleModel } from './scale-model.js';
import { shrinkwrapModel } from './shrinkwrap-model.js';
import { hashFile } from './whole-files.js';

/** operation → the function that runs it */
const JOB_HANDLERS: Record<string, JobHandler> = {
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
};

/** Whether an allocation failed that JavaScript survives: typed arrays and strings throw a RangeError. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof RangeError && /allocation|array length|string length|array buffer/i.test(error.message);
}

function isMissing(error: unknown, file: string): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'path' in error && error.path === file;
}

/** The outcome of what was thrown while a job ran. */
function toFailure(error: unknown, { memoryBytes, inputPath, filename }: Job): JobOutcome {
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
}

/** What a job says while it goes on. */
export interface JobListener {
  onProgress(progress: number): void;
  /** Told the SHA-256 of the input's bytes, where the job asks for it. */
  onInput?(sha256: string): void;
}

/**
 * Runs a job to its end: reads the input, works, writes the output. Takes the thread that it is called in for as long; it waits only where code
 * has to be loaded first.
 */
export async function performJob(job: Job, { onProgress, onInput }: JobListener): Promise<JobOutcome> {
  const perform = JOB_HANDLERS[job.operation];
  if (!perform) throw new Error(`there is no job ${job.operation}`);
  try {
    if (job.reportsInputHash) onInput?.(hashFile(job.inputPath));
    return await perform(job, onProgress);
  } catch (error) {
    return toFailure(error, job);
  }
}
