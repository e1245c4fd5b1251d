import { MeshError } from '../../../src/mesh/mesh-error.js';

/** The `MeshError` that `work` throws. */
export function meshErrorOf(work: () => unknown): MeshError {
  try {
    work();
  } catch (error) {
    if (error instanceof MeshError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown');
}
