import { createElement } from '../dom.js';
import { findShownFile, type Item, type Version } from '../models/items.js';
import type { Library } from '../models/library.js';
import { language, texts } from '../texts/current.js';

/** Returns the path of the HTML report on a version; `undefined` until its preview and its picture exist. */
export function findReportPath(item: Item, { modelId, operation }: Version, library: Library): string | undefined {
  const find = (id: string, kind: 'preview' | 'thumbnail') => findShownFile(item, id, kind, library.isStored);
  const [preview, picture] = [find(modelId, 'preview'), find(modelId, 'thumbnail')];
  if (preview === undefined || picture === undefined) return undefined;
  const query = new URLSearchParams({ language: language(), preview, picture });
  const { inputId } = operation;
  if (operation.operation !== 'import' && inputId !== undefined) {
    const [beforePreview, beforePicture] = [find(inputId, 'preview'), find(inputId, 'thumbnail')];
    if (beforePreview !== undefined) query.set('beforePreview', beforePreview);
    if (beforePicture !== undefined) query.set('beforePicture', beforePicture);
  }
  return `ui/reports/${operation.operationId}?${query}`;
}

/** Creates the link that downloads a report. */
export function createReportLink(href: string): HTMLElement {
  const attributes = { href, download: true, 'data-key': 'report' };
  return createElement('a', { className: 'button report-link', attributes }, texts().detail.report);
}
