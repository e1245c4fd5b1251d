import type { NodeAPI } from 'node-red';
import { baseName } from './shared/message/filename.js';
import { filenameOf, readId, type TypedValue, toNumber } from './shared/message/message-input.js';
import { registerFlowNode } from './shared/node/flow-node.js';
import { COMMON_FIELDS, choiceField, textField, unitTypeField } from './shared/node/settings.js';
import { DYNAMIC_TYPES, VALUE_TYPES } from './shared/node/typed-input.js';
import { runOperation, SEND_FIELD, waitForOperation } from './shared/operations/operation-run.js';
import { CONTENT_FIELDS, readImportParameters } from './shared/operations/read-import-parameters.js';
import { readUnits } from './shared/operations/read-units.js';

/** The properties of the import node. */
export const IMPORT_FIELDS = {
  ...COMMON_FIELDS,
  fileId: textField('payload.fileId'),
  fileIdType: choiceField(...VALUE_TYPES),
  measurementUnits: textField('mm'),
  measurementUnitsType: unitTypeField(),
  ...CONTENT_FIELDS,
  accuracyMm: textField(),
  accuracyMmType: choiceField('num', ...DYNAMIC_TYPES),
  maxAngle: textField(),
  maxAngleType: choiceField('num', ...DYNAMIC_TYPES),
  send: SEND_FIELD,
};

/** Registers the import node: imports an uploaded file (`fileId`) as a model, by an operation (`operationId`). */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'import',
    fields: IMPORT_FIELDS,
    run: async (input) => {
      if (input.pendingWait) return waitForOperation(input, input.pendingWait);
      const { msg, settings, evaluate } = input;
      const fileId = await readId(msg, { value: settings.fileId, type: settings.fileIdType }, 'fileId', evaluate);
      const units = await readUnits(input);
      const accuracyMm = await readOptionalNumber('accuracyMm', settings.accuracyMm, settings.accuracyMmType, evaluate);
      const maxAngle = await readOptionalNumber('maxAngle', settings.maxAngle, settings.maxAngleType, evaluate);
      const content = await readImportParameters(input);
      const parameters = { fileId, ...units, ...accuracyMm, ...maxAngle, ...content };
      const filename = content.entry === undefined ? filenameOf(msg) : baseName(content.entry);
      return runOperation(input, { operation: 'import', parameters, filename });
    },
  });
}

// Reads an optional parameter for meshing curved surfaces. If it is empty, it is not sent: not every service supports
// it.
async function readOptionalNumber(
  name: 'accuracyMm' | 'maxAngle',
  value: string,
  type: string,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<Record<string, number>> {
  const parameter = value === '' ? undefined : await evaluate({ value, type });
  return parameter === undefined || parameter === null || parameter === '' ? {} : { [name]: toNumber(name, parameter) };
}
