import type { NodeAPI } from 'node-red';
import { ClientError } from '../src/client/index.js';
import { baseName, withExtensionOf } from './shared/message/filename.js';
import { requireText } from './shared/message/message-input.js';
import { getModelRecord } from './shared/message/model-record.js';
import { createNodeError } from './shared/node/flow-error.js';
import { registerFlowNode } from './shared/node/flow-node.js';
import type { NodeInput } from './shared/node/node-input.js';
import {
  COMMON_FIELDS,
  choiceField,
  flagField,
  type SettingsOf,
  textField,
  unitTypeField,
} from './shared/node/settings.js';
import type { Outcome } from './shared/node/status-indicator.js';
import { DYNAMIC_TYPES } from './shared/node/typed-input.js';
import { CUSTOM_OPERATION, readOperation } from './shared/operations/operation-parameters.js';
import {
  createResultOutcome,
  type OperationStart,
  startOperation,
  waitForOperation,
} from './shared/operations/operation-run.js';
import { type KnownStep, requireSteps, stepList, withStepContext } from './shared/operations/process-steps.js';
import { CONTENT_FIELDS, readImportParameters } from './shared/operations/read-import-parameters.js';
import { readUnits } from './shared/operations/read-units.js';
import { findFolderWarning } from './shared/transfers/folder-setting.js';
import { SOURCE_FIELDS, TARGET_FIELDS } from './shared/transfers/transfer-fields.js';
import { runDownload, runUpload } from './shared/transfers/transfer-run.js';
import { findFormParts } from './shared/transfers/upload-source.js';
import type { PendingWait } from './shared/waits/pending-waits.js';

/** The properties of the process node. */
export const PROCESS_FIELDS = {
  ...COMMON_FIELDS,
  ...SOURCE_FIELDS,
  measurementUnits: textField('mm'),
  measurementUnitsType: unitTypeField(),
  ...CONTENT_FIELDS,
  steps: stepList(),
  exportToFormat: textField('stl'),
  exportToFormatType: choiceField('str', ...DYNAMIC_TYPES),
  ...TARGET_FIELDS,
  /** Cancel an operation that has not completed within the wait timeout. */
  cancelAtTimeout: flagField(false),
};

type ProcessInput = NodeInput<SettingsOf<typeof PROCESS_FIELDS>>;

/** A step between upload and download. */
type Step = { operation: 'import' } | { operation: 'export' } | KnownStep;

/**
 * Registers the process node: uploads and imports a file, runs the steps, then exports and downloads the result.
 *
 * If a redeploy or restart interrupts an operation or the download, the message continues at its step: `stage` of the
 * pending wait is the index of the step. A redeploy repeats an upload; the end of Node-RED loses it, as in the upload
 * node.
 */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'process',
    fields: PROCESS_FIELDS,
    findWarning: findFolderWarning,
    findParts: (input) => withStepContext('Upload', () => findFormParts(input)),
    run: async (input) => {
      try {
        return await processFile(input);
      } catch (error) {
        const wasAborted = error instanceof ClientError && error.code === 'ABORTED';
        throw wasAborted && input.cancellation.aborted ? input.cancellation.reason : error;
      }
    },
    // Messages do not know the ids of the operations in this node.
    findCancelled: () => Promise.resolve(undefined),
  });
}

async function processFile(input: ProcessInput): Promise<Outcome> {
  const { msg, settings, signal, cancellation } = input;
  const modelSteps = await requireSteps(settings.steps);
  const steps: Step[] = [{ operation: 'import' }, ...modelSteps, { operation: 'export' }];
  // A start that was sent is not aborted: the operation could run unnoticed.
  const transferInput = { ...input, signal: AbortSignal.any([signal, cancellation]) };
  let { pendingWait } = input;
  if (!pendingWait) await withStepContext('Upload', () => runUpload(transferInput));
  for (let stepIndex = pendingWait ? findStep(pendingWait, steps) : 0; stepIndex < steps.length; stepIndex += 1) {
    cancellation.throwIfAborted();
    await runStep(input, transferInput.signal, steps, stepIndex, pendingWait);
    pendingWait = undefined;
  }
  const { fileId = '', verdict, warnings, operations } = getModelRecord(msg);
  const { text: filename } = await withStepContext('Download', () => runDownload(transferInput, fileId));
  const result =
    verdict && operations.findLast((entry) => entry.result?.report?.verdict ?? entry.result?.verdict)?.result;
  return createResultOutcome(input.RED, result ?? {}, warnings, filename);
}

