import type { Locator } from 'playwright-core';

/** A control of a dialog: what it is called, its value, and whether a person sees it. */
export interface Control {
  name: string;
  value: string;
  isVisible: boolean;
}

// Without the fields that Node-RED lays out for browsers which fill in passwords.
const CONTROLS = ':is(input, select, textarea):not([id^="red-ui-trap"])';

/** Every control of a form, in the order of the page, also those inside of lists and typed inputs. */
export function readControls(form: Locator): Promise<Control[]> {
  return form.locator(CONTROLS).evaluateAll((elements) =>
    elements.map((element) => {
      const control = element as HTMLInputElement; // `input`, `select` and `textarea` share what is read here
      const isTicked = control.type === 'checkbox' || control.type === 'radio';
      return {
        name: control.id || control.className,
        value: isTicked ? String(control.checked) : control.value,
        isVisible: control.getClientRects().length > 0 && !control.disabled && !control.readOnly,
      };
    }),
  );
}

/** Gives every control that can be seen another value; those that appear by it, too. */
export async function editEverything(form: Locator, keep: readonly string[] = []): Promise<void> {
  const edited = new Set<string>();
  for (;;) {
    const controls = await readControls(form);
    const index = controls.findIndex(
      ({ name, isVisible }, offset) => isVisible && !keep.includes(name) && !edited.has(`${name} ${offset}`),
    );
    const name = controls[index]?.name;
    if (name === undefined) return;
    edited.add(`${name} ${index}`);
    await editOne(form.locator(CONTROLS).nth(index));
  }
}

async function editOne(control: Locator): Promise<void> {
  const { tag, type, value, values } = await control.evaluate((element) => {
    const { tagName, type: kind, value: now } = element as HTMLInputElement;
    const options = element instanceof HTMLSelectElement ? [...element.options].map((option) => option.value) : [];
    return { tag: tagName, type: kind, value: now, values: options };
  });
  if (tag === 'SELECT') await control.selectOption(values.findLast((one) => one !== value) ?? value);
  else if (type === 'checkbox') await control.click();
  else if (type === 'number') await control.fill(String(Number(value) + 1));
  else await control.fill('edited.value');
  // A typed input hands on what was typed when it is left.
  await control.blur();
}
