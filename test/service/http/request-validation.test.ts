import { fastify } from 'fastify';
import should from 'should';
import { validateRequests, WITHOUT_COMPILERS } from '../../../src/service/http/request-validation.js';

const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, size: { type: 'integer' } },
};

function createApp() {
  const app = fastify({ schemaController: WITHOUT_COMPILERS });
  validateRequests(app);
  app.post('/validated', { schema: { body: SCHEMA } }, async ({ body }) => ({ body }));
  app.post('/any', async ({ body }) => ({ body }));
  return app;
}

describe('request validation', () => {
  const post = async (app: ReturnType<typeof createApp>, payload: object, url = '/validated') => {
    const reply = await app.inject({ method: 'POST', url, payload });
    return { status: reply.statusCode, ...reply.json() };
  };

  it('replies to each of the first requests with its own error', async () => {
    const app = createApp();
    const replies = await Promise.all([post(app, { name: 1 }), post(app, { size: 'a' }), post(app, { name: 'a' })]);
    should(replies).match([
      { status: 400, message: 'body/name must be string' },
      { status: 400, message: 'body/size must be integer' },
      { status: 200, body: { name: 'a' } },
    ]);
    should(await post(app, { size: 1.5 })).match({ status: 400, message: 'body/size must be integer' });
  });

  it('leaves values as they are', async () => {
    should(await post(createApp(), { name: 'a', size: 1, more: '2' })).deepEqual({
      status: 200,
      body: { name: 'a', size: 1, more: '2' },
    });
  });

  it('ignores requests of routes without a schema', async () => {
    should(await post(createApp(), { name: 1 }, '/any')).match({ status: 200, body: { name: 1 } });
  });
});
