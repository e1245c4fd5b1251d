import { readFile } from 'node:fs/promises';
import should from 'should';
import type { RunningService } from '../../../src/service/serve.js';
import { withService } from '../support/with-service.js';

describe('GET /', () => {
  let service: RunningService;

  withService((bench) => ({ service } = bench));

  it('returns a page with name and version, without a token', async () => {
    const reply = await fetch(service.baseUrl);
    reply.status.should.equal(200);
    should(reply.headers.get('content-type')).equal('text/html; charset=utf-8');
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    (await reply.text()).should.match(/<h1>Model Processing Service<\/h1>/).and.containEql(`Version ${version}`);
  });

  it('links to replies of the service and to the documentation', async () => {
    const page = await (await fetch(service.baseUrl)).text();
    const links = [...page.matchAll(/<a href="([^"]*)"/g)].map(([, link = '']) => link);
    const { homepage } = JSON.parse(await readFile('package.json', 'utf8'));
    links.should.deepEqual(['openapi.json', 'formats', 'readyz', homepage]);
    for (const link of links.slice(0, 3)) (await fetch(`${service.baseUrl}/${link}`)).status.should.equal(200);
  });

  it('forbids scripts and frames', async () => {
    const policy = (await fetch(service.baseUrl)).headers.get('content-security-policy');
    should(policy)
      .match(/default-src 'none'/)
      .and.match(/frame-ancestors 'none'/);
  });
});
