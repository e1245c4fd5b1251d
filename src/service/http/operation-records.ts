import type { OperationRecord, OperationStatus, ProblemEntry } from '../../api/index.js';
import type { JobParameters } from '../kernel/messages.js';
import { findKind } from '../operations/kinds.js';
import { ServiceError } from '../service-error.js';
import type { Files } from '../store/files.js';
import type { ListedOperation } from '../store/lists.js';
import type { StatusRow } from '../store/operations.js';
import type { OperationRow } from '../store/schema.js';
import { RecordedProblem } from './recorded-problem.js';

function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** Returns the row of the operation with this id. Throws `OPERATION_UNKNOWN` if there is none. */
export function requireOperation<Row>(row: Row | undefined, id: string): Row {
  if (!row) throw new ServiceError('OPERATION_UNKNOWN', `No operation with id ${id.slice(0, 80)}.`);
  return row;
}

/** Returns the status record of an operation without its error and its report. */
export function toStatus(row: Omit<StatusRow, 'error' | 'report'>): OperationStatus {
  return {
    operationId: row.id,
    isCompleted: row.state === 'completed',
    isSuccessful: row.is_successful === 1,
    operation: row.kind,
    ...(row.priority === 'low' && { priority: row.priority }),
    ...(row.progress !== null && { progress: row.progress }),
    createdAt: isoTime(row.created_at),
    ...(row.started_at !== null && { startedAt: isoTime(row.started_at) }),
    ...(row.finished_at !== null && { finishedAt: isoTime(row.finished_at) }),
  };
}

/**
 * Returns the status record of an operation as JSON text: the fields of every service, and those that this one adds.
 */
export function serializeStatus(row: StatusRow): string {
  // Both are JSON text of the worker, inserted without parsing: reports can be long and are polled repeatedly.
  const error = row.error === null ? '' : `,"error":${row.error}`;
  const report = row.report === null ? '' : `,"report":${row.report}`;
  return `${JSON.stringify(toStatus(row)).slice(0, -1)}${error}${report}}`;
}

/** Returns the id of the output of a successful operation, by its name on the wire. Empty if it has none. */
export function outputIdOf({ kind, output_id: id }: Pick<OperationRow, 'kind' | 'output_id'>): Record<string, string> {
  if (id === null) return {};
  return findKind(kind)?.output?.kind === 'file' ? { fileId: id } : { resultId: id };
}

/** Returns the model in an archive that an import was to read. */
function readEntry({ kind, parameters }: Pick<OperationRow, 'kind' | 'parameters'>): { entry?: string } {
  if (kind !== 'import') return {};
  const { entry }: JobParameters = JSON.parse(parameters); // written by the start of the operation
  return typeof entry === 'string' ? { entry } : {};
}

/** Returns the entry of an operation in a list: its status record without its report, its input and its output. */
export function toOperationRecord(row: ListedOperation): OperationRecord {
  return {
    ...toStatus(row),
    ...(row.error !== null && { error: JSON.parse(row.error) }),
    inputId: row.input_id,
    filename: row.filename,
    ...readEntry(row),
    ...(row.is_successful === 1 && outputIdOf(row)),
  };
}

/** Returns the result record of a completed operation, from the JSON text that the worker stored. */
function toResultRecord(row: OperationRow): Record<string, unknown> {
  return {
    operationId: row.id,
    ...outputIdOf(row),
    ...(row.result !== null && JSON.parse(row.result)),
    ...(row.report !== null && { report: JSON.parse(row.report) }),
  };
}

/**
 * Returns the result record of an operation. Throws `NOT_COMPLETED`, `FILE_EXPIRED` if its output was deleted, or the
 * recorded problem of a failed operation.
 */
export async function readResult(row: OperationRow, files: Files): Promise<Record<string, unknown>> {
  if (row.state !== 'completed') {
    throw new ServiceError(
      'NOT_COMPLETED',
      `Operation ${row.id} is ${row.state}. Poll its status until isCompleted is true.`,
    );
  }
  if (row.is_successful !== 1) {
    const entry: ProblemEntry = JSON.parse(row.error ?? '{}');
    throw new RecordedProblem(422, entry);
  }
  const output = row.output_id === null ? undefined : await files.find(row.output_id, row.owner);
  if (row.output_id !== null && output?.deleted_at !== null) {
    throw new ServiceError(
      'FILE_EXPIRED',
      `The output of operation ${row.id} has expired or was deleted. Run the operation again.`,
    );
  }
  return toResultRecord(row);
}
