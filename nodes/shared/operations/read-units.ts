import { requireText } from '../message/message-input.js';
import type { NodeInput } from '../node/node-input.js';

/** The settings of the unit of files that state none. */
interface UnitSettings {
  measurementUnits: string;
  /** `none`: no unit is chosen. */
  measurementUnitsType: string;
}

/**
 * Reads the unit of files that state none, as a parameter of an import. If none is chosen, returns no parameter: the service
 * then judges the size of such a model. A service that does not announce its operations may need one, and gets mm. Throws
 * like `requireText`.
 */
export async function readUnits({
  settings,
  evaluate,
  connection,
}: NodeInput<UnitSettings>): Promise<{ measurementUnits?: string }> {
  const { measurementUnits: value, measurementUnitsType: type } = settings;
  if (type !== 'none') return { measurementUnits: await requireText({ value, type }, 'unit', evaluate) };
  const isOwnService = (await connection.operationNames.current()).length > 0;
  return isOwnService ? {} : { measurementUnits: 'mm' };
}
