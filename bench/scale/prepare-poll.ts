import type { Calls } from '../../test/service/support/account.js';
import type { LoadRequest } from './run-wrk.js';

/** Runs an operation to its end. Returns the request for its status. */
export async function preparePoll(user: Calls): Promise<LoadRequest> {
  const { fileId } = (await user.upload('solid', '0.stl')).body;
  const { operationId } = await user.run('import', { fileId });
  return { method: 'GET', path: `/web-api/operation/${operationId}/status`, token: user.token };
}
