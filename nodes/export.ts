import type { NodeAPI } from 'node-red';
import { withExtensionOf } from './shared/message/filename.js';
import { filenameOf, readId, requireText } from './shared/message/message-input.js';
import { registerFlowNode } from './shared/node/flow-node.js';
import { COMMON_FIELDS, choiceField, textField } from './shared/node/settings.js';
import { DYNAMIC_TYPES, VALUE_TYPES } from './shared/node/typed-input.js';
import { runOperation, SEND_FIELD, waitForOperation } from './shared/operations/operation-run.js';

/** The properties of the export node. */
export const EXPORT_FIELDS = {
  ...COMMON_FIELDS,
  inputId: textField('payload.resultId'),
  inputIdType: choiceField(...VALUE_TYPES),
  exportToFormat: textField('stl'),
  exportToFormatType: choiceField('str', ...DYNAMIC_TYPES),
  send: SEND_FIELD,
};

/** Registers the export node: exports a model (`resultId`) as a file, by an operation (`operationId`). */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'export',
    fields: EXPORT_FIELDS,
    run: async (input) => {
      if (input.pendingWait) return waitForOperation(input, input.pendingWait);
      const { msg, settings, evaluate } = input;
      const inputId = await readId(msg, { value: settings.inputId, type: settings.inputIdType }, 'resultId', evaluate);
      const format = { value: settings.exportToFormat, type: settings.exportToFormatType };
      const exportToFormat = await requireText(format, 'export format', evaluate);
      const modelName = filenameOf(msg);
      const filename = modelName === undefined ? undefined : withExtensionOf(modelName, exportToFormat);
      const parameters = { exportToFormat };
      return runOperation(input, { operation: 'export', inputId, parameters, payload: parameters, filename });
    },
  });
}
