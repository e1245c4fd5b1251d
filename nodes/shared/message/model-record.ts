import type { NodeMessage } from 'node-red';
import type { Report, ReportWarning, Verdict } from '../../../src/api/index.js';

/** A report as far as nodes look into it: that of a service, or one made of two analyses. */
export type PartialReport = Pick<Report, 'verdict' | 'warnings'> & { before?: object; after?: object };

/** A result, and what nodes found out about it where the service did not say it. */
export type ResultWithVerdict = {
  operationId: string;
  resultId?: string;
  fileId?: string;
  report?: PartialReport;
  verdict?: Verdict;
} & Record<string, unknown>;

/** One operation that a message has been through; from `isSuccessful` on it is known when the operation has completed. */
export interface OperationEntry {
  operation: string;
  operationId: string;
  inputId?: string;
  parameters: Record<string, unknown>;
  isSuccessful?: boolean;
  result?: ResultWithVerdict;
  durationMs?: number;
}

/** `msg.model`: what a message knows of its model, whatever its payload holds now. */
export interface ModelRecord {
  /** The last model file uploaded or exported, and its name. */
  fileId?: string;
  filename?: string;
  /** The last model. */
  resultId?: string;
  operations: OperationEntry[];
  report?: PartialReport;
  verdict?: Verdict;
  analysis?: Record<string, unknown>;
  /** The last picture. */
  thumbnail?: Buffer;
  warnings: ReportWarning[];
  /** This message may have been sent before: Node-RED ended just when it went on. */
  isRepeat?: boolean;
}

/** These make a file that is no model: it stands in the payload and in the operation's result only. */
export const OPERATIONS_WITHOUT_MODEL_FILE: readonly string[] = ['thumbnail', 'wall-thickness-analysis'];

/** The record of a message; makes `msg.model` where there is none. Fields of other authors stay. */
export function getModelRecord(msg: NodeMessage): ModelRecord {
  if (typeof msg.model !== 'object' || msg.model === null) msg.model = {};
  // From the flow, so anything may stand in it: the two lists are made here, single values are checked where they are used.
  const record = msg.model as ModelRecord;
  record.operations = Array.isArray(record.operations) ? record.operations.filter(isEntry) : [];
  if (!Array.isArray(record.warnings)) record.warnings = [];
  return record;
}

function isEntry(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** A new file begins a new record: what was known of an earlier model does not hold for it. */
export function startModelRecord(msg: NodeMessage, file: { fileId: string; filename: string }): void {
  msg.model = { fileId: file.fileId, filename: file.filename, operations: [], warnings: [] } satisfies ModelRecord;
}

/** The entry of an operation; made if the operation was not started by a node of ours. */
export function getOrCreateEntry(record: ModelRecord, operationId: string, operation: string): OperationEntry {
  const known = record.operations.find((entry) => entry.operationId === operationId);
  if (known) return known;
  const entry = { operation, operationId, parameters: {} };
  record.operations.push(entry);
  return entry;
}

/** Writes down what a completed operation gave. `filename` is the name of the file it made, where it made one. */
export function recordResult(
  record: ModelRecord,
  operation: string,
  result: ResultWithVerdict,
  filename: string | undefined,
): void {
  if (result.resultId !== undefined) {
    record.resultId = result.resultId;
    // Said of the model before; the new one is judged by its own report, or not at all.
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

/** What the result of `analyze` says of the model. */
export function analysisOf({ operationId: _operationId, verdict: _verdict, ...analysis }: ResultWithVerdict) {
  return analysis;
}

/** Writes down a report; alone that of an operation that failed: it made no model, so the verdict stays that of the one before. */
export function recordReport(record: ModelRecord, report: PartialReport): void {
  record.report = report;
  record.warnings.push(...report.warnings);
}
