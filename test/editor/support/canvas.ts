import type { Editor } from './editor.js';

/** Adds a node by the menu that a click on the canvas with Ctrl opens. */
export async function quickAdd({ page }: Editor, label: string, x: number, y: number): Promise<void> {
  await page.locator('#red-ui-workspace-chart').click({ position: { x, y }, modifiers: ['Control'] });
  await page.locator('.red-ui-type-search input').pressSequentially(label);
  await page.locator('.red-ui-type-search li.selected').getByText(label).waitFor();
  await page.keyboard.press('Enter');
}

/** Pastes the nodes that were copied, and places them. */
export async function pasteNodes(editor: Editor, x: number, y: number): Promise<void> {
  await editor.invoke('core:paste-from-internal-clipboard');
  await editor.page.locator('#red-ui-workspace-chart').click({ position: { x, y } });
}

/** Connects the output of a node to the input of another. */
export async function connectNodes({ page }: Editor, from: string, to: string): Promise<void> {
  const output = page.locator(`[id="${from}"] .red-ui-flow-port-output .red-ui-flow-port`);
  await output.dragTo(page.locator(`[id="${to}"] .red-ui-flow-port-input .red-ui-flow-port`));
}