/** Returns the index of the step that a pending wait belongs to. Throws `INPUT_INVALID` if the steps have changed. */
function findStep({ stage, operation, operationId }: PendingWait, steps: Step[]): number {
  const stepIndex = typeof stage === 'number' ? stage : -1;
  const step = steps[stepIndex];
  const stepOperation = step?.operation === CUSTOM_OPERATION ? step.ownOperation : step?.operation;
  if (stepOperation === operation) return stepIndex;
  throw createNodeError(
    'INPUT_INVALID',
    `Could not resume after the operation ${operationId}: the steps of this node have changed. Send the message again.`,
  );
}

/**
 * Returns the name of a step in errors, and its position in the status: as in the list of the dialog, which numbers the
 * steps between import and export.
 */
function describeStep(steps: Step[], stepIndex: number): { name: string; position: string } {
  const step = steps[stepIndex];
  if (step?.operation === 'import') return { name: 'Import', position: '' };
  if (!step || step.operation === 'export') return { name: 'Export', position: '' };
  const operation = step.operation === CUSTOM_OPERATION ? step.ownOperation : step.operation;
  return { name: `Step ${stepIndex} (${operation})`, position: `${stepIndex}/${steps.length - 2}` };
}

async function runStep(
  input: ProcessInput,
  turnSignal: AbortSignal,
  steps: Step[],
  stepIndex: number,
  pendingWait: PendingWait | undefined,
): Promise<void> {
  const step = steps[stepIndex];
  if (!step) return;
  const { name, position } = describeStep(steps, stepIndex);
  const text: ProcessInput['text'] = (key, values) => input.text(key, { ...values, step: position }).trim();
  const stepInput = { ...input, text };
  const { cancelAtTimeout } = input.settings;
  await withStepContext(name, async () => {
    const wait = pendingWait ?? {
      ...(await startOperation(stepInput, await createStart(stepInput, step), turnSignal)),
      stage: stepIndex,
    };
    // The wait is registered first, and goes on if the service does not cancel the operation.
    const waiting = waitForOperation(stepInput, wait, { cancelAtTimeout });
    if (input.cancellation.aborted) await Promise.all([waiting, tryCancel(input, wait)]);
    return waiting;
  });
}

// Cancels an operation that was started for a message after it was cancelled. The cancel message reports a failure.
async function tryCancel({ connection, signal }: ProcessInput, { operationId }: PendingWait): Promise<void> {
  try {
    await connection.client.cancel(operationId, { signal });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
  }
}

async function createStart(input: ProcessInput, step: Step): Promise<OperationStart> {
  const { msg, settings, evaluate } = input;
  const { fileId, resultId = '', filename: uploadedName, operations } = getModelRecord(msg);
  const entry = operations.findLast(({ operation }) => operation === 'import')?.parameters?.entry;
  // The model of a ZIP continues with its own name.
  const filename = typeof entry === 'string' ? baseName(entry) : uploadedName;
  if (step.operation === 'import') {
    const content = await readImportParameters(input);
    const parameters = { fileId, ...(await readUnits(input)), ...content };
    return { operation: 'import', parameters, filename: uploadedName };
  }
  if (step.operation === 'export') {
    const format = { value: settings.exportToFormat, type: settings.exportToFormatType };
    const parameters = { exportToFormat: await requireText(format, 'export format', evaluate) };
    const exportName = filename && withExtensionOf(filename, parameters.exportToFormat);
    return { operation: 'export', inputId: resultId, parameters, payload: parameters, filename: exportName };
  }
  return { ...(await readOperation(step, input)), inputId: resultId, filename };
}
