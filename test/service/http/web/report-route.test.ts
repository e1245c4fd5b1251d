import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import should from 'should';
import { LIMITS } from '../../../../src/service/defaults.js';
import { registerErrorHandlers } from '../../../../src/service/http/app.js';
import { type ReportRouteDependencies, registerReportRoute } from '../../../../src/service/http/web/report-route.js';
import type { Operations } from '../../../../src/service/store/operations.js';
import { eventually } from '../../../helpers/processes.js';

const ID = '00000000-0000-4000-8000-000000000000';

const USER = { userId: '', username: '', isOwner: false, endsAt: 0, expiresAt: 1 };

describe('the route of the HTML report', () => {
  let app: FastifyInstance;
  let port: number;
  /** The requests that are served, and functions that answer them. */
  let pending: { owner: string; answer: () => void }[];

  beforeEach(async () => {
    pending = [];
    app = fastify();
    registerErrorHandlers(app, LIMITS);
    const dependencies: Pick<ReportRouteDependencies, 'webSessions' | 'limits' | 'operations'> = {
      webSessions: {
        find: async (secret) => ({ ...USER, userId: secret.slice(0, 1) }),
      },
      limits: LIMITS,
      operations: {
        find: (_id, owner) => new Promise((resolve) => pending.push({ owner, answer: () => resolve(undefined) })),
      } as Pick<Operations, 'find'> as Operations, // the route calls nothing else for an unknown operation
    };
    registerReportRoute(app, dependencies as ReportRouteDependencies); // as above
    await app.listen({ host: '127.0.0.1', port: 0 });
    ({ port } = app.server.address() as AddressInfo); // it listens on a port
  });

  afterEach(() => app.close());

  const request = (user: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/ui/reports/${ID}?language=en&preview=${ID}&picture=${ID}`, {
      headers: { cookie: `model_processing_${port}=${user.repeat(43)}`, 'sec-fetch-site': 'same-origin' },
    });

  it('serves two requests of a user at a time, and those of another user meanwhile', async () => {
    const served = [request('a'), request('a')];
    await eventually('two are served', () => pending.length === 2);
    for (const reply of await Promise.all(Array.from({ length: 98 }, () => request('a')))) {
      should(reply.status).equal(429);
      should(reply.headers.get('retry-after')).equal('1');
      should((await reply.json()).errors[0].code).equal(42905);
    }
    served.push(request('b'));
    await eventually('that of the other user is served', () => pending.length === 3);
    should(pending.map(({ owner }) => owner)).deepEqual(['a', 'a', 'b']);
    for (const { answer } of pending) answer();
    should((await Promise.all(served)).map(({ status }) => status)).deepEqual([404, 404, 404]);
    const next = request('a');
    await eventually('a further one is served', () => pending.length === 4);
    pending[3]?.answer();
    should((await next).status).equal(404);
  });
});
