import { createButton, createElement, createField } from '../dom.js';
import type { FormatRules } from '../models/formats.js';
import { type ChosenFile, readChosenFiles, readDroppedFiles } from '../models/read-dropped-files.js';
import { writeSetting } from '../settings.js';
import { fill, formatBytes, texts } from '../texts/current.js';
import { createUnitSelect, preferredUnit } from './unit-select.js';

/** Where files are dropped or chosen. */
export interface DropAreaOptions {
  rules: FormatRules;
  units: readonly string[];
  onFiles: (files: readonly ChosenFile[], unit: string) => void;
}

function createFileInput(attributes: Record<string, string | boolean>, onChosen: (files: ChosenFile[]) => void) {
  const input = createElement('input', {
    attributes: { type: 'file', multiple: true, hidden: true, ...attributes },
  });
  input.addEventListener('change', () => {
    if (input.files) onChosen(readChosenFiles(input.files));
    input.value = ''; // the same file can be chosen again
  });
  return input;
}

/** Creates the area with the buttons to choose files or a folder, and the unit of formats without one. */
export function createDropArea({ rules, units, onFiles }: DropAreaOptions): HTMLElement {
  const { drop } = texts();
  const unit = createUnitSelect(units, (value) => writeSetting('unit', value));
  const add = (files: ChosenFile[]): void => onFiles(files, unit.value);
  const accept = rules.extensions.map((extension) => `.${extension}`).join();
  const files = createFileInput({ accept }, add);
  const folder = createFileInput({ webkitdirectory: true }, add);
  const formats = rules.extensions.map((extension) => extension.toUpperCase()).join(', ');
  const note = fill(drop.formats, { formats, size: formatBytes(rules.maxBytes) });
  const icon = createElement('div', { className: 'drop-icon', attributes: { 'aria-hidden': 'true' } });
  return createElement(
    'section',
    { className: 'drop-area', attributes: { 'aria-label': drop.title } },
    icon,
    createElement('h2', {}, drop.title),
    createElement(
      'div',
      { className: 'buttons' },
      createButton(drop.files, () => files.click(), { className: 'primary', key: 'choose-files' }),
      createButton(drop.folder, () => folder.click(), { key: 'choose-folder' }),
    ),
    createField(drop.unit, unit),
    createElement(
      'details',
      {},
      createElement('summary', {}, note.split('.')[0]?.split(':')[0] ?? ''),
      createElement('p', {}, note),
    ),
    files,
    folder,
  );
}

/** Has the whole page accept files that are dropped. Shows that it does while they are dragged over it. */
export function acceptDrops(units: readonly string[], onFiles: DropAreaOptions['onFiles']): void {
  let depth = 0;
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;
  const mark = (): void => {
    document.body.toggleAttribute('data-dropping', depth > 0);
    document.body.dataset.drop = texts().drop.release;
  };
  addEventListener('dragenter', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth += 1;
    mark();
  });
  addEventListener('dragleave', (event) => {
    if (!hasFiles(event)) return;
    depth = Math.max(0, depth - 1);
    mark();
  });
  addEventListener('dragover', (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    if (!hasFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    depth = 0;
    mark();
    void readDroppedFiles(event.dataTransfer).then((files) => onFiles(files, preferredUnit(units)));
  });
}
