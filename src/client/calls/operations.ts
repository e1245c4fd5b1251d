import type { OperationHandle, OperationStatus } from '../../api/index.js';
import { ClientError } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import { isUuid } from '../replies/read-fields.js';
import { readOperationHandle, readOperationResult, readOperationStatus } from '../replies/read-replies.js';
import { parseReplyJson, readReplyText } from '../replies/reply-body.js';
import type { ConnectionLane } from '../transport/agent-pool.js';
import type { OperationResult } from '../types.js';
import type { CallSpec } from './session.js';

/**
 * Returns the call that starts an operation. The reply may be lost after the service has accepted the operation, so it
 * is retried only if the service cannot have accepted it, or if `isIdempotent` is set (default: not). Throws
 * `INPUT_INVALID` for an invalid name, an invalid `inputId` or `fileId`, and parameters that cannot be serialized.
 */
export function createStartSpec(
  operation: string,
  parameters: Record<string, unknown>,
  limits: ClientLimits,
  isIdempotent = false,
): CallSpec<OperationHandle> {
  const input = parameters.inputId ?? parameters.fileId;
  assertOperationName(operation);
  if (input !== undefined) assertId(input, `start ${operation}`);
  const body = serialize(operation, parameters);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
  return {
    action: `start ${operation}${input === undefined ? '' : ` of ${input}`}`,
    method: 'POST',
    path: `/web-api/operation/${operation}`,
    ...controlTimeouts(limits),
    lane: 'start',
    expectContinue: true,
    isIdempotent,
    prepare: () => Promise.resolve({ headers, body }),
    read: async (reply) => readOperationHandle(parseReplyJson(await readReplyText(reply, limits.maxReplyBytes))),
  };
}

function serialize(operation: string, parameters: Record<string, unknown>): Buffer {
  try {
    return Buffer.from(JSON.stringify(parameters));
  } catch {
    const reason = 'its parameters cannot be serialized as JSON. Remove circular references and BigInt values.';
    throw new ClientError('INPUT_INVALID', `Could not start ${operation}: ${reason}`);
  }
}

/**
 * Returns the call that reads the status of an operation. `lane`: default `control`. Throws `INPUT_INVALID` for an
 * invalid id.
 */
export function createStatusSpec(
  operationId: string,
  limits: ClientLimits,
  lane?: ConnectionLane,
): CallSpec<OperationStatus> {
  assertId(operationId, 'read the status of the operation');
  return createGetSpec(
    `read the status of operation ${operationId}`,
    `/web-api/operation/${operationId}/status`,
    (value) => readOperationStatus(value, operationId),
    limits,
    lane,
  );
}

/**
 * Returns the call that reads the result of a completed operation. `lane`: default `control`. Throws `INPUT_INVALID`
 * for an invalid id or name.
 */
export function createResultSpec(
  operationId: string,
  operation: string,
  limits: ClientLimits,
  lane?: ConnectionLane,
): CallSpec<OperationResult> {
  assertId(operationId, `read the result of ${operation}`);
  assertOperationName(operation);
  return createGetSpec(
    `read the result of ${operation} ${operationId}`,
    `/web-api/operation/${operationId}/${operation}/result`,
    (value) => readOperationResult(value, operationId, operation),
    limits,
    lane,
  );
}

/**
 * Throws `INPUT_INVALID` unless `value` is an id. Only ids may be inserted into a path. `action` completes "Could not
 * …".
 */
export function assertId(value: unknown, action: string): void {
  if (isUuid(value)) return;
  throw new ClientError('INPUT_INVALID', `Could not ${action}: ${describeInput(value)} is not a valid id.`);
}

function assertOperationName(operation: unknown): void {
  if (typeof operation === 'string' && /^[a-z][a-z0-9-]{0,63}$/.test(operation)) return;
  const remedy = 'Use at most 64 lowercase letters, digits and hyphens, beginning with a letter.';
  throw new ClientError('INPUT_INVALID', `Invalid operation name: ${describeInput(operation)}. ${remedy}`);
}

/** Returns the first 80 characters of a string in quotes, or the type of another value. */
function describeInput(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : `a value of type ${typeof value}`;
}

function createGetSpec<T>(
  action: string,
  path: string,
  read: (value: unknown) => T,
  limits: ClientLimits,
  lane: ConnectionLane = 'control',
): CallSpec<T> {
  return {
    action,
    method: 'GET',
    path,
    ...controlTimeouts(limits),
    lane,
    isIdempotent: true,
    prepare: () => Promise.resolve({ headers: { Accept: 'application/json' } }),
    read: async (reply) => read(parseReplyJson(await readReplyText(reply, limits.maxReplyBytes))),
  };
}

/** Returns the lane and the timeouts of a call that neither starts an operation nor transfers a file. */
export function controlTimeouts(limits: ClientLimits) {
  return {
    lane: 'control',
    times: { connectMs: limits.connectTimeoutMs, totalMs: limits.replyTimeoutMs },
  } as const;
}
