import type { FastifyInstance } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.js';
import { markDeleted } from '../blobs/mark-deleted.js';
import type { RetentionClock } from '../retention-clock.js';
import { ServiceError } from '../service-error.js';
import type { Cancellations, DeletedFile } from '../store/cancellations.js';
import type { Files } from '../store/files.js';
import type { CompletionTime, Operations } from '../store/operations.js';
import { fileExpiredError } from './find-input.js';
import { requireOperation, serializeStatus } from './operation-records.js';

/** The dependencies of the routes that cancel and delete. */
export interface CancelRouteDependencies {
  operations: Operations;
  files: Files;
  blobs: BlobStore;
  cancellations: Cancellations;
  /** Called with the ids of operations that were cancelled. */
  onCancelled: (ids: readonly string[]) => void;
  clock: Pick<RetentionClock, 'now'>;
  now: () => number;
}

/**
 * Deletes a file or model and cancels its unfinished operations. Throws `FILE_UNKNOWN` if `owner` has none with this id,
 * `FILE_EXPIRED` if it was deleted before.
 */
async function deleteFile(
  id: string,
  owner: string,
  time: CompletionTime,
  { files, blobs, cancellations, onCancelled }: CancelRouteDependencies,
): Promise<DeletedFile> {
  const file = await files.find(id, owner);
  if (!file) {
    const remedy = 'Use the `fileId` of an upload or export, or the `resultId` of an import or repair.';
    throw new ServiceError('FILE_UNKNOWN', `No file or model with id ${id.slice(0, 80)}. ${remedy}`);
  }
  if (file.deleted_at !== null) throw fileExpiredError(file);
  const deleted = await markDeleted(id, () => cancellations.deleteFile(id, owner, time), blobs);
  if (!deleted) throw fileExpiredError(file);
  onCancelled(deleted.cancelledIds);
  await blobs.remove([id]);
  return deleted;
}

/** Registers `DELETE /web-api/operation/{id}` and `DELETE /web-api/operation/file/{id}`. */
export function registerCancelRoutes(app: FastifyInstance, dependencies: CancelRouteDependencies): void {
  const { operations, cancellations, onCancelled, clock, now } = dependencies;
  const readTime = (): CompletionTime => ({ now: now(), retainedFrom: clock.now() });

  app.delete<{ Params: { id: string } }>('/web-api/operation/:id', async (request, reply) => {
    const id = request.params.id.toLowerCase();
    if (await cancellations.cancel(id, request.userId, readTime())) onCancelled([id]);
    const row = requireOperation(await operations.findStatus(id, request.userId), request.params.id);
    return reply.header('content-type', 'application/json; charset=utf-8').send(serializeStatus(row));
  });

  app.delete<{ Params: { id: string } }>('/web-api/operation/file/:id', async (request) => {
    const id = request.params.id.toLowerCase();
    const { kind, cancelledIds } = await deleteFile(id, request.userId, readTime(), dependencies);
    return { [kind === 'file' ? 'fileId' : 'resultId']: id, cancelledOperations: cancelledIds };
  });
}
