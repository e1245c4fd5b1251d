import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import 'should';
import should from 'should';
import { FakeService } from '../helpers/fake-service.js';
import { createFlow, createRemoteService, FlowBench } from './support/flow-bench.js';

const STATUS = /status$/;

describe('a service node with a callback URL', () => {
  let service: FakeService;
  let bench: FlowBench;
  let server: http.Server;

  const start = async (node: { type: string; [setting: string]: unknown }) => {
    const { port } = server.address() as AddressInfo;
    const config = { ...createRemoteService(service.account), callbackUrl: `http://127.0.0.1:${port}` };
    bench = await FlowBench.start(createFlow(node, config), { credentials: { service: service.account } });
  };
  /** Returns the callback URL in the last start. */
  const callbackUrl = (): string => {
    const starts = service.requests.filter(({ method, path }) => method === 'POST' && /import$/.test(path));
    return JSON.parse(starts.at(-1)?.body ?? '{}').callbackUrl;
  };
  const sendCallback = async () => {
    const body = JSON.stringify({ operationId: randomUUID(), isSuccessful: 'true' });
    (await fetch(callbackUrl(), { method: 'POST', body })).status.should.equal(204);
  };
  const complete = () => {
    for (const operation of service.operations.values()) operation.pollsLeft = 1;
  };

  beforeEach(async () => {
    service = await FakeService.start();
    service.pollsNeeded = 1e9;
    server = http.createServer((request, reply) => bench.httpNode(request, reply)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    await bench.close();
    server.closeAllConnections();
    server.close();
    await service.stop();
  });

  it('continues a message on its callback, with a single poll', async () => {
    await start({ type: 'model-processing-import', send: 'finished' });
    bench.send({ payload: { fileId: randomUUID() } });
    await bench.until(() => service.operations.size === 1 && service.count('POST', /import$/) === 1);
    complete();
    await sendCallback();
    (await bench.next()).payload.isCompleted.should.be.true();
    service.count('GET', STATUS).should.equal(1);
  });

  it('continues a message in a wait node that is deployed later, without the URL in the message', async () => {
    await start({ type: 'model-processing-import' });
    bench.send({ payload: { fileId: randomUUID() } });
    const msg = await bench.next();
    JSON.stringify(msg).should.not.containEql('callback');
    complete();
    await sendCallback();
    await bench.deploy(
      createFlow(
        { type: 'model-processing-wait' },
        {
          ...createRemoteService(service.account),
          callbackUrl: new URL(callbackUrl()).origin,
        },
      ),
    );
    bench.send(msg);
    (await bench.next()).payload.isCompleted.should.be.true();
    service.count('GET', STATUS).should.equal(1);
  });

  it('accepts a callback that arrives before the reply to the start', async () => {
    await start({ type: 'model-processing-import', send: 'finished' });
    service.pollsNeeded = 1;
    const callBackEarly = async (request: http.IncomingMessage): Promise<false> => {
      let body = '';
      for await (const chunk of request) body += chunk;
      await fetch(JSON.parse(body).callbackUrl, { method: 'PUT' });
      return false;
    };
    service.fault('POST', /import$/, callBackEarly);
    bench.send({ payload: { fileId: randomUUID() } });
    (await bench.next()).payload.isCompleted.should.be.true();
    service.count('GET', STATUS).should.equal(1);
  });

  it('sends a message once for 40 callbacks', async () => {
    await start({ type: 'model-processing-import', send: 'finished' });
    bench.send({ payload: { fileId: randomUUID() } });
    await bench.until(() => service.count('POST', /import$/) === 1 && service.operations.size === 1);
    complete();
    await Promise.all(Array.from({ length: 20 }, sendCallback));
    await bench.next();
    await Promise.all(Array.from({ length: 20 }, sendCallback));
    bench.countUnread('out').should.equal(0);
    should(bench.completed.get('node')).equal(1);
    service.count('GET', STATUS).should.equal(1);
  });

  it('raises NOT_CONFIGURED with the name of the field if the callback URL is invalid', async () => {
    const config = { ...createRemoteService(service.account), callbackUrl: 'nodes.example.com' };
    const flow = createFlow({ type: 'model-processing-import' }, config);
    bench = await FlowBench.start(flow, { credentials: { service: service.account } });
    bench.send({ payload: { fileId: randomUUID() } });
    const { error } = await bench.next('errors');
    error.code.should.equal('NOT_CONFIGURED');
    error.message.should.match(/Invalid Callback URL: expected the http or https URL/);
  });
});
