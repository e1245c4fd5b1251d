import type { ReportWarning } from '../../../src/api/index.js';
import type { OperationResult } from '../../../src/client/index.js';
import { EXTENSIONS_WITH_UNITS } from '../formats.generated.js';
import { asRecord } from './message-input.js';
import type { ModelRecord, OperationEntry } from './model-record.js';

/** The code of the warning about an implausible size. */
export const UNITS_DOUBTFUL = 'UNITS_DOUBTFUL';

/** The range of the largest dimension. A model outside of it was most likely imported in the wrong unit. */
const MIN_PLAUSIBLE_MM = 1;
const MAX_PLAUSIBLE_MM = 2000;

/**
 * Adds the warning `UNITS_DOUBTFUL` to the record, once, if the size of an imported model is implausible and the service has
 * not said so: the local one does. Nothing is rescaled. The size is taken from the report of the import, or from a later analysis of the model. `filename` is that of
 * the model file. Returns the warning if it was added.
 */
export function warnIfUnitsImplausible(
  record: ModelRecord,
  { operation, inputId, parameters }: OperationEntry,
  result: OperationResult,
  filename: string | undefined,
): ReportWarning | undefined {
  const source = operation === 'analyze' ? findImport(record, inputId) : undefined;
  const size = operation === 'import' ? asRecord(asRecord(result.report).after) : source && result;
  const unit = asRecord(source?.parameters ?? parameters).measurementUnits ?? 'mm';
  if (!size || record.warnings.some((warning) => asRecord(warning).code === UNITS_DOUBTFUL)) return undefined;
  const sides = [size.dimensionXMm, size.dimensionYMm, size.dimensionZMm].filter((side) => typeof side === 'number');
  const largest = Math.max(...sides);
  if (sides.length < 3 || !(largest > 0) || (largest >= MIN_PLAUSIBLE_MM && largest <= MAX_PLAUSIBLE_MM))
    return undefined;
  const text = `${Number(largest.toPrecision(3))} mm`;
  const message = `The largest dimension of the model is ${text}. ${createRemedy(filename, unit)}; nothing was rescaled.`;
  const warning = { code: UNITS_DOUBTFUL, message };
  record.warnings.push(warning);
  return warning;
}

function createRemedy(filename = '', unit: unknown): string {
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  // The model in a ZIP may declare a unit or not.
  if (extension === 'zip') return 'Check the unit of the model in the ZIP';
  return EXTENSIONS_WITH_UNITS.includes(extension)
    ? 'Check the unit that the file declares'
    : `Check whether the file is really in ${unit}`;
}

function findImport(record: ModelRecord, modelId: string | undefined): OperationEntry | undefined {
  return record.operations.find(
    ({ operation, result }) => operation === 'import' && result?.resultId !== undefined && result.resultId === modelId,
  );
}
