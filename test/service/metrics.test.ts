import { once } from 'node:events';
import { get } from 'node:http';
import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { eventually } from '../helpers/processes.js';
import { logIn } from './support/account.js';
import { createFolder, removeFolder } from './support/data-folder.js';
import { CUBE } from './support/models.js';
import { startService } from './support/running.js';

describe('GET /metrics', () => {
  let folder: string;
  let service: RunningService;

  beforeEach(async () => {
    folder = await createFolder();
    service = await startService(folder);
  });

  afterEach(async () => {
    await service.close();
    await removeFolder(folder);
  });

  it('counts requests by route and status, jobs by outcome, the queue, and stored bytes', async () => {
    const api = await logIn(folder);
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

  it('is 404 for requests through a proxy', async () => {
    const reply = await fetch(`${service.baseUrl}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    should(reply.status).equal(404);
  });

  it('is 404 for requests to a name, which a page in a browser could have', async () => {
    const port = Number(new URL(service.baseUrl).port);
    const statusFor = async (host: string): Promise<number | undefined> => {
      const [reply] = await once(get({ host: '127.0.0.1', port, path: '/metrics', headers: { host } }), 'response');
      reply.resume();
      return reply.statusCode;
    };
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.evil.example']) {
      should(await statusFor(host)).equal(404, host);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'localhost', '[::1]', `[::1]:${port}`]) {
      should(await statusFor(host)).equal(200, host);
    }
  });
});
