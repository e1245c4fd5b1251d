import type { BlobStore } from '../blobs/blob-store.js';
import type { CacheKey, Operations } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';

/** What recalling needs. */
export interface RecallParts {
  operations: Pick<Operations, 'findCached'>;
  blobs: BlobStore;
  /** Of the kernel that is to give the same output. */
  kernel: string;
  /** Called when an output was made without the kernel. */
  onRecalled: () => void;
}

/** What was made before, of the same bytes in the same way. */
export interface Recall {
  /** The operation that did the same work for the same user, on the same input (`input_id`), or on the same bytes (`input_hash`). */
  find(row: OperationRow, input: CacheKey['input']): Promise<OperationRow | undefined>;
  /** Makes its output the temporary bytes of `temporaryId`, without copying them. Answers false where that cannot be done. */
  take(same: OperationRow, temporaryId: string): Promise<boolean>;
  kernel: string;
}

/**
 * The completed operations are the cache: what one made is found as long as it is kept, so retention and quota bound it, and nothing can be
 * stale. Nobody is given what another user made: how long an answer takes would tell what others own.
 */
export const createRecall = ({ operations, blobs, kernel, onRecalled }: RecallParts): Recall => ({
  kernel,

  find: ({ owner, kind, filename, parameters }, input) =>
    operations.findCached({ owner, kind, filename, parameters, kernel, input }),

  async take(same, temporaryId) {
    const isTaken = same.output_id === null || (await blobs.hardLink(same.output_id, temporaryId));
    if (isTaken) onRecalled();
    return isTaken;
  },
});
