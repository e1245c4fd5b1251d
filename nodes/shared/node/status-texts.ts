import type { NodeAPI } from 'node-red';
import { UNITS_DOUBTFUL } from '../message/unit-plausibility.js';

/** The code of the warning about a truncated file. */
const TRUNCATED = 'TRUNCATED';

/** The maximum number of texts that a node caches. */
const MAX_CACHED_TEXTS = 100;
/** The maximum length of a text that this module composes, in characters. Node-RED recommends it for a status. */
const MAX_LENGTH = 20;
/** The catalog with the texts that all node types share. Each node type has its own catalog beside it. */
const SHARED_CATALOG = '@model-processing/node-red/model-processing-service';

type Catalog = Pick<NodeAPI, '_'>;

/**
 * Returns a function that reads status texts of a node type from its catalog, by their key below `status`. It caches
 * them, because the same ones are shown for each message.
 */
export function createStatusTexts(
  RED: Catalog,
  nodeName: string,
): (key: string, values?: Record<string, string>) => string {
  const texts = new Map<string, string>();
  return (key, values) => {
    const name = values ? `${key} ${Object.values(values).join(' ')}` : key;
    const existing = texts.get(name);
    if (existing !== undefined) return existing;
    const text = RED._(`${nodeName}.status.${key}`, values);
    if (texts.size < MAX_CACHED_TEXTS) texts.set(name, text);
    return text;
  };
}

/** Returns the status text of a failure: what failed, in a few words. `operation`: the operation that failed, if any. */
export function failureText(RED: Catalog, code: string | undefined, operation?: string): string {
  if (code === 'OPERATION_FAILED' && operation) {
    const text = readShared(RED, 'failure.operation', { operation });
    if (text !== undefined && text.length <= MAX_LENGTH) return text;
  }
  const text = code && readShared(RED, `failure.${code}`);
  return text || (readShared(RED, 'failure.unexpected') ?? 'failed');
}

/** Returns the status text of a verdict: its level, and the number of holes if it is `open`. */
export function verdictText(RED: Catalog, level: string, holeCount: unknown): string {
  if (level !== 'open' || typeof holeCount !== 'number' || holeCount < 1) return level;
  const text = readShared(RED, holeCount === 1 ? 'verdict.hole' : 'verdict.holes', { count: String(holeCount) });
  return text === undefined || text.length > MAX_LENGTH ? level : text;
}

/** What a result says about a model. */
interface ResultSummary {
  level: string | undefined;
  holeCount: unknown;
  warnings: readonly { code: string }[];
  /** The text if there is no level. */
  text: string;
}

/** Returns the status text of a result: its verdict, and the reason if warnings make a result yellow. */
export function resultText(RED: Catalog, { level, holeCount, warnings, text }: ResultSummary): string {
  const verdict = level === undefined ? text : verdictText(RED, level, holeCount);
  const cause = findCause(warnings);
  if (!cause && (warnings.length === 0 || (level !== undefined && level !== 'solid'))) return verdict;
  const count = String(warnings.length);
  const reason = readShared(RED, `warning.${cause ?? (count === '1' ? 'one' : 'many')}`, { count });
  if (reason === undefined) return verdict;
  const joined = `${level ?? text}: ${reason}`;
  return joined.length > MAX_LENGTH ? reason : joined;
}

// Returns the key of the warning that matters more than a level: the model is not what its file meant.
function findCause(warnings: ResultSummary['warnings']): 'incomplete' | 'unit' | undefined {
  const has = (wanted: string): boolean => warnings.some(({ code }) => code === wanted);
  if (has(TRUNCATED)) return 'incomplete';
  return has(UNITS_DOUBTFUL) ? 'unit' : undefined;
}

// Returns `undefined` if the catalog or the key is missing: i18next then returns the key.
function readShared(RED: Catalog, key: string, values?: Record<string, string>): string | undefined {
  const text = RED._(`${SHARED_CATALOG}:service.${key}`, values);
  return text.endsWith(`service.${key}`) ? undefined : text;
}
