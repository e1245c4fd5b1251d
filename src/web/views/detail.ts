import type { Report } from '../../api/index.js';
import { createButton, createElement, createField, createProgress, createSlot } from '../dom.js';
import { type Actions, download, sourceOf } from '../models/actions.js';
import type { FormatRules } from '../models/formats.js';
import {
  archivedModelsOf,
  type Item,
  isItemStored,
  lastOperation,
  latestVersion,
  type Version,
} from '../models/items.js';
import type { Library } from '../models/library.js';
import { isUnitUnconfirmed } from '../models/plausible-units.js';
import type { OperationTable } from '../requests/replies.js';
import { describeProblem } from '../requests/requests.js';
import { fill, operationName, texts } from '../texts/current.js';
import { createActionPanel } from './action-panel.js';
import { confirmAction } from './confirm.js';
import { createEntries, createHistory } from './history.js';
import { ModelStage } from './model-stage.js';
import { createReportLink, findReportPath } from './report-link.js';
import { describeItem } from './rows.js';
import { createUnitQuestion } from './unit-question.js';
import { createUnitSelect } from './unit-select.js';
import { createVerdict, describeVerdict } from './verdict.js';

/** What the view of a model shows and calls. */
export interface DetailDependencies {
  library: Library;
  actions: Actions;
  rules: FormatRules;
  table: OperationTable;
  /** Says something to those who do not see the page. */
  announce: (text: string) => void;
  /** Reads models of an archive. */
  readEntries: (item: Item, entries: readonly string[], unit: string | undefined) => void;
  /** Runs what a button does, and shows why it failed. */
  attempt: (work: () => Promise<unknown>) => void;
}

/** The view of one model: verdict, 3D, what to do next, and its history. */
export class DetailView {
  readonly element = createElement('article', { className: 'detail' });
  readonly #dependencies: DetailDependencies;
  readonly #stage: ModelStage;
  readonly #header = createSlot(createElement('header', {}));
  readonly #verdict = createSlot(createElement('div', {}));
  readonly #reportLink = createSlot(createElement('div', {}));
  readonly #unitQuestion = createSlot(createElement('div', {}));
  readonly #rereading = createSlot(createElement('div', {}));
  readonly #verdictPanel: HTMLElement;
  readonly #actions = createSlot(createElement('div', {}));
  readonly #history = createSlot(createElement('section', { className: 'panel' }));
  readonly #state = createSlot(createElement('section', { className: 'panel state-panel' }));
  readonly #side = createElement('div', { className: 'side' });
  /** Item → the version that a person chose. */
  readonly #chosen = new Map<string, string>();
  /** Exports of this page that are downloaded once they are completed. */
  readonly #downloads = new Set<string>();
  #announced = '';

