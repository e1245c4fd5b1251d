import { isNonBlankString, requireText, toNumber } from '../message/message-input.js';
import type { NodeInput } from '../node/node-input.js';
import { choiceField, textField } from '../node/settings.js';
import { DYNAMIC_TYPES } from '../node/typed-input.js';

/** What a service does if it is not told how to treat helper bodies. */
const DEFAULT_HELPERS = 'apply';
/** The word for all plates, which is the default. */
const ALL_PLATES = 'all';

/** The settings of an import that say what is read of a slicer's project. */
export const SLICER_FIELDS = {
  helpers: textField(DEFAULT_HELPERS),
  helpersType: choiceField('str', ...DYNAMIC_TYPES),
  plate: textField(),
  plateType: choiceField('num', ...DYNAMIC_TYPES),
};

/** The settings of `SLICER_FIELDS`. */
interface SlicerSettings {
  helpers: string;
  helpersType: string;
  plate: string;
  plateType: string;
}

/**
 * Reads what an import reads of a slicer's project. Defaults are not sent: not every service supports these parameters.
 * Throws like `requireText` and `toNumber`.
 */
export async function readImportParameters(
  input: NodeInput<SlicerSettings>,
): Promise<{ helpers?: string; plate?: number }> {
  const helpers = await readHelpers(input);
  const plate = await readPlate(input);
  return { ...(helpers !== DEFAULT_HELPERS && { helpers }), ...(plate !== undefined && { plate }) };
}

async function readHelpers({ settings, evaluate }: NodeInput<SlicerSettings>): Promise<string> {
  const setting = { value: settings.helpers, type: settings.helpersType };
  return setting.value === '' ? DEFAULT_HELPERS : requireText(setting, 'handling of helper bodies', evaluate);
}

async function readPlate({ settings, evaluate }: NodeInput<SlicerSettings>): Promise<number | undefined> {
  if (settings.plate === '') return undefined;
  const plate = await evaluate({ value: settings.plate, type: settings.plateType });
  const isAll = isNonBlankString(plate) && plate.trim().toLowerCase() === ALL_PLATES;
  return plate === undefined || plate === null || plate === '' || isAll ? undefined : toNumber('plate', plate);
}
