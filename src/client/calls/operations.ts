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
 * Starts an operation. Its reply may be lost after it was accepted, so it is repeated only where it surely was not, or where the
 * caller says that it may be.
 */
export function startSpec(
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
    // A value that refers to itself, or a BigInt.
    throw new ClientError('INPUT_INVALID', `Could not start ${operation}: its parameters cannot be written as JSON.`);
  }
}

/** Reads where an operation stands. `lane`: default `controlTimeouts`. */
export function statusSpec(
  operationId: string,
  limits: ClientLimits,
  lane?: ConnectionLane,
): CallSpec<OperationStatus> {
  assertId(operationId, 'read the status of the operation');
  return getSpec(
    `read the status of operation ${operationId}`,
    `/web-api/operation/${operationId}/status`,
    (value) => readOperationStatus(value, operationId),
    limits,
    lane,
  );
}

/** Reads what a completed operation made. `lane`: default `controlTimeouts`. */
export function resultSpec(
  operationId: string,
  operation: string,
  limits: ClientLimits,
  lane?: ConnectionLane,
): CallSpec<OperationResult> {
  assertId(operationId, `read the result of ${operation}`);
  assertOperationName(operation);
  return getSpec(
    `read the result of ${operation} ${operationId}`,
    `/web-api/operation/${operationId}/${operation}/result`,
    (value) => readOperationResult(value, operationId, operation),
    limits,
    lane,
  );
}

/** Nothing but an id may enter a path: `INPUT_INVALID`. */
export function assertId(value: unknown, what: string): void {
  if (isUuid(value)) return;
  throw new ClientError('INPUT_INVALID', `Could not ${what}: ${describeInput(value)} is no id of the service.`);
}

function assertOperationName(operation: unknown): void {
  if (typeof operation === 'string' && /^[a-z][a-z0-9-]{0,63}$/.test(operation)) return;
  throw new ClientError('INPUT_INVALID', `${describeInput(operation)} is no name of an operation.`);
}

function describeInput(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : `a value of type ${typeof value}`;
}

function getSpec<T>(
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

function controlTimeouts(limits: ClientLimits) {
  return {
    lane: 'control',
    times: { connectMs: limits.connectTimeoutMs, totalMs: limits.replyTimeoutMs },
  } as const;
}
