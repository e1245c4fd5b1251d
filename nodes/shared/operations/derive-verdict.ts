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
import type { NodeInput } from '../node/flow-node.js';

/** The operations that make a model better. */
export const REPAIR_OPERATIONS: readonly string[] = ['repair', 'geometrical-repair', 'shrinkwrap-repair'];

/**
 * The verdict on what was analyzed, where the service gives none: `open` with bad edges or contours, `manifold` with triangles that cross
 * or lie on each other, or without a volume, else `solid`. What it counts as zero a service must have looked at; `undefined` for what is
 * no analysis.
 */
export function deriveVerdict(result: object): Verdict | undefined {
  const { badEdges, badContours, volumeMm3, qualityParams } = asRecord(result);
  if (typeof badEdges !== 'number' || typeof volumeMm3 !== 'number') return undefined;
  const { intersectingTriangles, overlappingTriangles } = asRecord(qualityParams);
  const open = countPhrases([badEdges, 'bad edge'], [badContours, 'bad contour']);
  const crossing = countPhrases(
    [intersectingTriangles, 'intersecting triangle'],
    [overlappingTriangles, 'overlapping triangle'],
  );
  if (volumeMm3 <= 0) crossing.push('no volume inside: the model may be inside out');
  const level = open.length > 0 ? 'open' : crossing.length > 0 ? 'manifold' : 'solid';
  return { level, needsRepair: level !== 'solid', reasons: [...open, ...crossing] };
}

function countPhrases(...counts: [unknown, string][]): string[] {
  return counts.flatMap(([count, what]) =>
    typeof count === 'number' && count > 0 ? [`${count} ${what}${count === 1 ? '' : 's'}`] : [],
  );
}

/**
 * A result with the judgement that its service left out: an analysis gets its verdict, a repair a report, made of analyses of the model
 * before and after, within `timeoutMs`. Where the model cannot be analyzed the result stays as it is, and `msg.model.warnings` says why.
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
  if (!REPAIR_OPERATIONS.includes(entry.operation) || result.report || result.resultId === undefined) return result;
  try {
    const [before, after] = await Promise.all([
      analysisBefore(input, entry, timeoutMs),
      analyze(input, result.resultId, timeoutMs),
    ]);
    const verdict = after.verdict ?? deriveVerdict(after);
    return verdict ? { ...result, report: createReport(before, after, verdict) } : result;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code === 'ABORTED') throw error;
    const message = `the repaired model could not be judged: ${error.message}`;
    getModelRecord(input.msg).warnings.push({ code: 'VERDICT_UNKNOWN', message });
    return result;
  }
}

// The model before may have been analyzed on its way here.
async function analysisBefore(
  input: NodeInput<unknown>,
  { inputId }: OperationEntry,
  timeoutMs: number,
): Promise<ResultWithVerdict | undefined> {
  if (inputId === undefined) return undefined;
  const isOfIt = (entry: OperationEntry) => entry.operation === 'analyze' && entry.inputId === inputId;
  const known = getModelRecord(input.msg).operations.findLast(isOfIt)?.result;
  return known && deriveVerdict(known) ? known : analyze(input, inputId, timeoutMs);
}

async function analyze(
  { connection, signal }: NodeInput<unknown>,
  inputId: string,
  timeoutMs: number,
): Promise<ResultWithVerdict> {
  const { operationId } = await connection.queue.run('call', signal, () =>
    connection.start('analyze', { inputId }, { signal }),
  );
  const { result } = await connection.wait(operationId, 'analyze', { signal, timeoutMs });
  if (deriveVerdict(result)) return result;
  throw new ClientError('BAD_REPLY', `what the service calls an analysis (${operationId}) is none`);
}

// What only the service could say of its work is missing: its steps, the places, how far the surface moved.
function createReport(
  before: ResultWithVerdict | undefined,
  after: ResultWithVerdict,
  verdict: Verdict,
): PartialReport {
  const change = (field: string) => Number(after[field]) - Number(before?.[field]);
  const known = before && {
    before: analysisOf(before),
    volumeChangeMm3: change('volumeMm3'),
    areaChangeMm2: change('surfaceAreaMm2'),
  };
  return { ...known, after: analysisOf(after), warnings: [], verdict };
}
