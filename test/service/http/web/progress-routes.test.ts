import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import should from 'should';
import { registerProgressRoutes } from '../../../../src/service/http/web/progress-routes.js';
import { eventually } from '../../../helpers/processes.js';
import { createReportedOperation } from '../../support/reported-operation.js';

const DONE = createReportedOperation({ state: 'completed' });

const USER = { userId: 'me', username: 'me', isOwner: false, endsAt: 0, expiresAt: 1 };

/** Resolves when the signal is aborted, whatever the time. */
function sleepForever(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}

describe('the route on which the page waits for operations', () => {
  let app: FastifyInstance;
  let url: string;
  let cookie: string;

  beforeEach(async () => {
    app = fastify();
    registerProgressRoutes(app, {
      webSessions: { find: async () => USER },
      lists: {
        named: async (_owner, ids) => (ids.includes(DONE.id) ? [DONE] : []),
        completed: async () => [],
        verdicts: async () => ({}),
      },
      limits: { maxWaitsPerUser: 1 },
      ...{ isStopping: () => false, now: () => 0, monotonicNow: () => 0, sleep: sleepForever },
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo; // it listens on a port
    url = `http://127.0.0.1:${port}/ui/operations`;
    cookie = `model_processing_${port}=${'a'.repeat(43)}`;
  });

  afterEach(() => app.close());

  const get = (id: string, signal?: AbortSignal) =>
    fetch(`${url}?ids=${id}`, { headers: { cookie, 'sec-fetch-site': 'same-origin' }, ...(signal && { signal }) });

  it('counts a wait until its request is aborted', async () => {
    const start = () => {
      const abortion = new AbortController();
      return { abortion, reply: get(randomUUID(), abortion.signal) };
    };
    const waits = [start(), start()];
    const refused = await Promise.race(waits.map(async (wait) => ({ wait, reply: await wait.reply })));
    should(refused.reply.ok).be.false();
    should((await get(DONE.id)).ok).be.false();
    const pendingWait = waits.find((wait) => wait !== refused.wait);
    pendingWait?.abortion.abort();
    await pendingWait?.reply.should.be.rejected();
    await eventually('the next one is allowed', async () => (await get(DONE.id)).ok);
  });
});
