import fastify from 'fastify';
import should from 'should';
import { registerStatusRoute } from '../../../src/service/http/status-route.js';
import { ServiceError } from '../../../src/service/service-error.js';
import { queuedOperation } from '../support/queued-operation.js';

const PATH = '/web-api/operation/ABC/status';

describe('the status route', () => {
  const createApp = (isValid: boolean, foundId?: string) => {
    const calls: string[] = [];
    const app = fastify();
    registerStatusRoute(app, {
      operations: {
        findStatus: async (id, owner) => (owner === 'ann' && id === foundId ? queuedOperation({ id }) : undefined),
        findStatusByToken: async (_hash, id) => {
          calls.push(`find ${id}`);
          return id === foundId ? queuedOperation({ id }) : undefined;
        },
      },
      authenticate: async () => {
        calls.push('authenticate');
        if (!isValid) throw new ServiceError('NOT_AUTHORIZED', 'Not authorized.');
      },
      now: () => 1,
    });
    const poll = async (headers: Record<string, string> = { authorization: 'Bearer token' }) =>
      Object((await app.inject({ url: PATH, headers })).json());
    return { calls, poll };
  };

  it('checks the token and finds the operation with one query', async () => {
    const { calls, poll } = createApp(true, 'abc');
    should(await poll()).match({ operationId: 'abc', isCompleted: false });
    should(calls).eql(['find abc']);
  });

  it('checks the token alone if there is no such operation', async () => {
    const { calls, poll } = createApp(true);
    should(await poll()).match({ message: /No operation with id ABC/ });
    should(calls).eql(['find abc', 'authenticate']);
  });

  it('rejects a token that is not valid, and a request without one', async () => {
    const { calls, poll } = createApp(false);
    should(await poll()).match({ message: 'Not authorized.' });
    should(await poll({})).match({ message: 'Not authorized.' });
    should(calls).eql(['find abc', 'authenticate', 'authenticate']);
  });
});
