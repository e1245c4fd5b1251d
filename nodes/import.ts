import type { NodeAPI } from 'node-red';
import { registerFlowNode } from './shared/flow-node.js';
import { filenameOf, readId, readText, type TypedValue, toNumber } from './shared/message-input.js';
import { runOperation, SEND_WHEN, waitForOperation } from './shared/operation-run.js';
import { COMMON_FIELDS, oneOf, text } from './shared/settings.js';
import { VALUE_TYPES } from './shared/typed-input.js';

/** Units that can be chosen in the dialog. */
export const UNITS = ['mm', 'cm', 'm', 'um', 'inch', 'ft'] as const;

export const IMPORT_FIELDS = {
  ...COMMON_FIELDS,
  fileId: text('payload.fileId'),
  fileIdType: oneOf(...VALUE_TYPES),
  measurementUnits: text('mm'),
  measurementUnitsType: oneOf('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
  accuracyMm: text(),
  accuracyMmType: oneOf('num', 'msg', 'flow', 'global', 'env', 'jsonata'),
  maxAngle: text(),
  maxAngleType: oneOf('num', 'msg', 'flow', 'global', 'env', 'jsonata'),
  send: SEND_WHEN,
};

/** Turns an uploaded file into a model: `fileId` → `operationId`. */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'import',
    fields: IMPORT_FIELDS,
    run: async (input) => {
      if (input.held) return waitForOperation(input, input.held);
      const { msg, settings, evaluate } = input;
      const fileId = await readId(msg, { value: settings.fileId, type: settings.fileIdType }, 'fileId', evaluate);
      const units = { value: settings.measurementUnits, type: settings.measurementUnitsType };
      const measurementUnits = await readText(units, 'unit', evaluate);
      const accuracyMm = await readNumber('accuracyMm', settings.accuracyMm, settings.accuracyMmType, evaluate);
      const maxAngle = await readNumber('maxAngle', settings.maxAngle, settings.maxAngleType, evaluate);
      const parameters = { fileId, measurementUnits, ...accuracyMm, ...maxAngle };
      return runOperation(input, { operation: 'import', parameters, filename: filenameOf(msg) });
    },
  });
}

// How finely curved surfaces are meshed, where that is set: not every service knows these parameters, nor every format has such surfaces.
async function readNumber(
  name: 'accuracyMm' | 'maxAngle',
  value: string,
  type: string,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<Record<string, number>> {
  const given = value === '' ? undefined : await evaluate({ value, type });
  return given === undefined || given === null || given === '' ? {} : { [name]: toNumber(name, given) };
}
