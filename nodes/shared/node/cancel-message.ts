import type { NodeMessage } from 'node-red';
import { ClientError } from '../../../src/client/index.js';
import { isCancelledStatus } from '../../../src/client/waiting/wait-errors.js';
import { isNonBlankString } from '../message/message-input.js';
import { getModelRecord } from '../message/model-record.js';
import type { Connection } from '../service/connection.js';
import type { PendingWait, WaitLease } from '../waits/pending-waits.js';
import { createNodeError } from './flow-error.js';

/** A message in progress. */
export interface CancellableRun {
  readonly msg: NodeMessage;
  /** Ends the processing between operations. Created when it is used: many messages may wait. */
  cancellation: AbortController | undefined;
  /** The wait of the message, once it waits for an operation. */
  readonly lease: WaitLease | undefined;
}

/** Returns whether a message asks a node to cancel: `msg.cancel` is set, and not `false`. */
export function isCancelMessage(msg: NodeMessage): boolean {
  const { cancel } = Object(msg);
  return cancel !== undefined && cancel !== null && cancel !== false && cancel !== '';
}

/**
 * Returns the operation id in `msg.cancel`, or `undefined` if it is `true`. Throws `INPUT_INVALID` for any other value.
 */
export function readCancelId(msg: NodeMessage): string | undefined {
  const { cancel } = Object(msg);
  if (cancel === true) return undefined;
  if (isNonBlankString(cancel)) return cancel.trim();
  const type = typeof cancel === 'string' ? 'a blank string' : `a value of type ${typeof cancel}`;
  throw createNodeError('INPUT_INVALID', `Invalid msg.cancel: expected true or the id of an operation, not ${type}.`);
}

/**
 * Cancels the messages that wait for this operation, or all if it is `undefined`, and their operations at the services.
 * An operation that no message waits for is cancelled at the service of the node. Returns the number of operations that
 * the services cancelled and of messages that were ended between operations. Attempts to cancel all operations, then
 * throws the first error, if any.
 */
export async function cancelRuns(
  runs: readonly CancellableRun[],
  operationId: string | undefined,
  findConnection: (wait?: PendingWait) => Connection | undefined,
  signal: AbortSignal,
): Promise<number> {
  const selected = runs
    .filter(({ msg }) => !isCancelMessage(msg))
    .map((run) => ({ cancellation: run.cancellation, wait: findUnfinishedWait(run) }))
    .filter(({ wait }) => operationId === undefined || wait?.operationId.toLowerCase() === operationId.toLowerCase());
  for (const { cancellation } of selected) cancellation?.abort(createCancelledError());
  const waits: { operationId: string; connection: Connection | undefined }[] = selected.flatMap(({ wait }) =>
    wait ? [{ operationId: wait.operationId, connection: findConnection(wait) }] : [],
  );
  if (operationId !== undefined && waits.length === 0) waits.push({ operationId, connection: findConnection() });
  const results = await Promise.allSettled(
    waits.map((wait) => wait.connection?.client.cancel(wait.operationId, { signal })),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  const endedCount = selected.filter(({ wait, cancellation }) => !wait && cancellation).length;
  const statuses = results.flatMap((result) => (result.status === 'fulfilled' && result.value) || []);
  return endedCount + statuses.filter(isCancelledStatus).length;
}

// Returns the wait of a message, unless its operation has ended: then the message is on its way to the next one.
function findUnfinishedWait({ msg, lease }: CancellableRun): PendingWait | undefined {
  if (!lease || lease.wait.transfer) return undefined;
  const isFinished = getModelRecord(msg).operations.some(
    ({ operationId, isSuccessful }) => operationId === lease.wait.operationId && isSuccessful !== undefined,
  );
  return isFinished ? undefined : lease.wait;
}

/** Returns the error of a message that `msg.cancel` ended: the reason of its `cancellation`. */
function createCancelledError(): ClientError {
  return new ClientError('OPERATION_FAILED', 'The processing was cancelled by msg.cancel.', { isCancelled: true });
}
