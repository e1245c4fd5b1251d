import type { Node, NodeAPI } from 'node-red';
import { registerModelsEndpoints } from './shared/endpoints/models-endpoint.js';
import { filenameOf, isNonBlankString, readId } from './shared/message/message-input.js';
import { getModelRecord } from './shared/message/model-record.js';
import { NUMBER_RULES } from './shared/node/field-rules.js';
import { toFlowError } from './shared/node/flow-error.js';
import { registerStatefulNode } from './shared/node/flow-node.js';
import type { FlowNodeDefinition, NodeInput } from './shared/node/node-input.js';
import { pathOf } from './shared/node/path-of.js';
import {
  COMMON_FIELDS,
  choiceField,
  flagField,
  numberField,
  type SettingsOf,
  textField,
} from './shared/node/settings.js';
import type { Outcome } from './shared/node/status-indicator.js';
import { resultText } from './shared/node/status-texts.js';
import { VALUE_TYPES } from './shared/node/typed-input.js';
import { createPreviewFiles } from './shared/previews/create-preview-files.js';
import type { ModelEntries } from './shared/previews/model-entries.js';
import { findRepairInput, type ModelEntry, type ModelSummary, summarizeModel } from './shared/previews/model-entry.js';
import { ModelNotifier } from './shared/previews/model-notifier.js';
import { NewestQueue } from './shared/previews/newest-queue.js';
import { useModelEntries } from './shared/service/registry.js';

/** The properties of the preview node. */
export const PREVIEW_FIELDS = {
  ...COMMON_FIELDS,
  inputId: textField('payload.resultId'),
  inputIdType: choiceField(...VALUE_TYPES),
  compareId: textField(),
  /** `repair`: the input of the last repair of the message. */
  compareIdType: choiceField('repair', 'none', ...VALUE_TYPES),
  /** In pixels of the editor. */
  pictureWidth: numberField(160, NUMBER_RULES.pictureWidth),
  /** Show the picture under the node. Read by the editor only. */
  showPicture: flagField(true),
};

/** The minimum time between two updates of the number of skipped messages: each is sent to all open editors. */
const SKIPPED_INTERVAL_MS = 200;

type PreviewInput = NodeInput<SettingsOf<typeof PREVIEW_FIELDS>>;

/** What a message says about the model to show, read before the next nodes change it. */
interface ModelToShow {
  modelId: string;
  compareId: string | undefined;
  summary: ModelSummary;
}

/**
 * Registers the preview node: sends each message on, then creates a picture and a 3D preview of its model for the editor.
 * One message is processed at a time and one waits; newer ones replace it.
 */
export default function register(RED: NodeAPI): void {
  const entries = useModelEntries(RED);
  registerModelsEndpoints(RED, entries);
  registerStatefulNode(RED, 'preview', (node) => definePreview(RED, node, entries));
}

function definePreview(RED: NodeAPI, node: Node, entries: ModelEntries): FlowNodeDefinition<typeof PREVIEW_FIELDS> {
  const notifier = new ModelNotifier(RED, node.id);
  const queue = new NewestQueue();
  // Shows the message that is being processed, and the number of those that were skipped.
  let showWorking = () => {};
  let shownAt = Number.NEGATIVE_INFINITY;
  const run = async (input: PreviewInput): Promise<Outcome> => {
    const model = await readModel(input);
    input.forward();
    input.activity.waiting(input.text('queued'));
    const outcome = await queue.run(input.signal, async () => {
      showWorking = () => {
        const count = String(queue.skippedCount);
        input.activity.working(
          queue.skippedCount > 0 ? input.text('workingSkipped', { count }) : input.text('working'),
        );
      };
      showWorking();
      const { modelId, summary } = model;
      const { service } = input.settings;
      const entry = entries.add({ path: pathOf(node), name: node.name ?? '', service, modelId, summary });
      await showModel(input, entries, entry, model, notifier);
      return createOutcome(input, model.summary, queue.skippedCount);
    });
    if (outcome) return outcome;
    input.activity.drop();
    if (performance.now() - shownAt >= SKIPPED_INTERVAL_MS) {
      shownAt = performance.now();
      showWorking();
    }
    return { text: '', isSkipped: true };
  };
  return { name: 'preview', fields: PREVIEW_FIELDS, isForwarding: true, close: () => notifier.close(), run };
}

async function readModel({ msg, settings, evaluate }: PreviewInput): Promise<ModelToShow> {
  const modelId = await readId(msg, { value: settings.inputId, type: settings.inputIdType }, 'resultId', evaluate);
  const record = getModelRecord({ ...msg, model: { ...Object(msg.model) } });
  const { compareId: value, compareIdType: type } = settings;
  const compared = type === 'repair' ? findRepairInput(record) : type !== 'none' && (await evaluate({ value, type }));
  const compareId = isNonBlankString(compared) && compared.trim() !== modelId ? compared.trim() : undefined;
  return { modelId, compareId, summary: summarizeModel(record, modelId, filenameOf(msg)) };
}

/** Creates the files of an entry, and tells the editors about each. A failure is recorded in the entry and thrown. */
async function showModel(
  { connection, signal, settings }: PreviewInput,
  entries: ModelEntries,
  entry: ModelEntry,
  { modelId, compareId }: ModelToShow,
  notifier: ModelNotifier,
): Promise<void> {
  const update = (change: Parameters<typeof entries.update>[1]) => {
    entries.update(entry, change);
    notifier.notify(entry);
  };
  const options = { modelId, compareId, pictureWidth: settings.pictureWidth, signal };
  notifier.notify(entry);
  try {
    const onFile = (name: 'picture' | 'mesh' | 'before', fileId: string) => {
      entry.files[name] = fileId;
      update({});
    };
    const hasPreview = await createPreviewFiles(connection, options, onFile);
    update({ state: hasPreview ? 'complete' : 'unsupported' });
  } catch (error) {
    // The node that replaces this one does not continue its previews.
    const { code = '', message } = toFlowError(error, entry.summary.filename || undefined);
    update({ state: 'failed', error: { code, message: message.slice(0, 500) } });
    throw error;
  }
}

function createOutcome(
  input: PreviewInput,
  { level, needsRepair, analysis, filename, warnings }: ModelSummary,
  skippedCount: number,
): Outcome {
  const known = { level: level === '' ? undefined : level, holeCount: analysis.badContours };
  const text = filename === '' ? input.text('finished') : filename;
  // Other warnings are those of the node that received the result.
  const result = resultText(input.RED, { ...known, warnings: needsRepair ? warnings : [], text });
  return {
    text: skippedCount > 0 ? input.text('skipped', { text: result, count: String(skippedCount) }) : result,
    isWarning: needsRepair || !['', 'solid'].includes(level),
  };
}
