import { stat } from 'node:fs/promises';
import { findKind } from '../operations/kinds.js';
import type { Job } from './messages.js';

/**
 * A job with a smaller input gets no second thread, which would start when most of the work is done. A binary STL file of
 * 100,000 triangles has 5 MB.
 */
const MIN_SHARED_INPUT_BYTES = 4 * 1024 ** 2;

/**
 * Returns the number of threads for a job: `maxThreads`, or 1 if its operation cannot use more, or its input is small or
 * missing.
 */
export async function chooseThreadCount(
  { operation, inputPath }: Pick<Job, 'operation' | 'inputPath'>,
  maxThreads: number,
): Promise<number> {
  if (!findKind(operation)?.canUseThreads) return 1;
  const size = await stat(inputPath).then(
    (stats) => stats.size,
    () => 0,
  );
  return size < MIN_SHARED_INPUT_BYTES ? 1 : maxThreads;
}
