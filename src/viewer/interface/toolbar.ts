import { STANDARD_VIEWS, type ViewName } from '../stage/camera.js';
import type { Section, SectionAxis } from '../stage/section.js';
import type { ViewerTexts } from '../texts/viewer-texts.js';
import { createButton, createSelect, createSlider, createToggle } from './controls.js';
import { createElement } from './create-element.js';
import type { LengthUnit } from './measures.js';

/** Which model is shown: one of them, or both beside each other. */
export type Comparison = 'before' | 'split' | 'after';

/** What the controls of the toolbar do. */
export interface ToolbarActions {
  compare(comparison: Comparison): void;
  fit(): void;
  showView(name: ViewName): void;
  showWireframe(isVisible: boolean): void;
  setSection(section: Section | undefined): void;
  /** Called when the axis of a section was chosen, before the section is set. */
  keepSectionDirection(): void;
  setUnit(unit: LengthUnit): void;
}

/** The controls above the picture. */
export interface Toolbar {
  element: HTMLElement;
  /** Shows the chosen comparison; `undefined` if there is nothing to compare. */
  showComparison(comparison: Comparison | undefined): void;
  /** Shows that there is no section. The picture is not changed. */
  reset(): void;
}

/** Creates the toolbar. */
export function createToolbar(texts: ViewerTexts, actions: ToolbarActions): Toolbar {
  const comparison = createComparison(texts, actions);
  const section = createSection(texts, actions);
  const views = (['initial', ...STANDARD_VIEWS] as const).map((name) => [name, texts.views[name]] as const);
  const view = createSelect<ViewName | ''>(texts.view, [['', texts.view], ...views], (name) => {
    if (name !== '') actions.showView(name);
    view.value = '';
  });
  const wireframe = createToggle(texts.wireframe, (isOn) => actions.showWireframe(isOn));
  const units = [['mm', 'mm'] as const, ['inch', 'inch'] as const];
  const unit = createSelect<LengthUnit>(texts.unit, units, (name) => actions.setUnit(name));
  const fit = createButton(texts.fit, () => actions.fit());
  const children = [comparison.element, fit, view, wireframe, section.element, unit];
  const attributes = { role: 'group', 'aria-label': texts.viewer };
  return {
    element: createElement('div', { className: 'toolbar', attributes, children }),
    showComparison: comparison.show,
    reset: section.clear,
  };
}

function createComparison(texts: ViewerTexts, actions: ToolbarActions) {
  const buttons = (['before', 'split', 'after'] as const).map((name) => {
    const button = createButton(texts[name], () => actions.compare(name));
    return { name, button };
  });
  const children = buttons.map(({ button }) => button);
  const attributes = { role: 'group', 'aria-label': texts.compare };
  const element = createElement('div', { className: 'group', attributes, children });
  return {
    element,
    show(comparison: Comparison | undefined): void {
      element.hidden = comparison === undefined;
      for (const { name, button } of buttons) button.setAttribute('aria-pressed', String(name === comparison));
    },
  };
}

function createSection(texts: ViewerTexts, actions: ToolbarActions) {
  const initial: Section = { axis: 'x', position: 0.5, isFlipped: false };
  let section: Section | undefined;
  const change = (changes: Partial<Section>): void => {
    section = { ...(section ?? initial), ...changes };
    actions.setSection(section);
  };
  const axes: [SectionAxis | '', string][] = [
    ['', texts.sectionNone],
    ...(['x', 'y', 'z'] as const).map((axis): [SectionAxis, string] => [
      axis,
      `${texts.section} ${axis.toUpperCase()}`,
    ]),
    ['view', texts.sectionView],
  ];
  const position = createSlider(texts.sectionPosition, (value) => change({ position: value }));
  const flip = createToggle(texts.sectionFlip, (isFlipped) => change({ isFlipped }));
  const details = createElement('div', { className: 'section', children: [position, flip] });
  const clear = (): void => {
    section = undefined;
    axis.value = '';
    details.hidden = true;
    flip.setAttribute('aria-pressed', 'false');
    position.value = '0.5';
  };
  const axis = createSelect(texts.section, axes, (name) => {
    if (name === '') {
      clear();
      actions.setSection(undefined);
      return;
    }
    actions.keepSectionDirection();
    details.hidden = false;
    change({ axis: name });
  });
  details.hidden = true;
  return { element: createElement('div', { className: 'section', children: [axis, details] }), clear };
}
