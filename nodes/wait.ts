import type { NodeAPI } from 'node-red';
import { ClientError } from '../src/client/index.js';
import { isUuid } from '../src/client/replies/read-fields.js';
import { asRecord, filenameOf, isNonBlankString, readId } from './shared/message/message-input.js';
import { getModelRecord } from './shared/message/model-record.js';
import { createNodeError, toFlowError } from './shared/node/flow-error.js';
import { registerFlowNode } from './shared/node/flow-node.js';
import type { NodeInput } from './shared/node/node-input.js';
import {
  COMMON_FIELDS,
  choiceField,
  flagField,
  numberField,
  type SettingsOf,
  textField,
} from './shared/node/settings.js';
import type { Outcome } from './shared/node/status-indicator.js';
import { failureText } from './shared/node/status-texts.js';
import { VALUE_TYPES } from './shared/node/typed-input.js';
import { waitForOperation } from './shared/operations/operation-run.js';
import type { PendingWait } from './shared/waits/pending-waits.js';
import { startTimes } from './shared/waits/wait-clock.js';

/** The properties of the wait node. */
export const WAIT_FIELDS = {
  ...COMMON_FIELDS,
  operationId: textField('payload.operationId'),
  operationIdType: choiceField(...VALUE_TYPES),
  /** The type of the operation, if neither the message nor the service has it. */
  operation: textField(),
  /** With 2 outputs, failures and timeouts are sent to the second. With 1, they go to the Catch nodes. */
  outputs: numberField(1, { min: 1 }),
  /** Cancel an operation that has not completed within the wait timeout. */
  cancelAtTimeout: flagField(false),
};

type WaitInput = NodeInput<SettingsOf<typeof WAIT_FIELDS>>;

/** Registers the wait node: waits until an operation (`operationId`) has completed, and sends its result. */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'wait',
    fields: WAIT_FIELDS,
    run: async (input) => {
      if (input.pendingWait) return finish(input, input.pendingWait);
      const { msg, settings, evaluate } = input;
      if (asRecord(msg.payload).isCompleted === true) return { text: input.text('finished') };
      const setting = { value: settings.operationId, type: settings.operationIdType };
      const operationId = await readId(msg, setting, 'operationId', evaluate);
      const operation = findOperation(msg, operationId);
      return finish(input, { msg, operation, operationId, filename: filenameOf(msg), ...startTimes() });
    },
    findCancelled: async ({ msg, settings: { operationId: value, operationIdType: type }, evaluate }) => {
      const setting = { value, type };
      // Only with the default setting, a message may name no operation, and cancels all.
      if (type === 'msg' && value === 'payload.operationId' && !namesOperation(msg.payload)) return undefined;
      return readId(msg, setting, 'operationId', evaluate);
    },
  });
}

function finish(input: WaitInput, wait: PendingWait): Promise<Outcome> {
  const { operation, cancelAtTimeout } = input.settings;
  const options = { cancelAtTimeout, ...(operation !== '' && { defaultOperation: operation }) };
  const outcome = waitForOperation(input, wait, options).catch((error: unknown) => {
    throw isOperationUnknown(error) ? createOperationUnknownError(wait) : error;
  });
  return input.settings.outputs < 2
    ? outcome
    : outcome.catch((error: unknown) => createFailureOutcome(input, wait, error));
}

function createFailureOutcome({ RED }: WaitInput, wait: PendingWait, error: unknown): Outcome {
  const { operation, operationId, filename, msg } = wait;
  if (!(error instanceof ClientError && (error.code === 'OPERATION_FAILED' || error.code === 'WAIT_TIMEOUT')))
    throw error;
  const filenameField = filename === undefined ? {} : { filename };
  const isCompleted = error.code === 'OPERATION_FAILED';
  msg.payload = { operationId, operation, isCompleted, isSuccessful: false, ...filenameField };
  const { code, message } = toFlowError(error, filename);
  msg.error = { code, message };
  return {
    text: failureText(RED, error.isCancelled ? 'cancelled' : error.code, operation),
    isFailure: true,
    output: 1,
  };
}

// Returns whether a payload has an operation id, or is one. A button may send any other string, a number or a date.
function namesOperation(payload: unknown): boolean {
  if (typeof payload === 'string') return isUuid(payload.trim());
  const { operationId } = asRecord(payload);
  return operationId !== undefined && operationId !== null && operationId !== '';
}

// Returns the type of an operation from the message, or '' if it has none: then the status of the local service
// contains it. The type is part of the URL of the result.
function findOperation(msg: WaitInput['msg'], operationId: string): string {
  const payload = asRecord(msg.payload);
  if (isNonBlankString(payload.operation) && payload.operationId === operationId) return payload.operation;
  return getModelRecord(msg).operations.find((entry) => entry.operationId === operationId)?.operation ?? '';
}

function isOperationUnknown(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'OPERATION_UNKNOWN';
}

function createOperationUnknownError({ operationId }: PendingWait): ClientError {
  return createNodeError(
    'OPERATION_UNKNOWN',
    `Could not determine the type of operation ${operationId}. Select it in the node's properties.`,
  );
}
