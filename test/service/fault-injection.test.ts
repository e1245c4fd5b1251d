import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import should from 'should';
import { createFaultPlan } from '../../src/service/fault-injection/fault-plan.js';
import { parseFaults } from '../../src/service/fault-injection/parse-faults.js';
import type { RunningService } from '../../src/service/serve.js';
import { eventually } from '../helpers/processes.js';
import { askForToken, type Calls } from './support/account.js';
import { CUBE } from './support/models.js';
import { readCredentials } from './support/running.js';
import { withServiceOfEachTest } from './support/with-service.js';

describe('fault injection', () => {
  let folder: string;
  let service: RunningService;
  let api: Calls;
  /** The requested delays in ms, which are not waited for. */
  let waits: number[];

  const startService = withServiceOfEachTest((bench) => ({ folder, service, api } = bench));

  const start = async (...faults: object[]): Promise<void> => {
    const pause = async (ms: number): Promise<void> => {
      waits.push(ms);
    };
    const list = parseFaults(JSON.stringify(faults), (reason) => new Error(reason));
    await startService({ faults: createFaultPlan(list, pause) });
  };

  beforeEach(async () => {
    waits = [];
  });

  it('delays only the requests that match', async () => {
    await start({ fault: 'delay', path: '/status', ms: 60_000, at: 2, times: 2 });
    for (let count = 0; count < 4; count++) await api.get('x/status');
    await api.get('x/import/result');
    should(waits).deepEqual([60_000, 60_000]);
  });

  it('refuses requests with 429 or 503 and Retry-After', async () => {
    await start(
      { fault: 'status', path: '/IMPORT', status: 429, retryAfter: 7 },
      { fault: 'status', status: 503, at: 4 },
    );
    const refused = await api.post('import', {});
    should([refused.status, refused.headers.get('retry-after')]).deepEqual([429, '7']);
    (await api.post('import', {})).status.should.equal(400);
    (await api.post('repair', {})).body.errors[0].code.should.equal(50301);
    (await api.post('repair', {})).status.should.equal(400);
  });

  it('expires all access tokens, but no refresh tokens', async () => {
    await start({ fault: 'expire-tokens', path: '/repair' });
    const { username, password } = await readCredentials(folder);
    const { body } = await askForToken(folder, { grant_type: 'password', username, password });
    (await api.post('repair', {})).status.should.equal(401);
    (await api.get('x/status')).status.should.equal(401);
    const renewed = await askForToken(folder, { grant_type: 'refresh_token', refresh_token: body.refresh_token });
    renewed.status.should.equal(200);
  });

  it('fails the operation that matches', async () => {
    await start({ fault: 'fail-operation', operation: 'import', at: 2 });
    const { fileId } = (await api.upload(CUBE, 'cube.stl')).body;
    const outcomes: boolean[] = [];
    for (let count = 0; count < 3; count++) {
      outcomes.push((await api.run('import', { fileId })).status.body.isSuccessful);
    }
    should(outcomes).deepEqual([true, false, true]);
  });

  it('throttles a download without changing its bytes', async () => {
    await start({ fault: 'slow-download', bytesPerSecond: 1000 });
    const { fileId } = (await api.upload(CUBE, 'cube.stl')).body;
    (await api.get(`file/${fileId}`)).body.should.equal(CUBE);
    should(waits).have.length(Math.ceil(CUBE.length / 100));
  });

  it('closes the connection of one download after some bytes', async () => {
    await start({ fault: 'cut-download', afterBytes: 100 });
    const { fileId } = (await api.upload(CUBE, 'cube.stl')).body;
    await api.get(`file/${fileId}`).should.be.rejected();
    (await api.get(`file/${fileId}`)).body.should.equal(CUBE);
  });

  it('accepts faults from the header of a request, also for that request', async () => {
    await start();
    const statusWith = async (path: string, faults: unknown): Promise<number> =>
      (await api.get(path, { 'model-processing-fault': JSON.stringify(faults) })).status;
    (await statusWith('x/status', [{ fault: 'status', status: 503 }])).should.equal(503);
    (await statusWith('x/status', [{ fault: 'status', path: '/import', status: 429 }])).should.equal(404);
    (await api.post('import', {})).status.should.equal(429);
    (await statusWith('x/status', [{ fault: 'fail-operation' }])).should.equal(404);
    const { fileId } = (await api.upload(CUBE, 'cube.stl')).body;
    (await api.run('import', { fileId })).status.body.isSuccessful.should.be.false();
    (await api.run('import', { fileId })).status.body.isSuccessful.should.be.true();
    (await statusWith('x/status', [{ fault: 'burn' }])).should.equal(400);
  });

  it('ignores the header if it is off', async () => {
    await startService();
    const reply = await api.get('x/status', { 'model-processing-fault': '[{"fault":"status","status":503}]' });
    reply.status.should.equal(404);
  });

  it('loses, delays and duplicates callbacks', async () => {
    await start(
      { fault: 'lose-callback' },
      { fault: 'delay-callback', ms: 60_000 },
      { fault: 'double-callback', at: 2 },
    );
    const received: string[] = [];
    const server = http.createServer(async (request, response) => {
      for await (const chunk of request) received.push(JSON.parse(String(chunk)).operationId);
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on a port
      const { fileId } = (await api.upload(CUBE, 'cube.stl')).body;
      const metrics = async (): Promise<string> => (await fetch(`${service.baseUrl}/metrics`)).text();
      const ids: string[] = [];
      for (let count = 1; count <= 3; count++) {
        ids.push((await api.run('import', { fileId, callbackUrl })).operationId);
        await eventually('it was delivered', async () => (await metrics()).includes(`outcome="delivered"} ${count}`));
      }
      should(received).deepEqual([ids[1], ids[2], ids[2]]);
      should(waits).deepEqual([60_000]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('parseFaults', () => {
  for (const [text, what] of [
    ['{', /expected JSON/],
    ['{}', /expected an array/],
    ['[{"fault":"burn"}]', /entry 1: expected "fault" to be one of delay/],
    ['[{"fault":"toString"}]', /entry 1: expected "fault"/],
    ['[{"fault":"lose-callback"},{"fault":"delay"}]', /entry 2: expected the fields fault, path, ms, .* of delay/],
    ['[{"fault":"status","status":500}]', /entry 1: expected the fields .* of status/],
    ['[{"fault":"lose-callback","often":true}]', /entry 1/],
  ] as const) {
    it(`rejects ${text}`, () => {
      (() => parseFaults(text, (reason) => new Error(reason))).should.throw(what);
    });
  }
});
