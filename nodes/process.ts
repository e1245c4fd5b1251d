import type { NodeAPI } from 'node-red';
import { withExtensionOf } from './shared/message/filename.js';
import { requireText } from './shared/message/message-input.js';
import { getModelRecord } from './shared/message/model-record.js';
import { createNodeError } from './shared/node/flow-error.js';
import { type NodeInput, registerFlowNode } from './shared/node/flow-node.js';
import { COMMON_FIELDS, choiceField, type SettingsOf, textField } from './shared/node/settings.js';
import { CUSTOM_OPERATION, readOperation } from './shared/operations/operation-parameters.js';
import { type OperationStart, startOperation, waitForOperation } from './shared/operations/operation-run.js';
import { type StepSettings, stepList, withStepContext } from './shared/operations/process-steps.js';
import { SOURCE_FIELDS, TARGET_FIELDS } from './shared/transfers/transfer-fields.js';
import { downloadModel, uploadModel } from './shared/transfers/transfer-run.js';
import type { PendingWait } from './shared/waits/pending-waits.js';

export const PROCESS_FIELDS = {
  ...COMMON_FIELDS,
  ...SOURCE_FIELDS,
  measurementUnits: textField('mm'),
  measurementUnitsType: choiceField('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
  steps: stepList(),
  exportToFormat: textField('stl'),
  exportToFormatType: choiceField('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
  ...TARGET_FIELDS,
};

type ProcessInput = NodeInput<SettingsOf<typeof PROCESS_FIELDS>>;

/** What stands between the upload and the download, in its order. */
type Step = { operation: 'import' } | { operation: 'export' } | StepSettings;

/**
 * The whole way in one node: a file in; upload, import, the steps, export, download; a file out.
 *
 * A message whose operation is cut by a redeploy or a restart goes on from there: `stage` says at which step it is. One that is cut in
 * an upload or a download is lost, as at the nodes for these.
 */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'process',
    fields: PROCESS_FIELDS,
    run: async (input) => {
      const { msg, settings } = input;
      const steps: Step[] = [{ operation: 'import' }, ...settings.steps, { operation: 'export' }];
      let { held: pendingWait } = input;
      if (!pendingWait) await withStepContext('the upload', () => uploadModel(input));
      for (let stepIndex = pendingWait ? findStep(pendingWait, steps) : 0; stepIndex < steps.length; stepIndex += 1) {
        await runStep(input, steps, stepIndex, pendingWait);
        pendingWait = undefined;
      }
      const { fileId = '', verdict, warnings } = getModelRecord(msg);
      const { text: filename } = await withStepContext('the download', () => downloadModel(input, fileId));
      const isSound = verdict === undefined || verdict.level === 'solid';
      return { text: verdict?.level ?? filename, isWarning: warnings.length > 0 || !isSound };
    },
  });
}

/** The step that a message was at which is taken up. `INPUT_INVALID` where the steps are no longer the same. */
function findStep({ stage, operation, operationId }: PendingWait, steps: Step[]): number {
  const stepIndex = typeof stage === 'number' ? stage : -1;
  const step = steps[stepIndex];
  const isSame = step?.operation === CUSTOM_OPERATION ? step.ownOperation === operation : step?.operation === operation;
  if (isSame) return stepIndex;
  throw createNodeError(
    'INPUT_INVALID',
    `the steps of this node were changed while operation ${operationId} ran: send the message again`,
  );
}

async function runStep(
  input: ProcessInput,
  steps: Step[],
  stepIndex: number,
  pendingWait: PendingWait | undefined,
): Promise<void> {
  const step = steps[stepIndex];
  if (!step) return;
  const text: ProcessInput['text'] = (key, values) =>
    input.text(key, { ...values, step: `${stepIndex + 1}/${steps.length}` });
  const shown = { ...input, text };
  const name = step.operation === CUSTOM_OPERATION ? step.ownOperation : step.operation;
  await withStepContext(`step ${stepIndex + 1}, ${name}`, async () =>
    waitForOperation(
      shown,
      pendingWait ?? { ...(await startOperation(shown, await createStart(shown, step))), stage: stepIndex },
    ),
  );
}

async function createStart({ msg, settings, evaluate }: ProcessInput, step: Step): Promise<OperationStart> {
  const { fileId, resultId = '', filename } = getModelRecord(msg);
  if (step.operation === 'import') {
    const units = { value: settings.measurementUnits, type: settings.measurementUnitsType };
    const parameters = { fileId, measurementUnits: await requireText(units, 'unit', evaluate) };
    return { operation: 'import', parameters, filename };
  }
  if (step.operation === 'export') {
    const format = { value: settings.exportToFormat, type: settings.exportToFormatType };
    const parameters = { exportToFormat: await requireText(format, 'export format', evaluate) };
    const exported = filename && withExtensionOf(filename, parameters.exportToFormat);
    return { operation: 'export', inputId: resultId, parameters, payload: parameters, filename: exported };
  }
  return { ...(await readOperation(step, evaluate)), inputId: resultId, filename };
}
