import type { OperationRecord, VerdictSummary } from '../../api/index.js';
import { type Child, createButton, createElement, createProgress } from '../dom.js';
import { type Item, isHelper, type Version } from '../models/items.js';
import type { Library } from '../models/library.js';
import { describeProblem, filePath } from '../requests/requests.js';
import { fill, formatTime, operationName, texts } from '../texts/current.js';
import { createBadge } from './verdict.js';

/** The code of an import of an archive whose models are read one by one. */
const SEVERAL_MODELS = 42216;

/** What the buttons of the history call. */
export interface HistoryListeners {
  onShow: (modelId: string) => void;
  onCancel: (operationId: string) => void;
}

/** An entry of the history. It is created again when one of these has changed. */
interface Entry {
  operation: OperationRecord;
  version: Version | undefined;
  verdict: VerdictSummary | undefined;
  /** The name of a file that can be downloaded. */
  filename: string | undefined;
  isShown: boolean;
}

/** Returns the entries of the history, newest first. */
export function createEntries(
  { operations, versions }: Item,
  shownModelId: string | undefined,
  library: Library,
): Entry[] {
  const entries = operations
    .filter((operation) => !isHelper(operation))
    .map((operation): Entry => {
      const version = versions.find(({ modelId }) => modelId === operation.resultId);
      const verdict = version && library.reports.findVerdict(operation.operationId);
      const filename = operation.fileId === undefined ? undefined : library.filenameOf(operation.fileId);
      return { operation, version, verdict, filename, isShown: version?.modelId === shownModelId };
    });
  return entries.reverse();
}

function createState({ operation, version, verdict, filename }: Entry): Child[] {
  const { list } = texts();
  const { isCompleted, isSuccessful, error, startedAt, progress } = operation;
  const name = operationName(operation.operation ?? '');
  if (!isCompleted) {
    const text = startedAt === undefined ? list.queued : fill(list.working, { operation: name });
    return [createElement('span', { className: 'muted' }, text), createProgress(progress, name)];
  }
  if (!isSuccessful) {
    if (error?.code === 42217)
      return [createElement('span', { className: 'muted' }, fill(list.cancelled, { operation: name }))];
    return [
      createElement(
        'span',
        { className: error?.code === SEVERAL_MODELS ? 'muted' : 'problem' },
        error ? describeProblem(error) : fill(list.failed, { operation: name }),
      ),
    ];
  }
  const isMissing = version ? !version.isStored : operation.fileId !== undefined && filename === undefined;
  if (isMissing) return [createElement('span', { className: 'muted' }, list.expired)];
  return [verdict && createBadge(verdict)];
}

function createEntry(entry: Entry, { onShow, onCancel }: HistoryListeners): HTMLElement {
  const { operation, version, filename, isShown } = entry;
  const { operationId, fileId, isCompleted } = operation;
  const { detail, actions } = texts();
  const name = operationName(operation.operation ?? '');
  const action = (): Child => {
    const describe = (label: string) => ({ description: `${label}: ${name}` });
    if (!isCompleted)
      return createButton(detail.cancel, () => onCancel(operationId), {
        key: `cancel-${operationId}`,
        ...describe(detail.cancel),
      });
    if (version?.isStored) {
      if (isShown) return createElement('span', { className: 'muted' }, detail.shown);
      return createButton(detail.version, () => onShow(version.modelId), {
        key: `show-${operationId}`,
        ...describe(detail.version),
      });
    }
    if (fileId === undefined || filename === undefined) return undefined;
    const attributes = {
      href: filePath(fileId),
      download: true,
      'data-key': `file-${operationId}`,
      'aria-label': `${actions.download}: ${filename}`,
    };
    return createElement('a', { className: 'button', attributes }, actions.download);
  };
  const attributes = { 'aria-current': isShown ? 'true' : undefined };
  const time = formatTime(new Date(operation.createdAt ?? 0));
  const title = createElement('strong', {}, name, filename !== undefined && ` · ${filename}`);
  const text = createElement(
    'div',
    { className: 'entry-text' },
    title,
    ...createState(entry),
    createElement('small', { className: 'muted' }, time),
  );
  return createElement('li', { attributes }, text, action());
}

/** Creates the list of what was done with a model. */
export function createHistory(entries: readonly Entry[], listeners: HistoryListeners): Child[] {
  const items = entries.map((entry) => createEntry(entry, listeners));
  return [createElement('h2', {}, texts().detail.versions), createElement('ol', { className: 'history' }, ...items)];
}
