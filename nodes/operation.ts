import type { NodeAPI } from 'node-red';
import { filenameOf, readId } from './shared/message/message-input.js';
import { registerFlowNode } from './shared/node/flow-node.js';
import { COMMON_FIELDS, choiceField, textField } from './shared/node/settings.js';
import { VALUE_TYPES } from './shared/node/typed-input.js';
import { operationFields, readOperation } from './shared/operations/operation-parameters.js';
import { runOperation, SEND_FIELD, waitForOperation } from './shared/operations/operation-run.js';
import { MODEL_OPERATIONS } from './shared/operations.generated.js';

/** The properties of the operation node. */
export const OPERATION_FIELDS = {
  ...COMMON_FIELDS,
  ...operationFields(...MODEL_OPERATIONS),
  inputId: textField('payload.resultId'),
  inputIdType: choiceField(...VALUE_TYPES),
  send: SEND_FIELD,
};

/**
 * Registers the operation node: starts an operation of any type (`operationId`) on a model (`resultId`), and optionally
 * waits for it.
 */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'operation',
    fields: OPERATION_FIELDS,
    run: async (input) => {
      if (input.pendingWait) return waitForOperation(input, input.pendingWait);
      const { msg, settings, evaluate } = input;
      const inputId = await readId(msg, { value: settings.inputId, type: settings.inputIdType }, 'resultId', evaluate);
      const { operation, parameters } = await readOperation(settings, input);
      return runOperation(input, { operation, inputId, parameters, filename: filenameOf(msg) });
    },
  });
}
