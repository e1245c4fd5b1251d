import type { NodeAPI } from 'node-red';
import { withExtensionOf } from './shared/filename.js';
import { nodeError } from './shared/flow-error.js';
import { type Input, registerFlowNode } from './shared/flow-node.js';
import type { HeldWait } from './shared/held-waits.js';
import { readText } from './shared/message-input.js';
import { modelOf } from './shared/model-record.js';
import { OWN_OPERATION, readOperation } from './shared/operation-parameters.js';
import { type Start, startOperation, waitForOperation } from './shared/operation-run.js';
import { atStep, type StepSettings, stepList } from './shared/process-steps.js';
import { COMMON_FIELDS, oneOf, type SettingsOf, text } from './shared/settings.js';
import { SOURCE_FIELDS, TARGET_FIELDS } from './shared/transfer-fields.js';
import { downloadModel, uploadModel } from './shared/transfer-run.js';

export const PROCESS_FIELDS = {
  ...COMMON_FIELDS,
  ...SOURCE_FIELDS,
  measurementUnits: text('mm'),
  measurementUnitsType: oneOf('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
  steps: stepList(),
  exportToFormat: text('stl'),
  exportToFormatType: oneOf('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
  ...TARGET_FIELDS,
};

type ProcessInput = Input<SettingsOf<typeof PROCESS_FIELDS>>;

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
      let { held } = input;
      if (!held) await atStep('the upload', () => uploadModel(input));
      for (let at = held ? findStep(held, steps) : 0; at < steps.length; at += 1) {
        await runStep(input, steps, at, held);
        held = undefined;
      }
      const { fileId = '', verdict, warnings } = modelOf(msg);
      const { text: filename } = await atStep('the download', () => downloadModel(input, fileId));
      const isSound = verdict === undefined || verdict.level === 'solid';
      return { text: verdict?.level ?? filename, isWarning: warnings.length > 0 || !isSound };
    },
  });
}

/** The step that a message was at which is taken up. `INPUT_INVALID` where the steps are no longer the same. */
function findStep({ stage, operation, operationId }: HeldWait, steps: Step[]): number {
  const at = typeof stage === 'number' ? stage : -1;
  const step = steps[at];
  const isSame = step?.operation === OWN_OPERATION ? step.ownOperation === operation : step?.operation === operation;
  if (isSame) return at;
  throw nodeError(
    'INPUT_INVALID',
    `the steps of this node were changed while operation ${operationId} ran: send the message again`,
  );
}

async function runStep(input: ProcessInput, steps: Step[], at: number, held: HeldWait | undefined): Promise<void> {
  const step = steps[at];
  if (!step) return;
  const text: ProcessInput['text'] = (key, values) => input.text(key, { ...values, step: `${at + 1}/${steps.length}` });
  const shown = { ...input, text };
  const name = step.operation === OWN_OPERATION ? step.ownOperation : step.operation;
  await atStep(`step ${at + 1}, ${name}`, async () =>
    waitForOperation(shown, held ?? { ...(await startOperation(shown, await readStart(shown, step))), stage: at }),
  );
}

async function readStart({ msg, settings, evaluate }: ProcessInput, step: Step): Promise<Start> {
  const { fileId, resultId = '', filename } = modelOf(msg);
  if (step.operation === 'import') {
    const units = { value: settings.measurementUnits, type: settings.measurementUnitsType };
    const parameters = { fileId, measurementUnits: await readText(units, 'unit', evaluate) };
    return { operation: 'import', parameters, filename };
  }
  if (step.operation === 'export') {
    const format = { value: settings.exportToFormat, type: settings.exportToFormatType };
    const parameters = { exportToFormat: await readText(format, 'export format', evaluate) };
    const exported = filename && withExtensionOf(filename, parameters.exportToFormat);
    return { operation: 'export', inputId: resultId, parameters, payload: parameters, filename: exported };
  }
  return { ...(await readOperation(step, evaluate)), inputId: resultId, filename };
}
