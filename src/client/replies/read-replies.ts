import type { OperationHandle, OperationStatus, ProblemEntry } from '../../api/index.js';
import type { OperationResult, UploadResult } from '../types.js';
import { type Fields, optional, readBoolean, readFields, readMatchingId, readUuid } from './read-fields.js';
import { readReport, readVerdict } from './read-report.js';

/** The reply to an upload. Only the id is needed to go on; of the other fields those are kept that are text. */
export function readUploadedFile(value: unknown): UploadResult {
  const fields = readFields(value);
  const file: UploadResult = { fileId: readUuid(fields, 'fileId') };
  for (const name of ['creationDate', 'fileUrl'] as const) {
    const text = fields[name];
    if (typeof text === 'string') file[name] = text;
  }
  return file;
}

/** The reply to the start of an operation. */
export function readOperationHandle(value: unknown): OperationHandle {
  return { operationId: readUuid(readFields(value), 'operationId') };
}

/** A status record of this operation. Of the further fields those are kept that are what they should be. */
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
  const { progress } = fields;
  if (typeof progress === 'number' && progress >= 0 && progress <= 1) status.progress = progress;
  const error = readProblemEntry(fields.error);
  if (error) status.error = error;
  const report = readReport(fields.report);
  if (report) status.report = report;
  return status;
}

/** Which id the result of an operation must hold. Operations beyond these have results of their own. */
const RESULT_ID: Readonly<Record<string, 'resultId' | 'fileId'>> = {
  import: 'resultId',
  repair: 'resultId',
  export: 'fileId',
};

/** The result record of this operation, with all its fields. The ids in it are checked; a report or verdict that is none is left out. */
export function readOperationResult(value: unknown, operationId: string, operation: string): OperationResult {
  const fields: Fields = readFields(value);
  const result: OperationResult = { ...fields, operationId: readMatchingId(fields, 'operationId', operationId) };
  for (const name of ['resultId', 'fileId'] as const) {
    const id = RESULT_ID[operation] === name ? readUuid(fields, name) : optional(fields, name, readUuid);
    if (id === undefined) delete result[name];
    else result[name] = id;
  }
  const further = { report: readReport(fields.report), verdict: readVerdict(fields.verdict) };
  for (const name of ['report', 'verdict'] as const) if (further[name] === undefined) delete result[name];
  return result;
}

/** One entry of a problem, where the value is one. */
export function readProblemEntry(value: unknown): ProblemEntry | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { code, message } = value as Fields;
  if (typeof message !== 'string') return undefined;
  return { code: typeof code === 'number' ? code : 0, message };
}
