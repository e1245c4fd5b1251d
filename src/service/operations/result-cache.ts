import type { BlobStore } from '../blobs/blob-store.js';
import type { CacheKey, Operations } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';

/** What recalling needs. */
export interface ResultCacheDependencies {
  operations: Pick<Operations, 'findCached'>;
  blobs: BlobStore;
  /** Of the kernel that is to give the same output. */
  kernelVersion: string;
  /** Called when an output was made without the kernel. */
  onHit: () => void;
}

/** What was made before, of the same bytes in the same way. */
export interface ResultCache {
  /** The operation that did the same work for the same user, on the same input (`input_id`), or on the same bytes (`input_hash`). */
  find(row: OperationRow, input: CacheKey['input']): Promise<OperationRow | undefined>;
  /** Makes its output the temporary bytes of `temporaryId`, without copying them. Answers false where that cannot be done. */
  reuseOutput(cached: OperationRow, temporaryId: string): Promise<boolean>;
  kernelVersion: string;
}

/**
 * The completed operations are the cache: what one made is found as long as it is kept, so retention and quota bound it, and nothing can be
 * stale. Nobody is given what another user made: how long an answer takes would tell what others own.
 */
export function createResultCache({ operations, blobs, kernelVersion, onHit }: ResultCacheDependencies): ResultCache {
  return {
    kernelVersion,

    find: ({ owner, kind, filename, parameters }, input) =>
      operations.findCached({ owner, kind, filename, parameters, kernel: kernelVersion, input }),

    async reuseOutput(cached, temporaryId) {
      if (cached.output_id !== null && !(await blobs.hardLink(cached.output_id, temporaryId))) return false;
      onHit();
      return true;
    },
  };
}
