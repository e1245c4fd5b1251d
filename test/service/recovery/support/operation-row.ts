import type { OperationRow } from '../../../../src/service/store/schema.js';

/** The row of a successful repair whose callback was delivered. */
export const OPERATION: OperationRow = {
  id: 'operation',
  owner: 'me',
  kind: 'repair',
  state: 'completed',
  is_successful: 1,
  input_id: 'input',
  output_id: 'output',
  filename: 'a.stl',
  parameters: '{}',
  result: '{}',
  report: '{}',
  error: null,
  attempts: 1,
  progress: 1,
  created_at: 1,
  started_at: 2,
  finished_at: 3,
  retained_from: 3,
  callback_url: 'http://127.0.0.1/',
  callback_state: 'delivered',
  callback_attempts: 1,
  callback_next_at: null,
  input_hash: 'hash',
  kernel: '1',
};
