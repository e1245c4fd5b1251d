import type { NodeMessageInFlow } from 'node-red';
import { createIdempotencyKey, type IdempotencyKey } from '../../../src/client/index.js';
import { describedFilename } from '../message/filename.js';
import { getModelRecord } from '../message/model-record.js';
import { deserializeMessage, MessageTooLargeError, serializeMessage } from '../message/serialize-message.js';
import type { FormPart } from '../node/message-parts.js';
import { type BootTimes, startTimes } from './wait-clock.js';

/** A transfer that the next instance of its node repeats if a redeploy interrupts it. */
export interface PendingTransfer {
  /** For the log, such as `upload of part.stl`. */
  name: string;
  /** An upload is repeated with the same key: the service stores its file once. */
  key: IdempotencyKey;
  /** It has begun to read a stream, and cannot be repeated. */
  isStream?: boolean;
  /** The file of a form that the message is for, if there are several. */
  part?: FormPart | undefined;
  /** The message has the result of the transfer. */
  isComplete?: boolean;
}

/** An operation that a message waits for. The property names are those of the journal. */
export interface PendingWait {
  msg: NodeMessageInFlow;
  /** The type of the operation; empty while it is unknown. */
  operation: string;
  operationId: string;
  filename: string | undefined;
  /** When the wait began, in ms of `Date.now()`. `boot` counts as long as the machine runs. */
  startedAt: number;
  /** When the wait times out, in ms of `Date.now()`. Set by the first node that waits. A redeploy does not extend it. */
  deadline?: number;
  /** The same times by the clock of the boot. Missing in journals of earlier versions. */
  boot?: BootTimes;
  /** The id of the config node whose service runs the operation. Set by the first node that waits. */
  service?: string;
  /**
   * The progress of a node that runs several operations for one message: a JSON value that only this node interprets.
   */
  stage?: unknown;
  /** The message is not waiting for an operation, but in a transfer. Such a wait is kept in memory only. */
  transfer?: PendingTransfer;
  /** The wait was restored from the journal of an earlier process. */
  isRestored?: boolean;
}

/** Returns a wait of the node with this path as JSON values, or `undefined` if they would exceed about `maxBytes`. */
export function serializeWait(path: string, wait: PendingWait, maxBytes: number): Record<string, unknown> | undefined {
  const { msg, isRestored: _isRestored, ...others } = wait;
  try {
    return { node: path, ...others, ...serializeMessage(msg, maxBytes) };
  } catch (error) {
    if (error instanceof MessageTooLargeError) return undefined;
    throw error;
  }
}

/** Creates the wait of a message that is in a transfer, which `kind` names, such as `upload`. */
export function createTransferWait(
  kind: string,
  { msg, part }: { msg: NodeMessageInFlow; part: FormPart | undefined },
): PendingWait & { transfer: PendingTransfer } {
  const filename = describedFilename(msg);
  const transfer = { name: `${kind} of ${filename ?? `message ${msg._msgid}`}`, key: createIdempotencyKey(), part };
  return { msg, operation: '', operationId: '', filename, transfer, ...startTimes() };
}

/** Returns the name of a wait in the log. */
export function describeWait({ operationId, transfer }: PendingWait): string {
  return transfer ? transfer.name : `pending wait for operation ${operationId}`;
}

/** Returns whether JSON values are a stored wait. */
export function isStoredWait({ node, operation, operationId }: Record<string, unknown>): boolean {
  return typeof node === 'string' && typeof operation === 'string' && typeof operationId === 'string';
}

/**
 * Returns a stored wait with a new message object. `isRepeat`: the message may have been sent before, and is marked.
 */
export function restoreWait(stored: Record<string, unknown>, isRepeat: boolean): PendingWait {
  const { operation, operationId, filename, startedAt, deadline, service, stage, message, missing } = stored;
  const boot = readBootTimes(stored.boot);
  const msg = deserializeMessage(message);
  if (isRepeat) getModelRecord(msg).isRepeat = true;
  if (Array.isArray(missing) && missing.length > 0) {
    const names = missing.map((name) => `msg.${name}`).join(', ');
    const text = `Node-RED restarted while this message was waiting. Properties that cannot be stored are missing: ${names}.`;
    getModelRecord(msg).warnings.push({ code: 'MESSAGE_INCOMPLETE', message: text });
  }
  return {
    msg,
    operation: String(operation),
    operationId: String(operationId),
    filename: typeof filename === 'string' ? filename : undefined,
    startedAt: typeof startedAt === 'number' ? startedAt : Date.now(),
    ...(typeof deadline === 'number' && { deadline }),
    ...(boot && { boot }),
    ...(typeof service === 'string' && { service }),
    ...(stage !== undefined && { stage }),
    isRestored: true,
  };
}

function readBootTimes(stored: unknown): BootTimes | undefined {
  const { id, startedMs, deadlineMs } = Object(stored);
  if (typeof id !== 'string' || typeof startedMs !== 'number') return undefined;
  return { id, startedMs, ...(typeof deadlineMs === 'number' && { deadlineMs }) };
}