  constructor(dependencies: DetailDependencies) {
    this.#dependencies = dependencies;
    this.#stage = new ModelStage(dependencies.library, dependencies.actions);
    const verdictParts = [this.#verdict, this.#unitQuestion, this.#reportLink, this.#rereading].map(
      ({ element }) => element,
    );
    this.#verdictPanel = createElement('section', { className: 'panel verdict-panel' }, ...verdictParts);
    this.#side.append(this.#verdictPanel, this.#actions.element, this.#history.element);
    this.element.append(this.#header.element, this.#state.element, this.#stage.element, this.#side);
  }

  /** Shows an item as it is now. */
  update(item: Item): void {
    const { library } = this.#dependencies;
    const version = this.#findVersion(item);
    const report = version && library.reports.findReport(version.operation.operationId);
    this.#header.update([texts().language, item.id, item.filename, isItemStored(item)], () => this.#createHeader(item));
    this.#updateState(item, version);
    this.#stage.element.hidden = version === undefined;
    if (version) this.#stage.show(item, version);
    else this.#stage.clear();
    this.#verdictPanel.hidden = report === undefined;
    if (report && version) this.#updateVerdict(item, version, report);
    else {
      const slots = [this.#verdict, this.#unitQuestion, this.#reportLink, this.#rereading, this.#actions];
      for (const slot of slots) slot.update([], () => []); // no link to what was deleted
    }
    this.#actions.element.hidden = report === undefined;
    const entries = createEntries(item, version?.modelId, library);
    this.#history.element.hidden = entries.length === 0;
    this.#history.update([texts().language, entries], () => createHistory(entries, this.#createListeners(item)));
    this.#downloadCompleted(item);
  }

  /** Releases the 3D view. */
  clear(): void {
    this.#stage.clear();
  }

  #findVersion(item: Item): Version | undefined {
    const chosen = item.versions.find(({ modelId, isStored }) => isStored && modelId === this.#chosen.get(item.id));
    return chosen ?? latestVersion(item);
  }

  #createHeader(item: Item): HTMLElement[] {
    const { detail } = texts();
    const back = createElement(
      'a',
      { className: 'button back', attributes: { href: '#', 'data-key': 'back' } },
      detail.back,
    );
    const title = createElement('h1', { attributes: { tabindex: -1 } }, item.filename);
    const remove = createButton(detail.delete, () => this.#delete(item), { key: 'delete', className: 'quiet' });
    return [back, title, ...(isItemStored(item) ? [remove] : [])];
  }

  #delete(item: Item): void {
    const { attempt, actions, library } = this.#dependencies;
    attempt(async () => {
      const question = fill(texts().detail.deleteConfirm, { name: item.filename });
      if (!(await confirmAction(question, texts().detail.delete))) return;
      location.hash = ''; // at once: a person may open another model meanwhile
      await actions.delete(library.find(item.id) ?? item); // with what was made from it meanwhile
    });
  }

  /** Shows what happens with an item that has no model yet, or none any more. */
  #updateState(item: Item, version: Version | undefined): void {
    const operation = lastOperation(item);
    this.#state.element.hidden = version !== undefined;
    if (version) return;
    const { library } = this.#dependencies;
    const names = archivedModelsOf(item);
    const idsByName = names.length > 0 ? findEntryIds(library, item) : new Map<string, string>();
    const ids = [...idsByName.values()];
    const content = [texts().language, item.id, operation, isItemStored(item), describeItem(item), ids];
    this.#state.update(content, () => {
      const { detail } = texts();
      if (!isItemStored(item)) return [createElement('p', {}, detail.expired)];
      if (operation && !operation.isCompleted) {
        const name = operationName(operation.operation ?? '');
        const cancel = (): void => this.#createListeners(item).onCancel(operation.operationId);
        return [
          createElement('p', { attributes: { role: 'status' } }, describeItem(item)),
          createProgress(operation.progress, name),
          createButton(detail.cancel, cancel, { key: 'cancel' }),
        ];
      }
      if (names.length > 0) return this.#createArchive(item, names, idsByName);
      const problem = operation?.error && describeProblem(operation.error);
      return [
        createElement(
          'p',
          problem === undefined ? {} : { className: 'problem', attributes: { role: 'alert' } },
          problem ?? describeItem(item),
        ),
        this.#createImportForm(item, detail.read),
      ];
    });
  }

  /** Shows the models of an archive: links to those that were read, the names of the others, and a form to read them. */
  #createArchive(item: Item, names: readonly string[], idsByName: ReadonlyMap<string, string>): HTMLElement[] {
    const { readEntries } = this.#dependencies;
    const rows = names.map((name) => {
      const id = idsByName.get(name);
      const link = id === undefined ? name : createElement('a', { attributes: { href: `#file/${id}` } }, name);
      return createElement('li', {}, link);
    });
    const remaining = names.filter((name) => !idsByName.has(name));
    const { detail } = texts();
    return [
      createElement('p', {}, fill(detail.archive, { count: names.length })),
      createElement('ul', { className: 'archive' }, ...rows),
      ...(remaining.length > 0
        ? [this.#createForm(item.filename, detail.readEach, (unit) => readEntries(item, remaining, unit))]
        : []),
    ];
  }

  /** Creates the form that reads the file of an item, in a unit if its format has none. */
  #createImportForm(item: Item, label: string): HTMLElement {
    return this.#createForm(item.filename, label, (unit) => this.#read(item, unit));
  }

  #createForm(filename: string, label: string, read: (unit: string | undefined) => void): HTMLElement {
    const { rules, table } = this.#dependencies;
    const unit = rules.hasUnit(filename) ? undefined : createUnitSelect(table.units);
    const submit = createElement('button', { attributes: { type: 'submit', 'data-key': 'read' } }, label);
    const field = unit && createField(texts().detail.unit, unit);
    const form = createElement('form', { className: 'import-form' }, field, submit);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      read(unit?.value || undefined);
    });
    return form;
  }

  /** Reads the file of an item, in a unit that a person chose. */
  #read(item: Item, unit: string | undefined): void {
    const { attempt, actions } = this.#dependencies;
    attempt(async () => {
      this.#chosen.delete(item.id);
      await actions.importFile(sourceOf(item), unit);
    });
  }

  #updateVerdict(item: Item, version: Version, report: Report): void {
    const { table, rules, announce, library } = this.#dependencies;
    const { operationId, operation } = version.operation;
    const hasBefore = operation !== 'import';
    const { level } = report.verdict;
    const hasQuestion = item.file !== undefined && isUnitUnconfirmed(report);
    const isRereadable =
      operation === 'import' && item.file !== undefined && !rules.hasUnit(item.filename) && !hasQuestion;
    const reportPath = findReportPath(item, version, library);
    this.#verdict.update([texts().language, operationId], () => createVerdict(report, hasBefore));
    this.#unitQuestion.update([texts().language, operationId, hasQuestion], () => [
      hasQuestion && createUnitQuestion(report, table.unitsInMm, (unit) => this.#read(item, unit)),
    ]);
    // Comes later than the verdict: what a person has opened and chosen meanwhile stays.
    this.#reportLink.update([reportPath], () => [reportPath !== undefined && createReportLink(reportPath)]);
    this.#rereading.update([texts().language, operationId, isRereadable], () => [
      isRereadable &&
        createElement(
          'details',
          {},
          createElement('summary', {}, texts().detail.wrongUnit),
          this.#createImportForm(item, texts().detail.reread),
        ),
    ]);
    const proposals = {
      exportToFormat: rules.exportFormatOf(item.filename),
      scaleToSizeMm: Number(report.after.dimensionZMm.toPrecision(4)) || 100,
    };
    this.#actions.update([texts().language, version.modelId], () => {
      const first = level === 'solid' ? 'download' : 'repair';
      return [
        createActionPanel(table, first, proposals, (name, parameters) => this.#start(item, version, name, parameters)),
      ];
    });
    const text = fill(texts().list.verdict, {
      name: item.filename,
      verdict: describeVerdict(report.verdict),
    });
    if (this.#announced !== operationId) announce(text);
    this.#announced = operationId;
  }

  async #start(
    item: Item,
    version: Version,
    operation: string,
    parameters: Readonly<Record<string, string | number | undefined>>,
  ) {
    const { actions, announce } = this.#dependencies;
    const input = { id: version.modelId, filename: item.filename };
    const operationId = await actions.start(operation, input, parameters);
    if (operation === 'export') this.#downloads.add(operationId);
    else this.#chosen.delete(item.id);
    announce(fill(texts().detail.started, { operation: operationName(operation) }));
  }

  #createListeners(item: Item) {
    const { attempt, actions, library } = this.#dependencies;
    return {
      onShow: (modelId: string) => {
        this.#chosen.set(item.id, modelId);
        const current = library.find(item.id);
        if (current) this.update(current);
      },
      onCancel: (operationId: string) => attempt(() => actions.cancel(operationId)),
    };
  }

  #downloadCompleted({ operations }: Item): void {
    for (const { operationId, isCompleted, fileId } of operations) {
      if (!isCompleted || !this.#downloads.delete(operationId)) continue;
      if (fileId !== undefined) download(fileId);
    }
  }
}

/** Returns the ids of the models that were read from an archive, by their names in it. */
function findEntryIds({ items }: Library, { id: archiveId }: Item): Map<string, string> {
  return new Map(items.flatMap(({ id, entry }) => (entry?.archiveId === archiveId ? [[entry.path, id] as const] : [])));
}
