import type { OperationResult } from '../../../src/client/index.js';
import { asRecord } from './message-input.js';
import type { ModelRecord, OperationEntry } from './model-record.js';

/** A model whose largest dimension is below the first or above the second length was most likely read in the wrong unit. */
const MIN_PLAUSIBLE_MM = 1;
const MAX_PLAUSIBLE_MM = 2000;

/**
 * Adds a warning to the record, once, where the size of an imported model makes its unit doubtful; nothing is rescaled. The size is in the
 * import's report, or else in the result of an analysis of the model. Answers that size as a text, where it is doubtful.
 */
export function warnIfUnitsImplausible(
  record: ModelRecord,
  { operation, inputId, parameters }: OperationEntry,
  result: OperationResult,
): string | undefined {
  const source = operation === 'analyze' ? findImport(record, inputId) : undefined;
  const size = operation === 'import' ? asRecord(asRecord(result.report).after) : source && result;
  const unit = asRecord(source?.parameters ?? parameters).measurementUnits;
  if (!size || record.warnings.some((warning) => asRecord(warning).code === 'UNITS_DOUBTFUL')) return undefined;
  const sides = [size.dimensionXMm, size.dimensionYMm, size.dimensionZMm].filter((side) => typeof side === 'number');
  const largest = Math.max(...sides);
  if (sides.length < 3 || !(largest > 0) || (largest >= MIN_PLAUSIBLE_MM && largest <= MAX_PLAUSIBLE_MM))
    return undefined;
  const text = `${Number(largest.toPrecision(3))} mm`;
  const message = `The largest dimension of the model is ${text}: are the numbers of the file really in ${unit}? Look at the unit of the import.`;
  record.warnings.push({ code: 'UNITS_DOUBTFUL', message });
  return `${text}?`;
}

function findImport(record: ModelRecord, modelId: string | undefined): OperationEntry | undefined {
  return record.operations.find(
    ({ operation, result }) => operation === 'import' && result?.resultId !== undefined && result.resultId === modelId,
  );
}
