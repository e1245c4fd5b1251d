import { requireText } from '../message/message-input.js';
import type { NodeInput } from '../node/node-input.js';
import { choiceField, textField } from '../node/settings.js';
import { DYNAMIC_TYPES } from '../node/typed-input.js';

/** What a service does if it is not told how to treat helper bodies. */
const DEFAULT_HELPERS = 'apply';

/** The settings of an import that say what is read of the file of a slicer. */
export const SLICER_FIELDS = {
  helpers: textField(DEFAULT_HELPERS),
  helpersType: choiceField('str', ...DYNAMIC_TYPES),
};

/** The settings of `SLICER_FIELDS`. */
interface SlicerSettings {
  helpers: string;
  helpersType: string;
}

/**
 * Reads what an import reads of the file of a slicer. Defaults are not sent: not every service supports these parameters.
 * Throws like `requireText`.
 */
export async function readImportParameters({
  settings,
  evaluate,
}: NodeInput<SlicerSettings>): Promise<Record<string, string>> {
  const setting = { value: settings.helpers, type: settings.helpersType };
  if (setting.value === '') return {};
  const helpers = await requireText(setting, 'handling of helper bodies', evaluate);
  return helpers === DEFAULT_HELPERS ? {} : { helpers };
}
