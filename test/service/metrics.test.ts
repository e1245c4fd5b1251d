import { once } from 'node:events';
import { get } from 'node:http';
import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { eventually } from '../helpers/processes.js';
import type { Calls } from './support/account.js';
import { CUBE } from './support/models.js';
import { withServiceOfEachTest } from './support/with-service.js';

describe('GET /metrics', () => {
  let service: RunningService;
  let api: Calls;

  const start = withServiceOfEachTest((bench) => ({ service, api } = bench));

  beforeEach(() => start());

  it('counts requests by route and status, jobs by outcome, the queue, and stored bytes', async () => {
    for (const text of [CUBE, 'no STL']) {
      const { body } = await api.upload(text, 'cube.stl');
      await api.run('import', { fileId: body.fileId });
    }
    const text = await eventually('the last reply was counted', async () => {
      const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
      return /route="\/web-api\/operation\/:id\/:operation\/result",status="422"\} 1$/m.test(metrics) ? metrics : '';
    });
    text.should.match(/^model_processing_http_request_seconds_count\{method="POST",route="\/Token",status="200"\} 1$/m);
    text.should.match(/^model_processing_job_seconds_count\{operation="import",outcome="done"\} 1$/m);
    text.should.match(/^model_processing_job_seconds_count\{operation="import",outcome="FILE_MALFORMED"\} 1$/m);
    text.should.match(/^model_processing_operations\{state="queued"\} 0$/m);
    text.should.match(/^model_processing_kernel_crashes_total 0$/m);
    const storedBytes = Number(/^model_processing_stored_bytes (\d+)$/m.exec(text)?.[1]);
    should(storedBytes).be.above(CUBE.length);
  });

  const statusFor = async (host: string, more: Record<string, string> = {}): Promise<number | undefined> => {
    const { port } = new URL(service.baseUrl);
    const headers = { host, ...more };
    const [reply] = await once(get({ host: '127.0.0.1', port, path: '/metrics', headers }), 'response');
    reply.resume();
    return reply.statusCode;
  };

  it('requires the metrics token, if there is one, from everybody', async () => {
    await service.close();
    await start({ metricsToken: 'a-token-of-the-operator' });
    const authorization = 'Bearer a-token-of-the-operator';
    should(await statusFor('127.0.0.1')).equal(404);
    should(await statusFor('127.0.0.1', { authorization: `Bearer ${api.token}` })).equal(404);
    should(await statusFor('models.example', { authorization })).equal(200);
    should(await statusFor('models.example', { authorization, 'x-forwarded-for': '203.0.113.9' })).equal(200);
  });

  it('is only on a port of its own, by the same rules, if it has one', async () => {
    await service.close();
    await start({ metricsPort: 0 });
    const url = `${service.metricsUrl}/metrics`;
    (await fetch(url)).status.should.equal(200);
    (await fetch(url, { headers: { via: 'proxy' } })).status.should.equal(404);
    (await fetch(`${service.baseUrl}/metrics`)).status.should.equal(404);
    (await fetch(`${service.metricsUrl}/healthz`)).status.should.equal(404);
    (await (await fetch(url)).text()).should.match(/route="unknown",status="404"\} 1$/m);
    await service.close();
    await fetch(url).should.be.rejected();
    await start({ metricsPort: 0, metricsToken: 'a-token-of-the-operator' });
    const headers = { authorization: 'Bearer a-token-of-the-operator' };
    (await fetch(`${service.metricsUrl}/metrics`)).status.should.equal(404);
    (await fetch(`${service.metricsUrl}/metrics`, { headers })).status.should.equal(200);
  });

  it('is 404 for requests through a proxy', async () => {
    for (const name of ['x-forwarded-for', 'x-real-ip', 'via']) {
      const reply = await fetch(`${service.baseUrl}/metrics`, { headers: { [name]: '203.0.113.9' } });
      should(reply.status).equal(404, name);
    }
  });

  it('is 404 for requests to a name, which a page in a browser could have', async () => {
    const { port } = new URL(service.baseUrl);
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.evil.example']) {
      should(await statusFor(host)).equal(404, host);
    }
    for (const host of ['203.0.113.9', `192.168.1.5:${port}`]) {
      should(await statusFor(host)).equal(404, `${host}, which a plain TCP proxy passes on`);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'localhost', '[::1]', `[::1]:${port}`]) {
      should(await statusFor(host)).equal(200, host);
    }
  });
});
