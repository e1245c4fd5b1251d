import type { BlobStore } from '../blobs/blob-store.js';
import type { CacheKey, Operations } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';

/** The dependencies of a result cache. */
export interface ResultCacheDependencies {
  operations: Pick<Operations, 'findCached'>;
  blobs: BlobStore;
  /** The version of the kernel, as part of the cache key. */
  kernelVersion: string;
  /** Called on each cache hit. */
  onHit: () => void;
}

/** Finds the outputs of earlier identical operations. */
export interface ResultCache {
  /**
   * Finds an identical operation of the same user with the same input (`id`) or with an input of the same bytes
   * (`hash`).
   */
  find(row: OperationRow, input: CacheKey['input']): Promise<OperationRow | undefined>;
  /**
   * Links its output to the temporary file `temporaryId` without copying it. Resolves with false if that is not
   * possible.
   */
  reuseOutput(cached: OperationRow, temporaryId: string): Promise<boolean>;
  kernelVersion: string;
}

/**
 * Creates a result cache over the completed operations. An output is found as long as it is stored, so expiry and quota
 * bound the cache, and it cannot become stale. Outputs of other users are not reused: the response time would reveal
 * which files they have.
 */
export function createResultCache({ operations, blobs, kernelVersion, onHit }: ResultCacheDependencies): ResultCache {
  return {
    kernelVersion,

    find: ({ owner, kind, filename, parameters }, input) =>
      operations.findCached({ owner, kind, filename, parameters, kernelVersion: kernelVersion, input }),

    async reuseOutput(cached, temporaryId) {
      if (cached.output_id !== null && !(await blobs.hardLink(cached.output_id, temporaryId))) return false;
      onHit();
      return true;
    },
  };
}
