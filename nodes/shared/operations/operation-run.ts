import type { NodeAPI } from 'node-red';
import type { OperationStatus, ReportWarning } from '../../../src/api/index.js';
import { type Client, ClientError, type StartOptions, type WaitOptions } from '../../../src/client/index.js';
import { isCancelledStatus } from '../../../src/client/waiting/wait-errors.js';
import { scheduleTimeout } from '../delay.js';
import { asRecord } from '../message/message-input.js';
import {
  getModelRecord,
  getOrCreateEntry,
  type ResultWithVerdict,
  recordReport,
  recordResult,
} from '../message/model-record.js';
import { warnIfUnitsImplausible } from '../message/unit-plausibility.js';
import type { NodeInput } from '../node/node-input.js';
import { choiceField } from '../node/settings.js';
import type { Outcome } from '../node/status-indicator.js';
import { resultText } from '../node/status-texts.js';
import type { PendingWait } from '../waits/pending-waits.js';
import { elapsedMs, remainingMs, startTimes } from '../waits/wait-clock.js';
import { addMissingVerdict } from './derive-verdict.js';

/**
 * The property of nodes that start an operation: whether they send the message when the operation has started, or when
 * it has finished.
 */
export const SEND_FIELD = choiceField('started', 'finished');

/**
 * The minimum timeout of a wait that was restored after a restart, or whose deadline passed while its node was disabled:
 * its operation may have completed meanwhile.
 */
const MIN_RESUMED_WAIT_MS = 60_000;

/** An operation to start. */
export interface OperationStart {
  operation: string;
  /** The id of the model. Missing for an import, whose input is a file. */
  inputId?: string;
  parameters: Record<string, unknown>;
  /** Additional properties of the payload while the operation runs. */
  payload?: Record<string, unknown>;
  /** The name of the model file, if known. */
  filename: string | undefined;
}

/** Starts an operation and records it in the message. With `send: 'finished'`, also waits for its result. */
export async function runOperation(
  input: NodeInput<{ send: 'started' | 'finished' }>,
  start: OperationStart,
): Promise<Outcome> {
  const wait = await startOperation(input, start);
  return input.settings.send === 'started' ? { text: input.text('started') } : waitForOperation(input, wait);
}

/**
 * Starts an operation and records it in the message. Returns a wait for `waitForOperation`, if the node waits. An abort
 * of `turnSignal` (default: the signal of the input) ends the wait for its turn, also while the queue of the
 * service is full, but not a start that the service may have accepted.
 */
export async function startOperation(
  input: NodeInput<unknown>,
  { operation, inputId, parameters, payload, filename }: OperationStart,
  turnSignal: AbortSignal = input.signal,
): Promise<PendingWait> {
  const { msg, signal, connection, activity } = input;
  if (!connection.queue.hasRoom('call')) activity.waiting(input.text('queued'));
  const body = inputId === undefined ? parameters : { inputId, ...parameters };
  const { operationId } = await connection.queue.run('call', turnSignal, (pause) => {
    activity.working(input.text('starting'));
    // Other messages continue while the queue of the service is full.
    const onQueueFull: StartOptions['onQueueFull'] = async (...delay) => {
      activity.waiting(input.text('queued'));
      await pause(...delay);
      activity.working(input.text('starting'));
    };
    return connection.start(operation, body, { signal, onQueueFull });
  });
  const inputField = inputId === undefined ? {} : { inputId };
  const filenameField = filename === undefined ? {} : { filename };
  msg.payload = { operationId, operation, ...inputField, ...payload, ...filenameField };
  getModelRecord(msg).operations.push({ operation, operationId, ...inputField, parameters });
  return { msg, operation, operationId, filename, ...startTimes() };
}

/**
 * Waits until an operation has completed, and sets the payload to its result. The deadline is computed from the start of
 * the wait, so that redeploys do not extend it. If the wait has no type of operation, the one of the service is
 * used, else `defaultOperation`. With `cancelAtTimeout`, cancels the operation when the wait times out. Throws
 * `OPERATION_FAILED`, `WAIT_TIMEOUT` or `OPERATION_UNKNOWN`.
 *
 * The wait is registered and outlives the node. Callers must first check `input.pendingWait` and continue that wait if
 * it is set. A node that runs several operations per message stores the current one in `wait.stage`.
 */
