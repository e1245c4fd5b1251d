import { randomUUID } from 'node:crypto';
import type { OperationRow } from '../../../src/service/store/schema.js';

/** Returns the row of an operation that was just queued. */
export function queuedOperation(more: Partial<OperationRow> = {}): OperationRow {
  return {
    ...{ id: randomUUID(), owner: 'ann', kind: 'import', state: 'queued', priority: 'normal', tag: 0 },
    ...{ is_successful: null, input_id: 'input', output_id: randomUUID(), filename: 'a.stl', parameters: '{}' },
    ...{ result: null, report: null, error: null, attempts: 0, progress: null, created_at: 1, started_at: null },
    ...{ finished_at: null, retained_from: null, callback_url: null, callback_state: 'none', callback_attempts: 0 },
    ...{ callback_next_at: null, input_hash: null, kernel: null },
    ...more,
  };
}
