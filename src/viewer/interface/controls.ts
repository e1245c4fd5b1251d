import { createElement } from './create-element.js';

/** Creates a button. */
export function createButton(text: string, onClick: () => void): HTMLButtonElement {
  const button = createElement('button', { text, attributes: { type: 'button' } });
  button.addEventListener('click', onClick);
  return button;
}

/** Creates a button that switches something on and off. */
export function createToggle(text: string, onChange: (isOn: boolean) => void): HTMLButtonElement {
  const button = createButton(text, () => {
    const isOn = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(isOn));
    onChange(isOn);
  });
  button.setAttribute('aria-pressed', 'false');
  return button;
}

/** Creates a list of choices. `options` are values and their texts. */
export function createSelect<T extends string>(
  label: string,
  options: readonly (readonly [value: T, text: string])[],
  onChange: (value: T) => void,
): HTMLSelectElement {
  const children = options.map(([value, text]) => createElement('option', { text, attributes: { value } }));
  const select = createElement('select', { attributes: { 'aria-label': label, title: label }, children });
  select.addEventListener('change', () => {
    const chosen = options.find(([value]) => value === select.value);
    if (chosen) onChange(chosen[0]);
  });
  return select;
}

/** Creates a slider from 0 to 1. */
export function createSlider(label: string, onMove: (fraction: number) => void): HTMLInputElement {
  const attributes = { type: 'range', min: '0', max: '1', step: '0.001', value: '0.5', 'aria-label': label };
  const slider = createElement('input', { attributes });
  slider.addEventListener('input', () => onMove(slider.valueAsNumber));
  return slider;
}
