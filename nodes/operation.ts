import type { NodeAPI } from 'node-red';
import { registerFlowNode } from './shared/flow-node.js';
import { filenameOf, readId } from './shared/message-input.js';
import { EXTENDED_OPERATIONS, operationFields, readOperation } from './shared/operation-parameters.js';
import { runOperation, SEND_WHEN, waitForOperation } from './shared/operation-run.js';
import { COMMON_FIELDS, choiceField, textField } from './shared/settings.js';
import { VALUE_TYPES } from './shared/typed-input.js';

export const OPERATION_FIELDS = {
  ...COMMON_FIELDS,
  ...operationFields(...EXTENDED_OPERATIONS),
  inputId: textField('payload.resultId'),
  inputIdType: choiceField(...VALUE_TYPES),
  send: SEND_WHEN,
};

/** Starts any operation of the API that takes a model: `resultId` → `operationId`. */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'operation',
    fields: OPERATION_FIELDS,
    run: async (input) => {
      if (input.held) return waitForOperation(input, input.held);
      const { msg, settings, evaluate } = input;
      const inputId = await readId(msg, { value: settings.inputId, type: settings.inputIdType }, 'resultId', evaluate);
      const { operation, parameters } = await readOperation(settings, evaluate);
      return runOperation(input, { operation, inputId, parameters, filename: filenameOf(msg) });
    },
  });
}
