import { isNonBlankString, requireText, toNumber } from '../message/message-input.js';
import { isBlank } from '../node/field-rules.js';
import type { NodeInput } from '../node/node-input.js';
import { choiceField, type SettingsOf, textField } from '../node/settings.js';
import { DYNAMIC_TYPES } from '../node/typed-input.js';

/** The way in which a service treats helper bodies if it is not told how. */
const DEFAULT_HELPERS = 'apply';
/** The word for all plates, which is the default. */
const ALL_PLATES = 'all';

/** The settings of an import that say what is read of a file: of a slicer's project, or of a ZIP of several models. */
export const CONTENT_FIELDS = {
  helpers: textField(DEFAULT_HELPERS),
  helpersType: choiceField('str', ...DYNAMIC_TYPES),
  plate: textField(),
  plateType: choiceField('num', ...DYNAMIC_TYPES),
  entry: textField(),
  entryType: choiceField('str', ...DYNAMIC_TYPES),
};

type ContentSettings = SettingsOf<typeof CONTENT_FIELDS>;

/**
 * Reads what an import reads of a file. Defaults are not sent: not every service supports these parameters. Throws
 * like `requireText` and `toNumber`.
 */
export async function readImportParameters(
  input: NodeInput<ContentSettings>,
): Promise<{ helpers?: string; plate?: number; entry?: string }> {
  const helpers = await readHelpers(input);
  const plate = await readPlate(input);
  const entry = await readEntry(input);
  return {
    ...(helpers !== DEFAULT_HELPERS && { helpers }),
    ...(plate !== undefined && { plate }),
    ...(entry !== undefined && { entry }),
  };
}

async function readHelpers({ settings, evaluate }: NodeInput<ContentSettings>): Promise<string> {
  const setting = { value: settings.helpers, type: settings.helpersType };
  return setting.value === '' ? DEFAULT_HELPERS : requireText(setting, 'handling of helper bodies', evaluate);
}

async function readPlate({ settings, evaluate }: NodeInput<ContentSettings>): Promise<number | undefined> {
  if (settings.plate === '') return undefined;
  const plate = await evaluate({ value: settings.plate, type: settings.plateType });
  const isAll = isNonBlankString(plate) && plate.trim().toLowerCase() === ALL_PLATES;
  return plate === undefined || plate === null || plate === '' || isAll ? undefined : toNumber('plate', plate);
}

async function readEntry({ settings, evaluate }: NodeInput<ContentSettings>): Promise<string | undefined> {
  const setting = { value: settings.entry, type: settings.entryType };
  const value = isBlank(setting.value) ? undefined : await evaluate(setting);
  return isBlank(value) ? undefined : requireText(setting, 'model in the ZIP', () => Promise.resolve(value));
}
