import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import should from 'should';
import { type Client, type ClientOptions, createClient } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { FakeService, neverReply, refusal } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';
import { withSaturatedListener } from '../../helpers/saturated-listener.js';
import { closeGracefully, cutAfterRequest, cutWhenReused, reset } from '../../helpers/socket-faults.js';

const START = /operation\/repair$/;
const STATUS = /\/status$/;

describe('faults of connections', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;

  beforeEach(async () => {
    service = await FakeService.start();
    clock = new InstantClock();
    client = createClient({ account: service.account, ...clock });
  });
  afterEach(async () => {
    await client.close();
    await service.stop();
  });

  const reopen = async (options: Partial<ClientOptions>) => {
    await client.close();
    client = createClient({ account: service.account, ...clock, ...options });
  };
  const repair = () => client.start('repair', { inputId: randomUUID() });
  const pauses = () => clock.sleeps.filter((ms) => ms > 0).length;

  it('a host that nobody knows: repeated, then an error with its name', async () => {
    const baseUrl = 'http://nowhere.invalid';
    await reopen({ account: { ...service.account, baseUrl }, limits: { maxOutageTries: 3 } });
    const error = await expectClientError(repair());
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.match(/nowhere\.invalid \((ENOTFOUND|EAI_AGAIN)\)/);
    pauses().should.equal(2);
  });

  it('nothing listens: even a start is repeated, since nothing was sent', async () => {
    const { port } = service;
    await service.stop();
    const slept = clock.sleep;
    await reopen({
      sleep: async (ms, signal) => {
        if (clock.sleeps.length === 2) await service.listen(port);
        return slept(ms, signal);
      },
    });
    (await repair()).should.have.property('operationId');
    service.operations.size.should.equal(1);
  });

  it('a host that does not answer a connection: given up in time, and repeated', async () => {
    await withSaturatedListener(async (port) => {
      const baseUrl = `http://127.0.0.1:${port}`;
      const limits = { connectTimeoutMs: 50, maxOutageTries: 3 };
      await reopen({ account: { ...service.account, baseUrl }, limits });
      const error = await expectClientError(repair());
      error.should.have.properties({ code: 'TIMEOUT', isTransient: true });
      error.message.should.containEql('no connection within 0.05 s');
      pauses().should.equal(2);
    });
  });

  for (const [what, fault] of [
    ['reset before the request is read', reset],
    ['ended before the request is read', closeGracefully],
    ['cut after the request was read: the reply is lost', cutAfterRequest],
  ] as const) {
    it(`a connection is ${what}: reading is repeated`, async () => {
      const operationId = service.addOperation('repair');
      service.fault('GET', STATUS, fault);
      (await client.status(operationId)).isCompleted.should.be.true();
      service.count('GET', STATUS).should.equal(2);
    });

    it(`a connection is ${what}: a start is not repeated, and says that an operation may run`, async () => {
      service.fault('POST', START, fault, 9);
      const error = await expectClientError(repair());
      error.code.should.equal('OUTCOME_UNKNOWN');
      error.message.should.containEql('may have been accepted');
      service.count('POST', START).should.equal(1);
    });
  }

  it('the reply to a start is lost: it is repeated where the program says that it may be', async () => {
    await reopen({ repeatStarts: true });
    service.fault('POST', START, cutAfterRequest);
    service.fault('POST', START, refusal(502, 'bad gateway'));
    await repair();
    service.count('POST', START).should.equal(3);
  });

  it('a kept connection is dead when it is used again: reading is repeated at once, and that counts for no try', async () => {
    await reopen({ limits: { maxTries: 1 } });
    const operationId = service.addOperation('repair');
    service.fault('GET', STATUS, cutWhenReused);
    await client.status(operationId);
    (await client.status(operationId)).isCompleted.should.be.true();
    clock.sleeps.should.eql([]);
  });

  it('a kept connection is dead when it is used again: a start never is on one', async () => {
    service.fault('GET', STATUS, cutWhenReused);
    service.fault('POST', START, cutWhenReused, 2);
    await client.status(service.addOperation('repair'));
    await repair();
    await repair();
    service.operations.size.should.equal(3);
    service.count('POST', START).should.equal(2);
  });

  it('the greeting of TLS is cut: repeated, since nothing was sent', async () => {
    let count = 0;
    const rude = net.createServer((socket) => {
      count += 1;
      socket.once('data', () => socket.destroy());
    });
    rude.listen(0, '127.0.0.1');
    await once(rude, 'listening');
    const { port } = rude.address() as net.AddressInfo;
    const account = { ...service.account, baseUrl: `https://127.0.0.1:${port}` };
    await reopen({ account, limits: { maxOutageTries: 3 } });
    const error = await expectClientError(repair());
    error.code.should.equal('CONNECTION_FAILED');
    count.should.equal(3);
    rude.close();
  });

  it('the service answers nothing at all: a time-out, and reading is repeated', async () => {
    await reopen({ limits: { replyTimeoutMs: 50, maxTries: 2 } });
    const operationId = service.addOperation('repair');
    service.fault('GET', STATUS, neverReply, 9);
    const error = await expectClientError(client.status(operationId));
    error.should.have.properties({ code: 'TIMEOUT', isTransient: true });
    should(error.statusCode).be.undefined();
    service.count('GET', STATUS).should.equal(2);
  });
});
