import type { NodeAPI } from 'node-red';
import { asRecord, filenameOf, readId } from './shared/message/message-input.js';
import { getModelRecord, getOrCreateEntry } from './shared/message/model-record.js';
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
import { VALUE_TYPES } from './shared/node/typed-input.js';
import {
  type ChosenOperation,
  NEW_REPAIR_PARAMETERS,
  operationField,
  readOperation,
  typedValues,
} from './shared/operations/operation-parameters.js';
import { runOperation, SEND_FIELD, startOperation, waitForOperation } from './shared/operations/operation-run.js';
import { REPAIR_OPERATIONS } from './shared/operations.generated.js';
import type { PendingWait } from './shared/waits/pending-waits.js';

/** The properties of the repair node. */
export const REPAIR_FIELDS = {
  ...COMMON_FIELDS,
  inputId: textField('payload.resultId'),
  inputIdType: choiceField(...VALUE_TYPES),
  operation: operationField(...REPAIR_OPERATIONS),
  parameters: typedValues(NEW_REPAIR_PARAMETERS),
  send: SEND_FIELD,
  /** Analyze first, and pass solid models through. Requires `send: 'finished'`, as does `outputs`. */
  onlyWhenNeeded: flagField(false),
  /** With 2 outputs, models whose verdict says `needsRepair` are sent to the second. */
  outputs: numberField(1, { min: 1 }),
};

type RepairInput = NodeInput<SettingsOf<typeof REPAIR_FIELDS>>;

/** A repair that follows an analysis. Stored as the `stage` of the wait for the analysis. */
type PlannedRepair = ChosenOperation & { inputId: string };

/**
 * Registers the repair node: repairs a model (`resultId`) by an operation (`operationId`), and optionally waits for it.
 */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'repair',
    fields: REPAIR_FIELDS,
    run: async (input) => {
      const { msg, settings, evaluate, pendingWait } = input;
      if (pendingWait) {
        const plannedRepair = readPlannedRepair(pendingWait);
        if (plannedRepair) return repairIfNeeded(input, plannedRepair, pendingWait);
        return selectOutput(input, await waitForOperation(input, pendingWait));
      }
      const inputId = await readId(msg, { value: settings.inputId, type: settings.inputIdType }, 'resultId', evaluate);
      const planned = { inputId, ...(await readOperation(settings, input)) };
      if (settings.onlyWhenNeeded && settings.send === 'finished') {
        const analysis = { operation: 'analyze', inputId, parameters: {}, filename: filenameOf(msg) };
        return repairIfNeeded(input, planned, { ...(await startOperation(input, analysis)), stage: planned });
      }
      return selectOutput(input, await runOperation(input, { ...planned, filename: filenameOf(msg) }));
    },
  });
}

// Only the level decides: a reason such as an incomplete file stays after every repair.
async function repairIfNeeded(input: RepairInput, planned: PlannedRepair, analysis: PendingWait): Promise<Outcome> {
  const { msg } = input;
  const { filename } = analysis;
  const outcome = await waitForOperation(input, analysis);
  const record = getModelRecord(msg);
  const verdict = getOrCreateEntry(record, analysis.operationId, 'analyze').result?.verdict;
  if (verdict?.level !== 'solid') {
    const wait = await startOperation(input, { ...planned, filename });
    return selectOutput(input, await waitForOperation(input, wait));
  }
  const { operation, inputId: resultId } = planned;
  record.resultId = resultId;
  const filenameField = filename === undefined ? {} : { filename };
  msg.payload = { operation, isCompleted: true, isSuccessful: true, resultId, changed: false, ...filenameField };
  return selectOutput(input, outcome);
}

function selectOutput({ msg, settings }: RepairInput, outcome: Outcome): Outcome {
  if (settings.send === 'started' || settings.outputs < 2) return outcome;
  const { verdict } = getModelRecord(msg);
  return verdict?.needsRepair ? { ...outcome, output: 1 } : outcome;
}

function readPlannedRepair({ stage }: PendingWait): PlannedRepair | undefined {
  const { operation, parameters, inputId } = asRecord(stage);
  if (typeof operation !== 'string' || typeof inputId !== 'string') return undefined;
  return { operation, inputId, parameters: { ...asRecord(parameters) } };
}
