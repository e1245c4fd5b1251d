import type { DefectPlace } from '../api/index.js';
import { createElement } from './interface/create-element.js';
import { createPicture, createReason } from './interface/fallback.js';
import { type KeyboardActions, listenToKeys } from './interface/keyboard.js';
import { createPins, groupPlaces } from './interface/pins.js';
import { createSplitView } from './interface/split-view.js';
import type { Comparison } from './interface/toolbar.js';
import type { ShownModel } from './shown-model.js';
import { Stage } from './stage/stage.js';
import type { ViewerTexts } from './texts/viewer-texts.js';

/** What is marked in the picture. */
export interface Marks {
  places: readonly DefectPlace[];
  /** The index of a place. */
  selected: number | undefined;
  hiddenKinds: ReadonlySet<string>;
}

/** What the picture tells the interface. */
export interface PictureListeners {
  /** Called when a pin is chosen, with the index of its place. */
  onSelect: (place: number) => void;
  /** Called when the picture ends while it is shown. */
  onEnd: () => void;
  keys: KeyboardActions;
}

/** The picture with its pins and the border between two models, or a sentence that says why there is none. */
export class Picture {
  readonly element = createElement('div', { className: 'stage' });
  readonly #label = createElement('div', { className: 'label' });
  readonly #resizes = new ResizeObserver(() => this.#resize());
  readonly #texts: ViewerTexts;
  readonly #listeners: PictureListeners;
  readonly #pins;
  readonly #split;
  #stage: Stage | undefined;
  #models: readonly ShownModel[] = [];
  #comparison: Comparison = 'after';
  #marks: Marks = { places: [], selected: undefined, hiddenKinds: new Set() };
  /** The part of the width left of the border. */
  #splitFraction = 0.5;

  constructor(texts: ViewerTexts, listeners: PictureListeners) {
    this.#texts = texts;
    this.#listeners = listeners;
    this.#pins = createPins(texts, listeners.onSelect);
    this.#split = createSplitView(texts, () => this.#updateParts());
    this.#resizes.observe(this.element);
  }

  /** The drawing, unless there is a sentence instead. */
  get stage(): Stage | undefined {
    return this.#stage;
  }

  /** Shows a model, and the one before it if there is one, or says why that is not possible. */
  show(models: readonly ShownModel[]): void {
    this.#models = models;
    if (models.every(({ preview }) => preview.trianglesShown === 0)) this.#replace(this.#texts.noTriangles);
    else if (this.#stage || this.#start()) this.#stage?.setModels(models.map(({ preview }) => preview));
  }

  /** Returns whether WebGL 2 is available. */
  #start(): boolean {
    const { canvas: label, keys } = this.#texts;
    const attributes = { tabindex: '0', role: 'application', 'aria-label': label, 'aria-describedby': 'summary keys' };
    const canvas = createElement('canvas', { attributes });
    canvas.title = keys;
    this.element.className = 'stage';
    this.element.replaceChildren(canvas, this.#pins.element, ...this.#split.elements, this.#label);
    try {
      const onLost = (): void => this.#end(this.#texts.contextLost);
      this.#stage = new Stage(canvas, { onFrame: () => this.#placePins(canvas), onLost });
    } catch {
      this.#end(this.#texts.noWebgl); // the browser has no WebGL 2, or too many contexts
      return false;
    }
    listenToKeys(canvas, this.#listeners.keys);
    this.#stage.resize();
    return true;
  }

  #end(reason: string): void {
    this.#replace(reason);
    void this.#showPictures(this.#models);
    this.#listeners.onEnd();
  }

  async #showPictures(models: readonly ShownModel[]): Promise<void> {
    const pictures = createElement('div', { className: 'pictures' });
    this.element.append(pictures);
    for (const model of models) {
      for await (const url of model.readPictures()) {
        if (!pictures.isConnected) return; // another model is shown
        pictures.append(createPicture(url, pictures.childElementCount + 1, this.#texts));
      }
    }
  }

  #replace(reason: string): void {
    this.#stage?.dispose();
    this.#stage = undefined;
    this.element.className = 'stage fallback';
    this.element.replaceChildren(createReason(reason));
  }

  /** Selects which of two models is shown. */
  compare(comparison: Comparison): void {
    this.#comparison = comparison;
    this.#split.setVisible(comparison === 'split');
    this.#updateParts();
  }

  /** Moves the border away from the middle, where a defect of the model before is shown. */
  clearMiddle(): void {
    this.#split.clearMiddle();
    this.#updateParts();
  }

  /** Sets the text at the bottom. */
  setLabel(text: string): void {
    this.#label.textContent = text;
  }

  /** Sets the places of the pins. */
  setMarks(marks: Marks): void {
    this.#marks = marks;
    this.#stage?.requestFrame();
  }

  #resize(): void {
    this.#stage?.resize();
    this.#updateParts();
  }

  #updateParts(): void {
    this.#splitFraction = this.#split.place(this.element.clientWidth);
    const parts = {
      after: [{ model: 0, from: 0, to: 1 }],
      before: [{ model: 1, from: 0, to: 1 }],
      split: [
        { model: 1, from: 0, to: this.#splitFraction },
        { model: 0, from: this.#splitFraction, to: 1 },
      ],
    };
    this.#stage?.setParts(parts[this.#comparison]);
  }

  #placePins({ clientWidth, clientHeight }: HTMLCanvasElement): void {
    const { places, selected, hiddenKinds } = this.#marks;
    const right = this.#comparison === 'split' ? this.#splitFraction * clientWidth : clientWidth;
    const project = (place: DefectPlace) => (hiddenKinds.has(place.defect) ? undefined : this.#stage?.project(place));
    const isVisible = ({ x, y }: { x: number; y: number }) => x >= 0 && x <= right && y >= 0 && y <= clientHeight;
    this.#pins.update(groupPlaces(places, project, isVisible), places, selected);
  }

  /** Releases the drawing. */
  dispose(): void {
    this.#resizes.disconnect();
    this.#stage?.dispose();
    this.#stage = undefined;
  }
}
