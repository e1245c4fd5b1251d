import { queuedOperation } from '../../support/queued-operation.js';

/** The row of a successful repair whose callback was delivered. */
export const OPERATION = queuedOperation({
  ...{ id: 'operation', owner: 'me', kind: 'repair', state: 'completed', output_id: 'output' },
  ...{ is_successful: 1, result: '{}', report: '{}', attempts: 1, progress: 1 },
  ...{ started_at: 2, finished_at: 3, retained_from: 3, input_hash: 'hash', kernel: '1' },
  ...{ callback_url: 'http://127.0.0.1/', callback_state: 'delivered', callback_attempts: 1 },
});
