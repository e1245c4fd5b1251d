import { requireText } from '../message/message-input.js';
import { isBlank } from '../node/field-rules.js';
import type { NodeInput } from '../node/node-input.js';

/** The settings of the model to read in a ZIP of several. */
interface EntrySettings {
  entry: string;
  entryType: string;
}

/**
 * Reads the name of the model in a ZIP, as a parameter of an import. If there is none, returns no parameter: not every
 * service supports it. Throws `INPUT_INVALID` if it is not a string.
 */
export async function readEntry({ settings, evaluate }: NodeInput<EntrySettings>): Promise<{ entry?: string }> {
  const setting = { value: settings.entry, type: settings.entryType };
  const value = isBlank(setting.value) ? undefined : await evaluate(setting);
  if (isBlank(value)) return {};
  return { entry: await requireText(setting, 'model in the ZIP', () => Promise.resolve(value)) };
}
