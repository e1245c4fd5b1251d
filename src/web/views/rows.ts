import { createButton, createElement, createProgress } from '../dom.js';
import { extensionOf } from '../models/formats.js';
import {
  archivedModelsOf,
  findShownFile,
  type Item,
  isItemStored,
  lastOperation,
  latestVersion,
} from '../models/items.js';
import type { Library } from '../models/library.js';
import type { Upload, Uploads } from '../models/uploads.js';
import { filePath } from '../requests/requests.js';
import { fill, formatBytes, formatNumber, formatTime, operationName, texts } from '../texts/current.js';
import { createBadge } from './verdict.js';

/** An entry of the list. */
export interface Row {
  id: string;
  /** What the entry depends on. While these are the same values, it is not even described again. */
  basis: readonly unknown[];
  describe: () => RowContent;
}

/** What an entry shows. It is created again when its state has changed. */
export interface RowContent {
  state: object;
  create: () => HTMLElement[];
}

/** The code of an operation that was cancelled. */
const CANCELLED = 42217;

/** The letters of the format that fit into the place of a picture. */
const MAX_FORMAT_LENGTH = 5;

/** Creates the picture of a model, or the name of its format if there is none. */
function createPicture(fileId: string | undefined, filename: string): HTMLElement {
  if (fileId === undefined) {
    const format = extensionOf(filename).slice(0, MAX_FORMAT_LENGTH).toUpperCase();
    return createElement('span', { className: 'no-picture', attributes: { 'aria-hidden': 'true' } }, format);
  }
  return createElement('img', {
    attributes: { src: filePath(fileId), alt: '', loading: 'lazy', width: 64, height: 48 },
  });
}

function createRowContent(href: string, isCurrent: boolean, picture: HTMLElement, title: string, lines: HTMLElement[]) {
  const attributes = { href, title, 'data-key': href, 'aria-current': isCurrent ? 'true' : undefined };
  const text = createElement('span', { className: 'row-text' }, createElement('strong', {}, title), ...lines);
  return createElement('a', { className: 'row', attributes }, picture, text);
}

function describeUpload({ state, sentBytes, file, describeProblem }: Upload): string {
  const { list } = texts();
  if (describeProblem && state === 'failed') return describeProblem();
  if (state === 'waiting') return list.waiting;
  if (state === 'reconnecting') return list.reconnecting;
  const percent = `${formatNumber((100 * sentBytes) / Math.max(1, file.size))} %`;
  return fill(list.uploading, { percent });
}

/** Describes the state of an item in a few words, if it has no verdict. */
export function describeItem(item: Item): string | undefined {
  const { list } = texts();
  if (!isItemStored(item)) return list.expired;
  const operation = lastOperation(item);
  if (!operation) return list.notRead;
  const name = operationName(operation.operation ?? '');
  if (!operation.isCompleted) {
    return operation.startedAt === undefined ? list.queued : fill(list.working, { operation: name });
  }
  if (operation.isSuccessful) return undefined;
  const { length: count } = archivedModelsOf(item);
  if (count > 0) return fill(list.archive, { count });
  return fill(operation.error?.code === CANCELLED ? list.cancelled : list.failed, { operation: name });
}

function describeUploadRow(upload: Upload, isSelected: boolean, uploads: Uploads): RowContent {
  const { id, filename, state, sentBytes, file, canRetry } = upload;
  const { detail } = texts();
  const text = describeUpload(upload);
  const create = (): HTMLElement[] => {
    const line = createElement('span', { className: state === 'failed' ? 'problem' : 'muted' }, text);
    const progress = state === 'sending' ? [createProgress(sentBytes / Math.max(1, file.size), filename)] : [];
    const picture = createPicture(undefined, filename);
    const row = createRowContent(`#upload/${id}`, isSelected, picture, filename, [line, ...progress]);
    const retry = createButton(detail.retry, () => uploads.retry(upload), {
      key: `retry-${id}`,
      description: `${detail.retry}: ${filename}`,
    });
    const removeLabel = state === 'failed' ? detail.remove : detail.cancel;
    const remove = createButton(removeLabel, () => uploads.remove(upload), {
      key: `remove-${id}`,
      description: `${removeLabel}: ${filename}`,
    });
    const buttons = [...(state === 'failed' && canRetry ? [retry] : []), remove];
    return [row, createElement('span', { className: 'row-buttons' }, ...buttons)];
  };
  return { state: [texts().language, text, state, canRetry, isSelected], create };
}

/** Returns the entry of a file that is uploaded. */
export function createUploadRow(upload: Upload, selectedId: string, uploads: Uploads): Row {
  const { id, state, sentBytes, describeProblem, canRetry } = upload;
  const isSelected = id === selectedId;
  return {
    id,
    basis: [texts(), state, sentBytes, describeProblem, canRetry, isSelected],
    describe: () => describeUploadRow(upload, isSelected, uploads),
  };
}

/** Returns the entry of an item. `today`: the date, which decides how times are shown. */
export function createItemRow(item: Item, selectedId: string, library: Library, today: string): Row {
  const version = latestVersion(item);
  const picture = version && findShownFile(item, version.modelId, 'thumbnail', library.isStored);
  const verdict = version && library.reports.findVerdict(version.operation.operationId);
  const isSelected = item.id === selectedId;
  const describe = (): RowContent => {
    const description = describeItem(item);
    const operation = lastOperation(item);
    const hasFailed =
      isItemStored(item) &&
      operation?.error !== undefined &&
      operation.error.code !== CANCELLED &&
      archivedModelsOf(item).length === 0;
    const facts = [
      ...(item.entry ? [item.entry.archiveName] : []),
      ...(item.file && item.file.size > 0 && !item.entry ? [formatBytes(item.file.size)] : []),
      formatTime(new Date(item.createdAt)),
    ].join(' · ');
    const create = (): HTMLElement[] => {
      const state = createElement(
        'span',
        { className: 'row-state' },
        verdict && isItemStored(item) && createBadge(verdict),
        description !== undefined && createElement('span', { className: hasFailed ? 'problem' : 'muted' }, description),
      );
      const isWorking = operation !== undefined && !operation.isCompleted;
      const progress = isWorking ? [createProgress(operation.progress, description ?? '')] : [];
      const lines = [state, ...progress, createElement('small', { className: 'muted' }, facts)];
      const image = createPicture(picture, item.filename);
      return [createRowContent(`#file/${item.id}`, isSelected, image, item.filename, lines)];
    };
    const state = [
      item.filename,
      description,
      operation?.progress,
      picture,
      verdict?.level,
      verdict?.needsRepair,
      facts,
    ];
    return { state: [texts().language, ...state, isSelected, isItemStored(item)], create };
  };
  return { id: item.id, basis: [texts(), today, item, picture, verdict, isSelected], describe };
}
