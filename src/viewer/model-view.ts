import { createButton } from './interface/controls.js';
import { createElement } from './interface/create-element.js';
import { createDefectList, describePlace } from './interface/defect-list.js';
import { describeModel, describeTriangles } from './interface/describe-model.js';
import { type LengthUnit, NumberFormat } from './interface/measures.js';
import { type Comparison, createToolbar } from './interface/toolbar.js';
import { Picture } from './picture.js';
import type { ShownModel } from './shown-model.js';
import type { ViewName } from './stage/camera.js';
import type { ViewerTexts } from './texts/viewer-texts.js';

/** Connects the picture with its controls: what a user does changes the state here, which both then show. */
export class ModelView {
  readonly #texts: ViewerTexts;
  readonly #numbers: NumberFormat;
  readonly #summary = createElement('p', { attributes: { id: 'summary' } });
  readonly #announcement = createElement('div', { className: 'visually-hidden', attributes: { role: 'status' } });
  readonly #steps = createElement('div', { className: 'steps' });
  readonly #showAll: HTMLButtonElement;
  readonly #toolbar;
  readonly #list;
  readonly #picture: Picture;
  /** The model, and that before it, if there is one. */
  #models: readonly ShownModel[] = [];
  #comparison: Comparison = 'after';
  #unit: LengthUnit = 'mm';
  #hiddenKinds = new Set<string>();
  #selected: number | undefined;

