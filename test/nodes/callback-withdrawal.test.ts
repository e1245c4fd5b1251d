import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import 'should';
import { FakeService } from '../helpers/fake-service.js';
import { createFlow, createRemoteService, FlowBench, type FlowItem } from './support/flow-bench.js';

const IMPORT = { type: 'model-processing-import', send: 'finished' };

describe('a callback URL that is no longer used', () => {
  let service: FakeService;
  let bench: FlowBench;
  let server: http.Server;
  let config: FlowItem;

  /** Posts the callback of the last start. Returns the status of the reply. */
  const sendCallback = async (): Promise<number> => {
    const start = service.requests.findLast(({ method, path }) => method === 'POST' && /import$/.test(path));
    return (await fetch(JSON.parse(start?.body ?? '{}').callbackUrl, { method: 'POST' })).status;
  };
  /** Starts an operation that a message waits for. */
  const startOperation = async () => {
    bench.send({ payload: { fileId: randomUUID() } });
    await bench.until(() => bench.status()?.shape === 'ring');
  };

  beforeEach(async () => {
    service = await FakeService.start();
    service.pollsNeeded = 1e9;
    server = http.createServer((request, reply) => bench.httpNode(request, reply)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a server that listens on a port has an AddressInfo
    config = { ...createRemoteService(service.account), callbackUrl: `http://127.0.0.1:${port}` };
    bench = await FlowBench.start(createFlow(IMPORT, config), { credentials: { service: service.account } });
    await startOperation();
  });
  afterEach(async () => {
    await bench.close();
    server.closeAllConnections();
    server.close();
    await service.stop();
  });

  it('stays valid after a redeploy of the same flow', async () => {
    await bench.deploy(createFlow(IMPORT, config));
    (await sendCallback()).should.equal(204);
  });

  it('gets the reply 410 after its node was deleted', async () => {
    await bench.deploy(createFlow(IMPORT, config).filter(({ id }) => id !== 'node'));
    (await sendCallback()).should.equal(410);
  });

  it('gets the reply 410 after its flow was deleted', async () => {
    await bench.deploy([{ id: 'tab', type: 'tab', label: 'empty' }]);
    (await sendCallback()).should.equal(410);
  });

  it('gets the reply 410 after the setting was cleared', async () => {
    await bench.deploy(createFlow(IMPORT, { ...config, callbackUrl: '' }));
    (await sendCallback()).should.equal(410);
  });

  it('gets the reply 410 after msg.reset', async () => {
    bench.send({ reset: true });
    (await sendCallback()).should.equal(410);
  });

  it('gets the reply 410 after the wait has timed out', async () => {
    await bench.deploy(createFlow(IMPORT, { ...config, timeout: 1 }));
    await startOperation();
    (await bench.next('errors')).error.code.should.equal('WAIT_TIMEOUT');
    (await sendCallback()).should.equal(410);
  });
});
