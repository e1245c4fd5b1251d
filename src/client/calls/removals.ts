import type { OperationStatus } from '../../api/index.js';
import type { ClientLimits } from '../client-limits.js';
import { readOperationStatus, readRemovedFile } from '../replies/read-replies.js';
import { parseReplyJson, readReplyText } from '../replies/reply-body.js';
import type { RemovedFile } from '../types.js';
import { assertId, controlTimeouts } from './operations.js';
import type { CallSpec } from './session.js';

/** Returns the call that cancels an operation and reads its status. Throws `INPUT_INVALID` for an invalid id. */
export function createCancelSpec(operationId: string, limits: ClientLimits): CallSpec<OperationStatus> {
  assertId(operationId, 'cancel the operation');
  return {
    ...createDeleteSpec(limits),
    action: `cancel operation ${operationId}`,
    path: `/web-api/operation/${operationId}`,
    read: async (reply) =>
      readOperationStatus(parseReplyJson(await readReplyText(reply, limits.maxReplyBytes)), operationId),
  };
}

/**
 * Returns the call that deletes a file or model. A file that is deleted already (410) is a success, since an earlier
 * attempt may have deleted it. Throws `INPUT_INVALID` for an invalid id.
 */
export function createRemoveSpec(id: string, limits: ClientLimits): CallSpec<RemovedFile> {
  assertId(id, 'remove the file');
  return {
    ...createDeleteSpec(limits),
    action: `remove file ${id}`,
    path: `/web-api/operation/file/${id}`,
    successStatuses: [200, 410],
    read: async (reply) => {
      if (reply.status === 410) return { cancelledOperations: [] };
      return readRemovedFile(parseReplyJson(await readReplyText(reply, limits.maxReplyBytes)));
    },
  };
}

function createDeleteSpec(limits: ClientLimits) {
  return {
    method: 'DELETE',
    ...controlTimeouts(limits),
    isIdempotent: true,
    prepare: () => Promise.resolve({ headers: { Accept: 'application/json' } }),
  } as const;
}
