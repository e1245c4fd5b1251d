import type { NodeMessageInFlow } from 'node-red';
import { getModelRecord } from '../message/model-record.js';
import { deserializeMessage, MessageTooLargeError, serializeMessage } from '../message/serialize-message.js';

/** An operation that is waited for, and the message that will go on with its result. */
export interface HeldWait {
  msg: NodeMessageInFlow;
  /** Empty while nobody has said it. */
  operation: string;
  operationId: string;
  filename: string | undefined;
  /** When the waiting began, in ms of `Date.now()`: a redeploy does not make the deadline longer. */
  startedAt: number;
  /** When it is given up, in ms of `Date.now()`. Set by the first node that waits. */
  deadline?: number;
  /** The id of the config node whose service runs the operation. Set by the first node that waits. */
  service?: string;
  /** How far a node has come that runs several operations for one message: a JSON value of its own, given back as it is. */
  stage?: unknown;
  /** It was taken up from the journal of an earlier process. */
  isRestored?: boolean;
}

/** Returns a wait of the node of this path as JSON values; `undefined` where there are more than `maxBytes`, about. */
export function storeWait(path: string, wait: HeldWait, maxBytes: number): Record<string, unknown> | undefined {
  const { msg, isRestored: _isRestored, ...others } = wait;
  try {
    return { node: path, ...others, ...serializeMessage(msg, maxBytes) };
  } catch (error) {
    if (error instanceof MessageTooLargeError) return undefined;
    throw error;
  }
}

/** Whether JSON values are a stored wait. */
export function isStoredWait({ node, operation, operationId }: Record<string, unknown>): boolean {
  return typeof node === 'string' && typeof operation === 'string' && typeof operationId === 'string';
}

/** Returns a stored wait as it was, with a message of its own. `isRepeat`: the message may have been sent before. */
export function restoreWait(stored: Record<string, unknown>, isRepeat: boolean): HeldWait {
  const { operation, operationId, filename, startedAt, deadline, service, stage, message, missing } = stored;
  const msg = deserializeMessage(message);
  if (isRepeat) getModelRecord(msg).isRepeat = true;
  if (Array.isArray(missing) && missing.length > 0) {
    const names = missing.map((name) => `msg.${name}`).join(', ');
    const text = `Node-RED was restarted while this message waited; what cannot be written to a file is missing: ${names}`;
    getModelRecord(msg).warnings.push({ code: 'MESSAGE_INCOMPLETE', message: text });
  }
  return {
    msg,
    operation: String(operation),
    operationId: String(operationId),
    filename: typeof filename === 'string' ? filename : undefined,
    startedAt: typeof startedAt === 'number' ? startedAt : Date.now(),
    ...(typeof deadline === 'number' && { deadline }),
    ...(typeof service === 'string' && { service }),
    ...(stage !== undefined && { stage }),
    isRestored: true,
  };
}
