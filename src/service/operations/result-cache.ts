import { isBlobDamaged } from '../blobs/blob-damage.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { BlobDigest } from '../blobs/digest.js';
import { verifyBlocks } from '../blobs/read-verified-blocks.js';
import type { DamageRecorder } from '../integrity/damage-recorder.js';
import { findDigest } from '../store/file-row.js';
import type { Files } from '../store/files.js';
import type { Operations } from '../store/operations.js';
import type { FileRow, OperationRow } from '../store/schema.js';

/** The dependencies of a result cache. */
export interface ResultCacheDependencies {
  operations: Pick<Operations, 'findCached'>;
  files: Pick<Files, 'find'>;
  blobs: BlobStore;
  damage: DamageRecorder;
  /** The version of the kernel, as part of the cache key. */
  kernelVersion: string;
  /** Called on each cache hit. */
  onHit: () => void;
}

/** Finds the outputs of earlier identical operations. */
export interface ResultCache {
  /** Finds an identical operation of the same user whose input had the same bytes. */
  find(row: OperationRow, input: FileRow): Promise<OperationRow | undefined>;
  /**
   * Shares its output with the scratch file `scratchPath`, and checks its bytes. Resolves with the digest of the output,
   * if there is one; with `undefined` if that is not possible, or if the output is damaged. Throws the abort reason of
   * `signal`.
   */
  reuseOutput(
    cached: OperationRow,
    scratchPath: string,
    signal: AbortSignal,
  ): Promise<{ output: BlobDigest | undefined } | undefined>;
  kernelVersion: string;
}

/**
 * Creates a result cache over the completed operations. An output is found as long as it is stored, so expiry and quota
 * bound the cache, and it cannot become stale. Outputs of other users are not reused: the response time would reveal
 * which files they have.
 */
export function createResultCache(dependencies: ResultCacheDependencies): ResultCache {
  const { operations, files, blobs, damage, kernelVersion, onHit } = dependencies;
  return {
    kernelVersion,

    async find({ owner, kind, filename, parameters }, { sha256 }) {
      if (sha256 === null) return undefined;
      return operations.findCached({ owner, kind, filename, parameters, kernelVersion, inputHash: sha256 });
    },

    async reuseOutput({ output_id: id, owner }, scratchPath, signal) {
      if (id === null) {
        onHit();
        return { output: undefined };
      }
      const file = await files.find(id, owner);
      if (file?.deleted_at !== null) return undefined;
      const output = findDigest(file);
      if (!output || !(await blobs.share(id, scratchPath, signal))) return undefined;
      try {
        await verifyBlocks(scratchPath, output, signal);
      } catch (error) {
        if (!isBlobDamaged(error)) throw error;
        await damage.record(file, error);
        await blobs.discard(scratchPath);
        return undefined;
      }
      onHit();
      return { output };
    },
  };
}
