import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { neverReply, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { withSaturatedListener } from '../../helpers/saturated-listener.js';
import { closeGracefully, dropAfterRequest, reset, resetWhenReused } from '../../helpers/socket-faults.js';
import { HANG_TIMEOUT_MS, registerClientBench } from '../support/client-bench.js';

const START = /operation\/repair$/;
const STATUS = /\/status$/;

describe('Client with connection faults', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  const { reopen, reopenWithToken } = registerClientBench((bench) => ({ service, clock, client } = bench));

  const repair = () => client.start('repair', { inputId: randomUUID() });
  const countDelays = () => clock.sleeps.filter((ms) => ms > 0).length;

  it('retries an unknown host, then fails with CONNECTION_FAILED and the name of the host', async () => {
    const baseUrl = 'http://nowhere.invalid';
    await reopen({ account: { ...service.account, baseUrl }, limits: { maxOutageTries: 3 } });
    const error = await expectClientError(repair());
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.match(/nowhere\.invalid \((ENOTFOUND|EAI_AGAIN)\)/);
    countDelays().should.equal(2);
  });

  it('retries a start if the connection is refused, since nothing was sent', async () => {
    const { port } = service;
    await service.stop();
    const { sleep } = clock;
    await reopen({
      sleep: async (ms, signal) => {
        if (clock.sleeps.length === 2) await service.listen(port);
        return sleep(ms, signal);
      },
    });
    (await repair()).should.have.property('operationId');
    service.operations.size.should.equal(1);
  });

  it('retries after the connect timeout, then fails with TIMEOUT', async () => {
    await withSaturatedListener(async (port) => {
      const baseUrl = `http://127.0.0.1:${port}`;
      const limits = { connectTimeoutMs: 50, maxOutageTries: 3 };
      await reopen({ account: { ...service.account, baseUrl }, limits });
      const error = await expectClientError(repair());
      error.should.have.properties({ code: 'TIMEOUT', isTransient: true });
      error.message.should.containEql('no connection within 0.05 s');
      countDelays().should.equal(2);
    });
  });

  for (const [condition, fault] of [
    ['reset before the request is read', reset],
    ['closed before the request is read', closeGracefully],
    ['closed before the reply is sent', dropAfterRequest],
  ] as const) {
    it(`retries a status request whose connection is ${condition}`, async () => {
      const operationId = service.addOperation('repair');
      service.fault('GET', STATUS, fault);
      (await client.status(operationId)).isCompleted.should.be.true();
      service.count('GET', STATUS).should.equal(2);
    });

    it(`fails with OUTCOME_UNKNOWN if the connection of a start is ${condition}, without a retry`, async () => {
      service.fault('POST', START, fault, 9);
      const error = await expectClientError(repair());
      error.code.should.equal('OUTCOME_UNKNOWN');
      error.message.should.containEql('may have been accepted');
      service.count('POST', START).should.equal(1);
    });
  }

  it('retries a start whose reply is lost if repeatStarts is true', async () => {
    await reopen({ repeatStarts: true });
    service.fault('POST', START, dropAfterRequest);
    service.fault('POST', START, replyWithError(502, 'bad gateway'));
    await repair();
    service.count('POST', START).should.equal(3);
  });

  it('retries a status request on a closed keep-alive connection immediately, without counting an attempt', async () => {
    await reopen({ limits: { maxTries: 1 } });
    const operationId = service.addOperation('repair');
    service.fault('GET', STATUS, resetWhenReused);
    await client.status(operationId);
    (await client.status(operationId)).isCompleted.should.be.true();
    clock.sleeps.should.eql([]);
  });

  it('never uses a keep-alive connection for a start', async () => {
    service.fault('GET', STATUS, resetWhenReused);
    service.fault('POST', START, resetWhenReused, 2);
    await client.status(service.addOperation('repair'));
    await repair();
    await repair();
    service.operations.size.should.equal(3);
    service.count('POST', START).should.equal(2);
  });

  it('retries a start if the connection is closed during the TLS handshake, since nothing was sent', async () => {
    let count = 0;
    const server = net.createServer((socket) => {
      count += 1;
      socket.once('data', () => socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    const account = { ...service.account, baseUrl: `https://127.0.0.1:${port}` };
    await reopen({ account, limits: { maxOutageTries: 3 } });
    const error = await expectClientError(repair());
    error.code.should.equal('CONNECTION_FAILED');
    count.should.equal(3);
    server.close();
  });

  it('retries a status request without a reply, then fails with TIMEOUT', async () => {
    await reopenWithToken({ limits: { replyTimeoutMs: HANG_TIMEOUT_MS, maxTries: 2 } });
    const operationId = service.addOperation('repair');
    service.fault('GET', STATUS, neverReply, 9);
    const error = await expectClientError(client.status(operationId));
    error.should.have.properties({ code: 'TIMEOUT', isTransient: true });
    should(error.statusCode).be.undefined();
    service.count('GET', STATUS).should.equal(2);
  });
});
