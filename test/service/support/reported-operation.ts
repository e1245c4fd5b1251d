import { randomUUID } from 'node:crypto';
import type { ReportedOperation } from '../../../src/service/store/lists.js';

/** Returns a running operation, as a list of a user contains it. */
export function createReportedOperation(more: Partial<ReportedOperation> = {}): ReportedOperation {
  return {
    ...{ id: randomUUID(), owner: 'me', kind: 'import', state: 'running', priority: 'normal', progress: null },
    ...{ is_successful: null, error: null, report: null, created_at: 1, started_at: null, finished_at: null },
    ...{ input_id: '', output_id: null, filename: 'cube.stl', parameters: '{}' },
    ...more,
  };
}
