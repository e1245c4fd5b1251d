import type { Verdict } from '../../../src/api/index.js';
import { ClientError } from '../../../src/client/index.js';
import { asRecord } from '../message/message-input.js';
import {
  analysisOf,
  getModelRecord,
  type OperationEntry,
  type PartialReport,
  type ResultWithVerdict,
} from '../message/model-record.js';
import type { NodeInput } from '../node/node-input.js';
import { REPAIR_OPERATIONS } from '../operations.generated.js';
import { completeOperation } from './complete-operation.js';

/** Returns whether an operation repairs a model. */
export function isRepair(operation: string): boolean {
  return REPAIR_OPERATIONS.some((name) => name === operation);
}

/**
 * Derives a verdict from an analysis, for services that return none:
 *
 * - `open`: there are boundary edges: `boundaryEdges` is positive or, of a service that does not count them, `badEdges` or
 *   `badContours` is.
 * - `watertight`: there are no boundary edges, but other bad edges.
 * - `manifold`: there are intersecting or overlapping triangles, or `volumeMm3` is not positive.
 * - `solid`: otherwise.
 *
 * Not every analysis counts non-manifold vertices, so none makes a model `watertight`. Counts that the service omits are taken
 * as zero. Returns `undefined` if `badEdges` or `volumeMm3` is missing: the result is not an analysis.
 */
export function deriveVerdict(result: object): Verdict | undefined {
  const { badEdges, boundaryEdges, badContours, volumeMm3, qualityParams } = asRecord(result);
  if (typeof badEdges !== 'number' || typeof volumeMm3 !== 'number') return undefined;
  const { intersectingTriangles, overlappingTriangles } = asRecord(qualityParams);
  const boundaryCount = typeof boundaryEdges === 'number' ? boundaryEdges : badEdges;
  const openReasons = formatCounts([boundaryCount, 'boundary edge'], [badContours, 'hole']);
  const edgeReasons = formatCounts([badEdges - boundaryCount, 'bad edge']);
  const notSolidReasons = formatCounts(
    [intersectingTriangles, 'intersecting triangle'],
    [overlappingTriangles, 'overlapping triangle'],
  );
  // An open surface has no volume.
  if (openReasons.length + edgeReasons.length === 0 && volumeMm3 <= 0)
    notSolidReasons.push(volumeMm3 < 0 ? 'inside out: the triangles face inward' : 'no enclosed volume');
  const levels = [
    { below: 'open', reasons: openReasons },
    { below: 'watertight', reasons: edgeReasons },
    { below: 'manifold', reasons: notSolidReasons },
  ] as const;
  const level = levels.find(({ reasons }) => reasons.length > 0)?.below ?? 'solid';
  return { level, needsRepair: level !== 'solid', reasons: levels.flatMap(({ reasons }) => reasons) };
}

// Returns a text for each positive count, such as "2 boundary edges".
function formatCounts(...counts: [unknown, string][]): string[] {
  return counts.flatMap(([count, noun]) =>
    typeof count === 'number' && count > 0 ? [`${count} ${noun}${count === 1 ? '' : 's'}`] : [],
  );
}

/**
 * Returns the result of an operation with the verdict that the service omitted. An analysis gets a verdict. A repair
 * gets a report, derived from analyses of the model before and after the repair. Waits at most `timeoutMs` for each
 * analysis. If the model cannot be analyzed, adds the warning `VERDICT_UNKNOWN` to `msg.model.warnings`. Results of
 * other operations are returned unchanged.
 */
export async function addMissingVerdict(
  input: NodeInput<unknown>,
  entry: OperationEntry,
  result: ResultWithVerdict,
  timeoutMs: number,
): Promise<ResultWithVerdict> {
  if (entry.operation === 'analyze') {
    const verdict = result.verdict ?? deriveVerdict(result);
    return verdict ? { ...result, verdict } : result;
  }
  if (!isRepair(entry.operation) || result.report || result.resultId === undefined) return result;
  try {
    const [before, after] = await Promise.all([
      findOrRunAnalysis(input, entry, timeoutMs),
      analyze(input, result.resultId, timeoutMs),
    ]);
    const verdict = after.verdict ?? deriveVerdict(after);
    return verdict ? { ...result, report: createReport(before, after, verdict) } : result;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code === 'ABORTED') throw error;
    const message = `Could not analyze the repaired model: ${error.message}`;
    getModelRecord(input.msg).warnings.push({ code: 'VERDICT_UNKNOWN', message });
    return result;
  }
}

// Returns the analysis of the input model of a repair. Reuses the one of an earlier node, if there is one.
async function findOrRunAnalysis(
  input: NodeInput<unknown>,
  { inputId }: OperationEntry,
  timeoutMs: number,
): Promise<ResultWithVerdict | undefined> {
  if (inputId === undefined) return undefined;
  const isAnalysisOfInput = (entry: OperationEntry) => entry.operation === 'analyze' && entry.inputId === inputId;
  const existing = getModelRecord(input.msg).operations.findLast(isAnalysisOfInput)?.result;
  return existing && deriveVerdict(existing) ? existing : analyze(input, inputId, timeoutMs);
}

// Analyzes a model and returns the result. Throws `BAD_REPLY` if it is not an analysis.
async function analyze(
  { connection, signal }: NodeInput<unknown>,
  inputId: string,
  timeoutMs: number,
): Promise<ResultWithVerdict> {
  const result = await completeOperation(connection, 'analyze', { inputId }, { signal, timeoutMs });
  if (deriveVerdict(result)) return result;
  throw new ClientError(
    'BAD_REPLY',
    `Invalid result of analysis ${result.operationId}: expected the numbers badEdges and volumeMm3.`,
  );
}

// Creates a report from two analyses. It has no steps, places of defects or displacement: only the service knows them.
function createReport(
  before: ResultWithVerdict | undefined,
  after: ResultWithVerdict,
  verdict: Verdict,
): PartialReport {
  const computeChange = (field: string) => Number(after[field]) - Number(before?.[field]);
  const comparison = before && {
    before: analysisOf(before),
    volumeChangeMm3: computeChange('volumeMm3'),
    areaChangeMm2: computeChange('surfaceAreaMm2'),
  };
  return { ...comparison, after: analysisOf(after), warnings: [], verdict };
}
