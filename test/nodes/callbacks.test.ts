import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import 'should';
import should from 'should';
import { FakeService } from '../helpers/fake-service.js';
import { FlowBench, flowOf, remoteService } from './support/flow-bench.js';

const STATUS = /status$/;

describe('a service node with an address for callbacks', () => {
  let service: FakeService;
  let bench: FlowBench;
  let server: http.Server;

  const start = async (node: { type: string; [setting: string]: unknown }) => {
    const { port } = server.address() as AddressInfo;
    const config = { ...remoteService(service.account), callbackUrl: `http://127.0.0.1:${port}` };
    bench = await FlowBench.start(flowOf(node, config), { credentials: { service: service.account } });
  };
  /** Where the service was told to send its callback for the last operation. */
  const callbackUrl = (): string => {
    const started = service.requests.filter(({ method, path }) => method === 'POST' && /import$/.test(path));
    return JSON.parse(started.at(-1)?.body ?? '{}').callbackUrl;
  };
  const callBack = async () => {
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

  it('has a message go on by its callback, with a single look', async () => {
    await start({ type: 'model-processing-import', send: 'finished' });
    bench.send({ payload: { fileId: randomUUID() } });
    await bench.until(() => service.operations.size === 1 && service.count('POST', /import$/) === 1);
    complete();
    await callBack();
    (await bench.next()).payload.isCompleted.should.be.true();
    service.count('GET', STATUS).should.equal(1);
  });

  it('does so for a wait node that comes later, and keeps the address out of the message', async () => {
    await start({ type: 'model-processing-import' });
    bench.send({ payload: { fileId: randomUUID() } });
    const msg = await bench.next();
    JSON.stringify(msg).should.not.containEql('callback');
    complete();
    await callBack();
    await bench.deploy(
      flowOf(
        { type: 'model-processing-wait' },
        {
          ...remoteService(service.account),
          callbackUrl: new URL(callbackUrl()).origin,
        },
      ),
    );
    bench.send(msg);
    (await bench.next()).payload.isCompleted.should.be.true();
    service.count('GET', STATUS).should.equal(1);
  });

  it('hears a callback that comes before the start was answered', async () => {
    await start({ type: 'model-processing-import', send: 'finished' });
    service.pollsNeeded = 1;
    const early = async (request: http.IncomingMessage): Promise<false> => {
      let body = '';
      for await (const chunk of request) body += chunk;
      await fetch(JSON.parse(body).callbackUrl, { method: 'PUT' });
      return false;
    };
    service.fault('POST', /import$/, early);
    bench.send({ payload: { fileId: randomUUID() } });
    (await bench.next()).payload.isCompleted.should.be.true();
    service.count('GET', STATUS).should.equal(1);
  });

  it('sends a message once, however many callbacks come', async () => {
    await start({ type: 'model-processing-import', send: 'finished' });
    bench.send({ payload: { fileId: randomUUID() } });
    await bench.until(() => service.count('POST', /import$/) === 1 && service.operations.size === 1);
    complete();
    await Promise.all(Array.from({ length: 20 }, callBack));
    await bench.next();
    await Promise.all(Array.from({ length: 20 }, callBack));
    bench.left('out').should.equal(0);
    should(bench.completed.get('node')).equal(1);
    service.count('GET', STATUS).should.equal(1);
  });

  it('is not configured where that is no address, and says which field it is', async () => {
    const config = { ...remoteService(service.account), callbackUrl: 'nodes.example.com' };
    const flow = flowOf({ type: 'model-processing-import' }, config);
    bench = await FlowBench.start(flow, { credentials: { service: service.account } });
    bench.send({ payload: { fileId: randomUUID() } });
    const { error } = await bench.next('errors');
    error.code.should.equal('NOT_CONFIGURED');
    error.message.should.match(/Invalid Callback URL: expected the http or https URL/);
  });
});
