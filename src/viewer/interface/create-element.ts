/** What an element is created with. */
export interface ElementOptions {
  className?: string;
  text?: string;
  attributes?: Readonly<Record<string, string>>;
  children?: readonly (Node | string)[];
}

/** Creates an element. Texts are never parsed as HTML. */
export function createElement<K extends keyof HTMLElementTagNameMap>(
  name: K,
  { className, text, attributes = {}, children = [] }: ElementOptions = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (className !== undefined) element.className = className;
  if (text !== undefined) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