  constructor(root: ShadowRoot, texts: ViewerTexts) {
    this.#texts = texts;
    this.#numbers = new NumberFormat(texts.language);
    const onSelect = (place: number): void => this.#select(place);
    this.#picture = new Picture(texts, { onSelect, onEnd: () => this.#updateControls(), keys: this.#createKeys() });
    this.#toolbar = createToolbar(texts, {
      compare: (comparison) => this.#compare(comparison),
      fit: () => this.#fit(),
      showView: (name) => this.#showView(name),
      showWireframe: (isVisible) => this.#picture.stage?.showWireframe(isVisible),
      setSection: (section) => {
        this.#deselect();
        this.#picture.stage?.setSection(section);
      },
      keepSectionDirection: () => this.#picture.stage?.keepSectionDirection(),
      setUnit: (unit) => this.#setUnit(unit),
    });
    const onShowKind = (kind: string, isVisible: boolean): void => this.#showKind(kind, isVisible);
    this.#list = createDefectList({ texts, numbers: this.#numbers, onSelect, onShowKind });
    this.#showAll = createButton(texts.showAll, () => this.#fit());
    const previous = createButton(texts.previous, () => this.#step(-1));
    this.#steps.append(
      previous,
      createButton(texts.next, () => this.#step(1)),
      this.#showAll,
    );
    root.append(this.#createFrame());
  }

  #createKeys() {
    return {
      orbit: (right: number, up: number) => this.#picture.stage?.orbit(right, up),
      pan: (right: number, up: number) => this.#picture.stage?.pan(right, up),
      zoom: (factor: number) => this.#picture.stage?.zoom(factor),
      fit: () => this.#fit(),
      showView: (name: ViewName) => this.#showView(name),
      step: (by: 1 | -1) => this.#step(by),
    };
  }

  #createFrame(): HTMLElement {
    const { keys, summary, defects, viewer } = this.#texts;
    const help = createElement('p', { className: 'visually-hidden', text: keys, attributes: { id: 'keys' } });
    const heading = createElement('h3', { className: 'visually-hidden', text: summary });
    const attributes = { role: 'region', 'aria-label': defects, tabindex: '0' };
    const content = [heading, this.#summary, this.#steps, this.#list.element];
    const panel = createElement('div', { className: 'panel', attributes, children: content });
    const children = [this.#toolbar.element, this.#picture.element, panel, help, this.#announcement];
    return createElement('section', { className: 'viewer', attributes: { 'aria-label': viewer }, children });
  }

  /** Shows a model, or compares it with another one. */
  show(model: ShownModel, before: ShownModel | undefined): void {
    this.#models = before ? [model, before] : [model];
    this.#hiddenKinds = new Set();
    this.#toolbar.reset();
    this.#picture.show(this.#models);
    this.#compare(before ? 'split' : 'after');
  }

  /** Releases the picture. */
  dispose(): void {
    this.#picture.dispose();
  }

  /** The model whose defects are listed: that before, unless only the other one is shown. */
  get #listedIndex(): number {
    return this.#comparison === 'after' ? 0 : this.#models.length - 1;
  }

  get #listed(): ShownModel | undefined {
    return this.#models[this.#listedIndex];
  }

  #compare(comparison: Comparison): void {
    this.#deselect();
    this.#comparison = comparison;
    this.#toolbar.showComparison(this.#models.length > 1 ? comparison : undefined);
    this.#picture.compare(comparison);
    this.#updateTexts();
    this.#updateControls();
  }

  /** Hides the controls of the picture if there is none. */
  #updateControls(): void {
    const hasPicture = this.#picture.stage !== undefined;
    this.#toolbar.element.hidden = !hasPicture;
    this.#steps.hidden = !hasPicture || this.#listed?.preview.report.places.length === 0;
  }

  #updateTexts(): void {
    const listed = this.#listed;
    if (!listed) return;
    const { preview } = listed;
    this.#picture.setLabel(describeTriangles(preview, this.#texts, this.#numbers, this.#unit));
    this.#summary.replaceChildren(...this.#describeModels());
    this.#list.show(preview, this.#unit, this.#hiddenKinds);
    this.#updateMarks();
  }

  /** Describes the models in a line each, in the order of time. */
  #describeModels(): HTMLElement[] {
    const names = this.#models.length > 1 ? [`${this.#texts.after}: `, `${this.#texts.before}: `] : [''];
    const lines = this.#models.map(({ preview }, i) => {
      const text = describeModel(preview, this.#texts, this.#numbers, this.#unit);
      return createElement('span', { className: 'line', text: `${names[i]}${text}` });
    });
    return lines.reverse();
  }

  #updateMarks(): void {
    this.#list.select(this.#selected);
    const places = this.#listed?.preview.report.places ?? [];
    this.#picture.setMarks({ places, selected: this.#selected, hiddenKinds: this.#hiddenKinds });
  }

  #setUnit(unit: LengthUnit): void {
    this.#unit = unit;
    this.#updateTexts();
  }

  #showKind(kind: string, isVisible: boolean): void {
    if (isVisible) this.#hiddenKinds.delete(kind);
    else this.#hiddenKinds.add(kind);
    this.#picture.stage?.showDefects(kind, isVisible);
  }

  #showView(name: ViewName): void {
    this.#deselect();
    this.#picture.stage?.showView(name);
  }

  #fit(): void {
    this.#deselect();
    this.#picture.stage?.fit();
  }

  /** Ends the view of a defect, and shows what was cut away for it. */
  #deselect(): void {
    if (this.#selected !== undefined) this.#picture.stage?.setSection(undefined);
    this.#selected = undefined;
    this.#showAll.hidden = true;
    this.#updateMarks();
  }

  #step(by: 1 | -1): void {
    const count = this.#listed?.preview.report.places.length ?? 0;
    if (count === 0) return;
    const start = this.#selected ?? (by === 1 ? -1 : count);
    this.#select((start + by + count) % count);
  }

  #select(index: number): void {
    const [place, stage] = [this.#listed?.preview.report.places[index], this.#picture.stage];
    if (!place || !stage) return;
    this.#selected = index;
    this.#toolbar.reset();
    if (this.#comparison === 'split') this.#picture.clearMiddle();
    const wasCut = stage.focus(this.#listedIndex, place);
    this.#showAll.hidden = false;
    this.#updateMarks();
    const text = describePlace(place, index, this.#unit, { texts: this.#texts, numbers: this.#numbers });
    this.#announcement.textContent = wasCut ? `${text}. ${this.#texts.cutAway}` : text;
  }
}
