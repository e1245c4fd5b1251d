import { type Client, ClientError, type WaitOptions } from '../../../src/client/index.js';
import {
  getModelRecord,
  getOrCreateEntry,
  type ResultWithVerdict,
  recordReport,
  recordResult,
} from '../message/model-record.js';
import { warnIfUnitsImplausible } from '../message/unit-plausibility.js';
import type { NodeInput } from '../node/flow-node.js';
import { choiceField } from '../node/settings.js';
import type { Outcome } from '../node/status-indicator.js';
import type { PendingWait } from '../waits/pending-waits.js';
import { addMissingVerdict, REPAIR_OPERATIONS } from './derive-verdict.js';
import { fetchThumbnail } from './thumbnail.js';

/** Nodes that start an operation send their message on at once, or wait for the operation themselves. */
export const SEND_WHEN = choiceField('started', 'finished');

/** How long a wait that was taken up after a restart lasts at least. */
const MIN_RESTORED_WAIT_MS = 60_000;

/** An operation to start. `inputId` is absent for an import, whose input is a file. */
export interface OperationStart {
  operation: string;
  inputId?: string;
  parameters: Record<string, unknown>;
  /** What else the payload says while the operation runs. */
  payload?: Record<string, unknown>;
  filename: string | undefined;
}

/** Starts an operation and writes it into the message; with `send: 'finished'` the message gets its result, too. */
export async function runOperation(
  input: NodeInput<{ send: 'started' | 'finished' }>,
  start: OperationStart,
): Promise<Outcome> {
  const wait = await startOperation(input, start);
  return input.settings.send === 'started' ? { text: input.text('started') } : waitForOperation(input, wait);
}

/** Starts an operation and writes it into the message. What it answers is to be handed to `waitForOperation`, if this node waits. */
export async function startOperation(
  input: NodeInput<unknown>,
  { operation, inputId, parameters, payload, filename }: OperationStart,
): Promise<PendingWait> {
  const { msg, signal, connection, activity } = input;
  if (!connection.queue.hasRoom('call')) activity.waiting(input.text('queued'));
  const body = inputId === undefined ? parameters : { inputId, ...parameters };
  const { operationId } = await connection.queue.run('call', signal, () => {
    activity.working(input.text('starting'));
    return connection.start(operation, body, { signal });
  });
  const options = inputId === undefined ? {} : { inputId };
  const named = filename === undefined ? {} : { filename };
  msg.payload = { operationId, operation, ...options, ...payload, ...named };
  getModelRecord(msg).operations.push({ operation, operationId, ...options, parameters });
  return { msg, operation, operationId, filename, startedAt: Date.now() };
}

/**
 * Waits until an operation has completed, and makes its result the payload. The deadline counts from the wait's `startedAt`, so
 * that redeploys do not move it. `OPERATION_FAILED`, `WAIT_TIMEOUT`.
 *
 * The wait survives the node: whoever calls this must see to `input.held` first, which is the wait that a predecessor handed on, and go
 * on from there. A node that runs several operations for a message says in `wait.stage` which one this is. Where the wait does not know the
 * type of the operation, the service does, or else it is `defaultOperation`; `OPERATION_UNKNOWN`.
 */
export async function waitForOperation(
  input: NodeInput<unknown>,
  wait: PendingWait,
  defaultOperation?: string,
): Promise<Outcome> {
  const { msg, signal, connection, activity } = input;
  const { operationId, filename, startedAt } = wait;
  const show = (progress?: number) =>
    activity.waiting(input.text('waiting', { operation: wait.operation || '…' }), progress);
  const findEntry = () => getOrCreateEntry(getModelRecord(msg), operationId, wait.operation);
  show();
  wait.deadline ??= startedAt + connection.waitTimeoutMs;
  // The time that Node-RED was not there must not end a wait for what is done by now.
  const timeoutMs = Math.max(wait.isRestored ? MIN_RESTORED_WAIT_MS : 1, wait.deadline - Date.now());
  if (wait.operation) findEntry();
  input.trackWait(wait);
  const onStatus: WaitOptions['onStatus'] = (status) => {
    wait.operation ||= status.operation ?? defaultOperation ?? '';
    show(status.progress);
  };
  const onFailure: WaitOptions['onFailure'] = ({ code }) => {
    if (code === 'BAD_CREDENTIALS') activity.waiting(input.text('credentialsRefused'));
  };
  let completed: Awaited<ReturnType<Client['wait']>>;
  try {
    const options = { signal, timeoutMs, onStatus, onFailure, defaultOperation };
    completed = await connection.wait(operationId, wait.operation || undefined, options);
  } catch (error) {
    if (error instanceof ClientError && error.code === 'OPERATION_FAILED') {
      findEntry().isSuccessful = false;
      if (error.report) recordReport(getModelRecord(msg), error.report);
    }
    throw error;
  }
  const { operation, status } = completed;
  const entry = findEntry();
  const durationMs = durationOf(status.startedAt, status.finishedAt) ?? Date.now() - startedAt;
  const remainingMs = Math.max(1, wait.deadline - Date.now());
  const result = await addMissingVerdict(input, entry, completed.result, remainingMs);
  if (operation === 'thumbnail') await fetchThumbnail(input, result);
  Object.assign(entry, { isSuccessful: true, result, durationMs });
  const named = filename === undefined ? {} : { filename };
  msg.payload = { operation, isCompleted: true, isSuccessful: true, ...named, ...result };
  recordResult(getModelRecord(msg), operation, result, filename);
  const doubtfulSize = warnIfUnitsImplausible(getModelRecord(msg), entry, completed.result);
  return doubtfulSize === undefined ? createOutcome(input, operation, result) : { text: doubtfulSize, isWarning: true };
}

// A repair is told by what became of the model; where nobody could judge it, by the plain word.
function createOutcome(
  { text }: NodeInput<unknown>,
  operation: string,
  { report, verdict }: ResultWithVerdict,
): Outcome {
  const judged = report?.verdict ?? verdict;
  const isFallenShort = REPAIR_OPERATIONS.includes(operation) && judged !== undefined && judged.level !== 'solid';
  return { text: judged?.level ?? text('finished'), isWarning: isFallenShort || (report?.warnings.length ?? 0) > 0 };
}

function durationOf(startedAt: string | undefined, finishedAt: string | undefined): number | undefined {
  const ms = Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '');
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