export async function waitForOperation(
  input: NodeInput<unknown>,
  wait: PendingWait,
  {
    defaultOperation,
    cancelAtTimeout = false,
  }: { defaultOperation?: string | undefined; cancelAtTimeout?: boolean } = {},
): Promise<Outcome> {
  const { msg, signal, connection, activity } = input;
  const { operationId, filename } = wait;
  const show = (progress?: number) =>
    activity.waiting(input.text('waiting', { operation: wait.operation || '…' }), progress);
  const findEntry = () => getOrCreateEntry(getModelRecord(msg), operationId, wait.operation);
  show();
  // 1. Register the wait.
  const remaining = remainingMs(wait, connection.waitTimeoutMs);
  const timeoutMs = remaining > 0 && !wait.isRestored ? remaining : Math.max(MIN_RESUMED_WAIT_MS, remaining);
  const endsAt = performance.now() + timeoutMs;
  if (wait.operation) findEntry();
  input.trackWait(wait);
  // 2. Wait for the operation.
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
    if (cancelAtTimeout && error instanceof ClientError && error.code === 'WAIT_TIMEOUT')
      throw await cancelLate(input, operationId, error);
    throw error;
  }
  // 3. Add what the service omitted, and record the result.
  const { operation, status } = completed;
  const entry = findEntry();
  const durationMs = computeDurationMs(status.startedAt, status.finishedAt) ?? elapsedMs(wait);
  const verdictTimeoutMs = Math.max(1, endsAt - performance.now());
  const result = await addMissingVerdict(input, entry, completed.result, verdictTimeoutMs);
  if (operation === 'thumbnail') await downloadThumbnail(input, result);
  Object.assign(entry, { isSuccessful: true, result, durationMs });
  const filenameField = filename === undefined ? {} : { filename };
  msg.payload = { operation, isCompleted: true, isSuccessful: true, ...filenameField, ...result };
  const record = getModelRecord(msg);
  recordResult(record, operation, result, filename);
  const unitWarning = warnIfUnitsImplausible(record, entry, completed.result, filename ?? record.filename);
  const warnings = [...(result.report?.warnings ?? []), ...(unitWarning ? [unitWarning] : [])];
  return createResultOutcome(input.RED, result, warnings, input.text('finished'));
}

/** How long the attempt to cancel an operation may delay the error of its wait. */
const CANCEL_TIMEOUT_MS = 10_000;

/** Cancels an operation whose wait has timed out. Returns the error of the wait, with what became of the operation. */
async function cancelLate(
  { connection, signal }: NodeInput<unknown>,
  operationId: string,
  { code, message }: ClientError,
): Promise<ClientError> {
  const timeout = new AbortController();
  const stopTimer = scheduleTimeout(() => timeout.abort(), CANCEL_TIMEOUT_MS);
  try {
    const status = await connection.client.cancel(operationId, { signal: AbortSignal.any([signal, timeout.signal]) });
    return new ClientError(code, `${message} ${describeEnd(status)}`);
  } catch (error) {
    // Closing the node ends the attempt. The node that replaces it attempts it again.
    if (signal.aborted || !(error instanceof ClientError)) throw error;
    const reason = timeout.signal.aborted
      ? `Could not cancel the operation within ${CANCEL_TIMEOUT_MS / 1000} s.`
      : error.message;
    return new ClientError(code, `${message} ${reason}`);
  } finally {
    stopTimer();
  }
}

function describeEnd(status: OperationStatus): string {
  if (isCancelledStatus(status)) return 'The operation was cancelled.';
  if (!status.isCompleted) return 'The operation is being cancelled.';
  return status.isSuccessful ? 'The operation completed before it was cancelled.' : 'The operation failed.';
}

/** The maximum size of a thumbnail in a message: 4 MiB. */
const MAX_THUMBNAIL_BYTES = 4 << 20;

/**
 * Downloads the image that a thumbnail operation created to `msg.model.thumbnail`. If it exceeds 4 MiB, adds the
 * warning `THUMBNAIL_TOO_LARGE` to `msg.model.warnings` instead.
 */
async function downloadThumbnail(input: NodeInput<unknown>, { fileId }: ResultWithVerdict): Promise<void> {
  const { msg, connection, signal } = input;
  if (fileId === undefined) return;
  const target = { to: 'buffer', maxBytes: MAX_THUMBNAIL_BYTES } as const;
  try {
    const { data } = await connection.queue.run('transfer', signal, () =>
      connection.client.download(fileId, target, { signal }),
    );
    if (data) getModelRecord(msg).thumbnail = data;
  } catch (error) {
    // `download` throws `INPUT_INVALID` if the file exceeds `maxBytes`.
    if (!(error instanceof ClientError) || error.code !== 'INPUT_INVALID') throw error;
    getModelRecord(msg).warnings.push({ code: 'THUMBNAIL_TOO_LARGE', message: error.message });
  }
}

/**
 * Returns the outcome of a result: its verdict, or `text` if it has none. It is a warning if the model needs repair, and if
 * there are warnings.
 */
export function createResultOutcome(
  RED: NodeAPI,
  { report, verdict, ...measures }: Pick<ResultWithVerdict, 'report' | 'verdict'>,
  warnings: readonly ReportWarning[],
  text: string,
): Outcome {
  const { level, needsRepair } = report?.verdict ?? verdict ?? {};
  const { badContours: holeCount } = asRecord(report?.after ?? measures);
  const isWarning = warnings.length > 0 || needsRepair || (level !== undefined && level !== 'solid');
  return { text: resultText(RED, { level, holeCount, warnings, text }), isWarning };
}

function computeDurationMs(startedAt: string | undefined, finishedAt: string | undefined): number | undefined {
  const ms = Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '');
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
