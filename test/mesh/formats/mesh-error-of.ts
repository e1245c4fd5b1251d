import { MeshError } from '../../../src/mesh/core/mesh-error.js';

/** Returns the `MeshError` that `work` throws. Other errors are rethrown. */
export function meshErrorOf(work: () => unknown): MeshError {
  try {
    work();
  } catch (error) {
    if (error instanceof MeshError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown');
}

/** Returns the `MeshError` that `work` rejects with. Throws other errors. */
export async function rejectionOf(work: Promise<unknown>): Promise<MeshError> {
  const error: unknown = await work.then(
    () => new Error('Nothing was thrown'),
    (reason: unknown) => reason,
  );
  if (error instanceof MeshError) return error;
  throw error;
}
