import type { Locator } from 'playwright-core';

/** A control of a dialog. Its name is its id or class. */
export interface Control {
  name: string;
  value: string;
  isVisible: boolean;
}

// Excludes the hidden fields that Node-RED adds against password autofill.
const CONTROLS = ':is(input, select, textarea):not([id^="red-ui-trap"])';

/** Reads all controls of a form in document order, including those in lists and typed inputs. */
export function readControls(form: Locator): Promise<Control[]> {
  return form.locator(CONTROLS).evaluateAll((elements) =>
    elements.map((element) => {
      const control = element as HTMLInputElement; // `select` and `textarea` have all properties that are read here
      const isTicked = control.type === 'checkbox' || control.type === 'radio';
      return {
        name: control.id || control.className,
        value: isTicked ? String(control.checked) : control.value,
        isVisible: control.getClientRects().length > 0 && !control.disabled && !control.readOnly,
      };
    }),
  );
}

/** Changes the value of every visible control, including controls that appear after a change. */
export async function editAllControls(form: Locator, except: readonly string[] = []): Promise<void> {
  const edited = new Set<string>();
  for (;;) {
    const controls = await readControls(form);
    const index = controls.findIndex(
      ({ name, isVisible }, offset) => isVisible && !except.includes(name) && !edited.has(`${name} ${offset}`),
    );
    const name = controls[index]?.name;
    if (name === undefined) return;
    edited.add(`${name} ${index}`);
    await editControl(form.locator(CONTROLS).nth(index));
  }
}

async function editControl(control: Locator): Promise<void> {
  const { tag, type, value, values } = await control.evaluate((element) => {
    const { tagName, type: kind, value: current } = element as HTMLInputElement;
    const options = element instanceof HTMLSelectElement ? [...element.options].map((option) => option.value) : [];
    return { tag: tagName, type: kind, value: current, values: options };
  });
  if (tag === 'SELECT') await control.selectOption(values.findLast((option) => option !== value) ?? value);
  else if (type === 'checkbox') await control.click();
  else if (type === 'number') await control.fill(String(Number(value) + 1));
  else await control.fill('edited.value');
  // A typed input updates its value on blur.
  await control.blur();
}
