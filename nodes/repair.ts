import type { NodeAPI } from 'node-red';
import { registerFlowNode } from './shared/flow-node.js';
import { filenameOf, readId } from './shared/message-input.js';
import { runOperation, SEND_WHEN, waitForOperation } from './shared/operation-run.js';
import { COMMON_FIELDS, oneOf, text } from './shared/settings.js';
import { VALUE_TYPES } from './shared/typed-input.js';

export const REPAIR_FIELDS = {
  ...COMMON_FIELDS,
  inputId: text('payload.resultId'),
  inputIdType: oneOf(...VALUE_TYPES),
  send: SEND_WHEN,
};

/** Makes a model printable: `resultId` → `operationId`. */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'repair',
    fields: REPAIR_FIELDS,
    run: async (input) => {
      if (input.held) return waitForOperation(input, input.held);
      const { msg, settings, evaluate } = input;
      const inputId = await readId(msg, { value: settings.inputId, type: settings.inputIdType }, 'resultId', evaluate);
      return runOperation(input, { operation: 'repair', inputId, parameters: {}, filename: filenameOf(msg) });
    },
  });
}
