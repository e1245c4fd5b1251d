import type { OperationHandle, OperationStatus, ProblemEntry, Report, Verdict } from '../../api/index.js';
import type { OperationResult, RemovedFile, UploadResult } from '../types.js';
import { type Fields, isUuid, readBoolean, readFields, readMatchingId, readOptional, readUuid } from './read-fields.js';

/**
 * Reads the reply to an upload. Throws `BAD_REPLY` if it has no valid `fileId`. Other known fields are omitted unless
 * they are strings.
 */
export function readUploadedFile(value: unknown): UploadResult {
  const fields = readFields(value);
  const file: UploadResult = { fileId: readUuid(fields, 'fileId') };
  for (const name of ['creationDate', 'fileUrl'] as const) {
    const text = fields[name];
    if (typeof text === 'string') file[name] = text;
  }
  return file;
}

/** Reads the reply to the start of an operation. Throws `BAD_REPLY` if it has no valid `operationId`. */
export function readOperationHandle(value: unknown): OperationHandle {
  return { operationId: readUuid(readFields(value), 'operationId') };
}

/**
 * Reads a status record of this operation. Throws `BAD_REPLY` if a required field is invalid or the record is for
 * another operation. Optional fields are omitted if they are invalid.
 */
export function readOperationStatus(value: unknown, operationId: string): OperationStatus {
  const fields = readFields(value);
  const status: OperationStatus = {
    operationId: readMatchingId(fields, 'operationId', operationId),
    isCompleted: readBoolean(fields, 'isCompleted'),
    isSuccessful: readBoolean(fields, 'isSuccessful'),
  };
  for (const name of ['operation', 'createdAt', 'startedAt', 'finishedAt'] as const) {
    const text = fields[name];
    if (typeof text === 'string') status[name] = text;
  }
  const { priority, progress } = fields;
  if (priority === 'low') status.priority = priority;
  if (typeof progress === 'number' && progress >= 0 && progress <= 1) status.progress = progress;
  const error = readProblemEntry(fields.error);
  if (error) status.error = error;
  const report = readReport(fields.report);
  if (report) status.report = report;
  return status;
}

/** Operation → the id that its result must have. The results of other operations need none. */
const RESULT_ID: Readonly<Record<string, 'resultId' | 'fileId'>> = {
  import: 'resultId',
  repair: 'resultId',
  export: 'fileId',
};

/**
 * Reads the result record of this operation, with all its fields. Throws `BAD_REPLY` if the record is for another
 * operation, or if an id is invalid or required and missing. An invalid report or verdict is omitted.
 */
export function readOperationResult(value: unknown, operationId: string, operation: string): OperationResult {
  const fields: Fields = readFields(value);
  const result: OperationResult = { ...fields, operationId: readMatchingId(fields, 'operationId', operationId) };
  for (const name of ['resultId', 'fileId'] as const) {
    const id = RESULT_ID[operation] === name ? readUuid(fields, name) : readOptional(fields, name, readUuid);
    if (id === undefined) delete result[name];
    else result[name] = id;
  }
  const optionals = { report: readReport(fields.report), verdict: readVerdict(fields.verdict) };
  for (const name of ['report', 'verdict'] as const) if (optionals[name] === undefined) delete result[name];
  return result;
}

/** Reads the reply to the deletion of a file or model. Entries that are not ids are omitted. */
export function readRemovedFile(value: unknown): RemovedFile {
  const { cancelledOperations } = readFields(value);
  return { cancelledOperations: Array.isArray(cancelledOperations) ? cancelledOperations.filter(isUuid) : [] };
}

/** Reads one entry of a problem. Returns `undefined` for a value without a message. A missing code becomes 0. */
export function readProblemEntry(value: unknown): ProblemEntry | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { code, message, entries } = value as Fields;
  if (typeof message !== 'string') return undefined;
  const names = Array.isArray(entries) ? entries.filter((entry) => typeof entry === 'string') : [];
  return { code: typeof code === 'number' ? code : 0, message, ...(names.length > 0 && { entries: names }) };
}

/**
 * Returns a value as a report if it has a verdict and warnings, else `undefined`. Its other fields are not validated.
 */
function readReport(value: unknown): Report | undefined {
  const { verdict, warnings }: Fields = Object(value);
  if (!readVerdict(verdict) || !Array.isArray(warnings)) return undefined;
  // The unvalidated fields are only shown to users.
  return value as Report;
}

/** Returns a value as a verdict if it has a level and reasons, else `undefined`. */
function readVerdict(value: unknown): Verdict | undefined {
  const { level, reasons }: Fields = Object(value);
  return typeof level === 'string' && Array.isArray(reasons) ? (value as Verdict) : undefined;
}
