import type { NodeMessage } from 'node-red';
import type { Report, ReportWarning, Verdict } from '../../../src/api/index.js';
import { OPERATIONS_WITHOUT_MODEL_FILE } from '../operations.generated.js';

/** The part of a report that nodes read: from the service, or derived from two analyses. */
export type PartialReport = Pick<Report, 'verdict' | 'warnings'> & { before?: object; after?: object };

/** The result of an operation, with the report or verdict that the nodes derived if the service returned none. */
export type ResultWithVerdict = {
  operationId: string;
  resultId?: string;
  fileId?: string;
  report?: PartialReport;
  verdict?: Verdict;
} & Record<string, unknown>;

/**
 * An operation that was started for a message. `isSuccessful` and the properties after it are set when it has
 * completed.
 */
export interface OperationEntry {
  operation: string;
  operationId: string;
  inputId?: string;
  parameters: Record<string, unknown>;
  isSuccessful?: boolean;
  result?: ResultWithVerdict;
  durationMs?: number;
}

/** The record in `msg.model`: what is known of the model, independent of the payload. */
export interface ModelRecord {
  /** The last model file that was uploaded or exported, and its name. */
  fileId?: string;
  filename?: string;
  /** The last model that was imported or created. */
  resultId?: string;
  operations: OperationEntry[];
  report?: PartialReport;
  verdict?: Verdict;
  analysis?: Record<string, unknown>;
  /** The last thumbnail, as PNG. */
  thumbnail?: Buffer;
  warnings: ReportWarning[];
  /** The message may have been sent before: Node-RED stopped while sending it. */
  isRepeat?: boolean;
}

/** Returns the record of a message. Creates `msg.model` if it is missing; properties that others added are kept. */
export function getModelRecord(msg: NodeMessage): ModelRecord {
  if (typeof msg.model !== 'object' || msg.model === null) msg.model = {};
  // The flow may have written any values. The two lists are validated here, other properties where they are read.
  const record = msg.model as ModelRecord;
  record.operations = Array.isArray(record.operations) ? record.operations.filter(isEntry) : [];
  if (!Array.isArray(record.warnings)) record.warnings = [];
  return record;
}

function isEntry(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Replaces the record of a message by that of a new file. The data of an earlier model does not apply to it. */
export function startModelRecord(msg: NodeMessage, file: { fileId: string; filename: string }): void {
  msg.model = { fileId: file.fileId, filename: file.filename, operations: [], warnings: [] } satisfies ModelRecord;
}

/** Returns the entry of an operation. Creates it if the operation was started by other means than these nodes. */
export function getOrCreateEntry(record: ModelRecord, operationId: string, operation: string): OperationEntry {
  const existing = record.operations.find((entry) => entry.operationId === operationId);
  if (existing) return existing;
  const entry = { operation, operationId, parameters: {} };
  record.operations.push(entry);
  return entry;
}

/** Records the result of a completed operation. `filename` is the name of its file, if it created one. */
export function recordResult(
  record: ModelRecord,
  operation: string,
  result: ResultWithVerdict,
  filename: string | undefined,
): void {
  if (result.resultId !== undefined) {
    record.resultId = result.resultId;
    // The verdict was on the previous model. The new model has one only if its result or report contains it.
    delete record.verdict;
  }
  if (result.fileId !== undefined && !OPERATIONS_WITHOUT_MODEL_FILE.includes(operation)) {
    record.fileId = result.fileId;
    if (filename !== undefined) record.filename = filename;
  }
  if (operation === 'analyze') {
    record.analysis = analysisOf(result);
    if (result.verdict) record.verdict = result.verdict;
  }
  if (result.report) {
    recordReport(record, result.report);
    record.verdict = result.report.verdict;
  }
}

/** Returns the measurements in a result of `analyze`: all except its operation id and verdict. */
export function analysisOf({ operationId: _operationId, verdict: _verdict, ...analysis }: ResultWithVerdict) {
  return analysis;
}

/**
 * Records a report and its warnings that are not recorded yet, but not its verdict: a failed operation creates no model, so
 * the verdict stays.
 */
export function recordReport(record: ModelRecord, report: PartialReport): void {
  record.report = report;
  // The report of every operation begins with the warnings of the import.
  const isKnown = ({ code, message }: ReportWarning): boolean =>
    record.warnings.some((known) => Object(known).code === code && Object(known).message === message);
  record.warnings.push(...report.warnings.filter((warning) => !isKnown(warning)));
}
