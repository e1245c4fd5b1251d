import { findKind } from '../operations/kinds.js';
import type { FileRow, OperationRow } from '../store/schema.js';

/** Returns the operation as completed: its output was stored, but the row of its completion was lost. */
function completeWithOutput(operation: OperationRow, { created_at }: FileRow): OperationRow {
  return {
    ...operation,
    state: 'completed',
    is_successful: 1,
    result: '{}',
    progress: 1,
    started_at: operation.started_at ?? created_at,
    finished_at: created_at,
  };
}

/**
 * Returns the recovered row of an operation of the old database. An unfinished one is completed if its output is in
 * `files`, or else runs again. A completed one keeps its result; a callback that was due is given up, because it may
 * have been sent. Removes outputs from `files` that do not count: those of failed operations, and those that a rerun
 * replaces.
 */
export function completeOrRequeueOperation(old: OperationRow, files: Map<string, FileRow>, now: number): OperationRow {
  const output = old.output_id === null ? undefined : files.get(old.output_id);
  const hasOutput = output !== undefined && output.deleted_at === null && output.damaged_at === null;
  const isUnfinished = old.state !== 'completed';
  // The fields of a result are only in the database.
  const canComplete = isUnfinished && hasOutput && findKind(old.kind)?.result === undefined;
  const operation = canComplete ? completeWithOutput(old, output) : old;
  if (operation.is_successful !== 1 && output) files.delete(output.id);
  if (operation.state !== 'completed') return operation;
  const hasCallback = operation.callback_state === 'due' || operation.callback_state === 'waiting';
  return {
    ...operation,
    retained_from: now,
    ...(hasCallback && { callback_state: 'given-up', callback_next_at: null }),
  };
}
