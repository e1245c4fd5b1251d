/** What an element can contain. Texts are never parsed as HTML; `false` and `undefined` are left out. */
export type Child = Node | string | false | undefined;

/** The properties of a new element. An attribute `true` has no value; `false` and `undefined` leave it out. */
export interface ElementOptions {
  className?: string;
  attributes?: Readonly<Record<string, string | number | boolean | undefined>>;
  on?: { readonly [Type in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Type]) => void };
}

/** Creates an element. */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { className, attributes = {}, on = {} }: ElementOptions = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== undefined) element.className = className;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const [type, listener] of Object.entries(on)) element.addEventListener(type, listener as EventListener);
  element.append(...keepShown(children));
  return element;
}

function keepShown(children: readonly Child[]): (Node | string)[] {
  return children.filter((child) => child !== false && child !== undefined);
}

/** Creates a button. `key` identifies it when its surroundings are created again, so that it keeps the focus. */
export function createButton(
  label: string,
  onClick: () => void,
  { className = '', key, description }: { className?: string; key?: string; description?: string } = {},
): HTMLButtonElement {
  const attributes = { type: 'button', 'data-key': key, 'aria-label': description };
  return createElement('button', { className, attributes, on: { click: onClick } }, label);
}

/** A part of the page that is created again only when what it shows has changed. */
export interface Slot {
  readonly element: HTMLElement;
  /**
   * Shows what `create` returns, unless the last `content` was equal. The focus stays on the button with the same key. While
   * a mouse button is pressed in the slot it waits: a click needs the same element when the button goes down and up.
   */
  update(content: object, create: () => readonly Child[]): void;
}

/** How often a slot checks whether the button of the mouse was released. */
const RELEASE_INTERVAL_MS = 50;

/** Creates an empty slot in an element. */
export function createSlot(element: HTMLElement): Slot {
  let shown: string | undefined;
  let waiting: { text: string; create: () => readonly Child[] } | undefined;
  const show = (text: string, create: () => readonly Child[]): void => {
    shown = text;
    const focused = element.contains(document.activeElement) ? document.activeElement : null;
    const key = focused instanceof HTMLElement ? focused.dataset.key : undefined;
    element.replaceChildren(...keepShown(create()));
    if (key !== undefined) element.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  };
  const showWaiting = (): void => {
    if (element.matches(':active')) {
      setTimeout(showWaiting, RELEASE_INTERVAL_MS);
      return;
    }
    const next = waiting;
    waiting = undefined;
    if (next && next.text !== shown) show(next.text, next.create);
  };
  return {
    element,
    update(content, create) {
      const text = JSON.stringify(content);
      const isScheduled = waiting !== undefined;
      if (!isScheduled && text === shown) return;
      waiting = { text, create };
      if (!isScheduled) showWaiting();
    },
  };
}

let lastId = 0;

/** Creates a label with its control, a hint and the unit behind it. */
export function createField(label: string, control: HTMLElement, hint?: string): HTMLElement {
  lastId += 1;
  control.id = `field-${lastId}`;
  if (hint !== undefined) control.setAttribute('aria-describedby', `hint-${lastId}`);
  return createElement(
    'div',
    { className: 'field' },
    createElement('label', { attributes: { for: control.id } }, label),
    control,
    hint !== undefined && createElement('small', { attributes: { id: `hint-${lastId}` } }, hint),
  );
}

/** Creates a choice between values with their names. */
export function createSelect(
  values: readonly (readonly [value: string, name: string])[],
  selected: string,
  onChange?: (value: string) => void,
): HTMLSelectElement {
  const options = values.map(([value, name]) =>
    createElement('option', { attributes: { value, selected: value === selected } }, name),
  );
  const select = createElement('select', {}, ...options);
  select.addEventListener('change', () => onChange?.(select.value));
  return select;
}

/** Creates a bar of a progress from 0 to 1; `undefined` if it is not known. */
export function createProgress(progress: number | undefined, label: string): HTMLProgressElement {
  const value = progress === undefined ? undefined : Math.round(progress * 100);
  return createElement('progress', { attributes: { max: 100, value, 'aria-label': label } });
}
