import { asRecord, isNonBlankString } from '../message/message-input.js';
import type { ModelRecord, OperationEntry, ResultWithVerdict } from '../message/model-record.js';
import { analysisOf } from '../message/model-record.js';
import { isRepair } from '../operations/derive-verdict.js';

/** The maximum size of a new entry as JSON, in bytes. Its files and its error are added later: 16 KiB in total. */
const MAX_ENTRY_BYTES = 15 << 10;
/** The maximum length of a name or a text in an entry, in characters. */
const MAX_TEXT_LENGTH = 200;
/** The maximum length of a level, in characters: with it, a message to the editors has at most 300 bytes. */
const MAX_LEVEL_LENGTH = 20;
/** The maximum length of the name of a number in an analysis, in characters. */
const MAX_NAME_LENGTH = 30;
/** The maximum number of steps, and of warnings, in an entry. */
const MAX_LIST_LENGTH = 20;

/** The maximum number of places that are read. The first of them fill an entry. */
const MAX_PLACES = 500;

/** What is known about a model, from the message that it was in. Empty where nothing is known. */
export interface ModelSummary {
  filename: string;
  /** The level of the verdict, such as `solid`; '' if there is none. */
  level: string;
  needsRepair: boolean;
  reasons: string[];
  /** The analysis of the model, with numbers only. */
  analysis: Record<string, number>;
  /** The analysis of the input of the operation that created the model. */
  before: Record<string, number>;
  steps: { name: string; changed: number }[];
  warnings: { code: string; message: string }[];
  places: { defect: string; x: number; y: number; z: number; sizeMm: number }[];
}

/** The files of an entry at the service, by their ids. */
export interface ModelFiles {
  picture?: string;
  mesh?: string;
  before?: string;
}

/** A model that a preview node has received. */
export interface ModelEntry {
  /** 128 random bits, in hexadecimal. */
  readonly key: string;
  /** Increases with each change. */
  revision: number;
  /** When the message arrived, in ms since 1970. */
  readonly receivedAt: number;
  /** The path of the node, and its name; '' if it has none. */
  readonly path: string;
  readonly name: string;
  /** The id of the config node of its service. */
  readonly service: string;
  /** The id of the model at the service. */
  readonly modelId: string;
  readonly summary: ModelSummary;
  readonly files: ModelFiles;
  /** `unsupported`: complete, but the service creates no previews. */
  state: 'working' | 'complete' | 'unsupported' | 'failed';
  error?: { code: string; message: string };
}

/** Returns the id of the model that the last repair of a message had as its input; `undefined` if there is none. */
export function findRepairInput({ operations }: ModelRecord): string | undefined {
  return operations.findLast(({ operation, isSuccessful }) => isRepair(operation) && isSuccessful)?.inputId;
}

/**
 * Describes a model by what its message says about it: the report of the operation that created it, or else an analysis
 * of it.
 */
export function summarizeModel(record: ModelRecord, modelId: string, filename: string | undefined): ModelSummary {
  const report = asRecord(findResult(record, ({ result }) => result?.resultId === modelId)?.report);
  const analysis = findResult(record, ({ operation, inputId }) => operation === 'analyze' && inputId === modelId);
  const verdict = asRecord(report.verdict ?? analysis?.verdict ?? (record.resultId === modelId ? record.verdict : {}));
  return {
    filename: toText(filename),
    level: toText(verdict.level).slice(0, MAX_LEVEL_LENGTH),
    needsRepair: verdict.needsRepair === true,
    reasons: toList(verdict.reasons).slice(0, MAX_LIST_LENGTH).filter(isNonBlankString).map(toText),
    analysis: toNumbers(report.after ?? (analysis && analysisOf(analysis))),
    before: toNumbers(report.before),
    steps: toList(report.steps).slice(0, MAX_LIST_LENGTH).map(readStep),
    warnings: toList(report.warnings).slice(0, MAX_LIST_LENGTH).map(readWarning),
    places: toList(report.places).slice(0, MAX_PLACES).map(readPlace),
  };
}

function findResult(
  { operations }: ModelRecord,
  filter: (entry: OperationEntry) => boolean,
): ResultWithVerdict | undefined {
  return operations.findLast((entry) => entry.result && filter(entry))?.result;
}

// A flow may have written anything into the message.
function toText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : '';
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function toNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function readStep(value: unknown) {
  const { name, changed } = asRecord(value);
  return { name: toText(name), changed: toNumber(changed) };
}

function readWarning(value: unknown) {
  const { code, message } = asRecord(value);
  return { code: toText(code), message: toText(message) };
}

function readPlace(value: unknown) {
  const { defect, x, y, z, sizeMm } = asRecord(value);
  return { defect: toText(defect), x: toNumber(x), y: toNumber(y), z: toNumber(z), sizeMm: toNumber(sizeMm) };
}

/** Analysis → its numbers by name, with those of the objects in it. */
function toNumbers(analysis: unknown): Record<string, number> {
  const { solidityParams, qualityParams, ...own } = asRecord(analysis);
  const entries = Object.entries({ ...own, ...asRecord(qualityParams) });
  const isKept = (entry: [string, unknown]): entry is [string, number] =>
    Number.isFinite(entry[1]) && entry[0].length <= MAX_NAME_LENGTH;
  return Object.fromEntries(entries.filter(isKept).slice(0, 50));
}

/** Limits the size of a new entry: removes the last places, and the other lists if that is not enough. */
export function limitEntry({ summary, name, ...entry }: ModelEntry): ModelEntry {
  const limited = { ...entry, name: toText(name), summary: { ...summary } };
  const excess = () => Buffer.byteLength(JSON.stringify(limited)) - MAX_ENTRY_BYTES;
  while (excess() > 0 && limited.summary.places.length > 0)
    limited.summary.places = limited.summary.places.slice(0, Math.floor(limited.summary.places.length / 2));
  if (excess() > 0) Object.assign(limited.summary, { warnings: [], reasons: [], steps: [] });
  return limited;
}
