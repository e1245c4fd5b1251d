import { randomUUID } from 'node:crypto';
import should from 'should';
import { type Client, createClient } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { neverReply, replyWith } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { nextTurn } from '../../helpers/next-turn.js';
import { registerClientBench } from '../support/client-bench.js';

const STATUS = /\/status$/;

describe('Client', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  registerClientBench((bench) => ({ service, clock, client } = bench));

  const repair = (inputId: string = randomUUID()) => client.start('repair', { inputId });

  it('starts an operation with its parameters as JSON', async () => {
    const inputId = randomUUID();
    const { operationId } = await client.start('import', { fileId: inputId, measurementUnits: 'mm' });
    service.operations.has(operationId).should.be.true();
    const request = service.requests.at(-1);
    request?.path.should.equal('/web-api/operation/import');
    request?.body.should.equal(JSON.stringify({ fileId: inputId, measurementUnits: 'mm' }));
    request?.headers.should.have.properties({
      'content-type': 'application/json',
      authorization: 'Bearer access-token-1',
    });
    should(request?.headers['content-length']).equal(String(request?.bodyBytes));
  });

  it('reads the status and the result of an operation', async () => {
    const operationId = service.addOperation('repair');
    (await client.status(operationId)).should.eql({ operationId, isCompleted: true, isSuccessful: true });
    (await client.result(operationId, 'repair')).should.have.keys('operationId', 'resultId');
  });

  describe('start with onQueueFull', () => {
    const errors = [{ code: 50302, message: 'The queue is full.' }];
    const queueFull = replyWith(503, { errors }, { 'Retry-After': '7' });
    const START = /operation\/repair$/;

    it('calls it with the delay before each attempt after a full queue', async () => {
      const delays: number[] = [];
      service.fault('POST', START, queueFull, 2);
      const onQueueFull = async (delayMs: number) => {
        delays.push(delayMs);
      };
      await client.start('repair', { inputId: randomUUID() }, { onQueueFull });
      delays.should.deepEqual([7_000, 7_000]);
    });

    it('ends with its error, and makes no other attempt', async () => {
      service.fault('POST', START, queueFull, 9);
      const reason = new Error('cancelled');
      const start = client.start('repair', { inputId: randomUUID() }, { onQueueFull: () => Promise.reject(reason) });
      await start.should.be.rejectedWith(reason);
      service.count('POST', START).should.equal(1);
    });
  });

  it('keeps the priority low of a status, and no other', async () => {
    const operationId = service.addOperation('repair');
    const status = { operationId, isCompleted: true, isSuccessful: true };
    for (const [priority, expected] of [
      ['low', { ...status, priority: 'low' }],
      ['high', status],
      [1, status],
    ] as const) {
      service.fault('GET', STATUS, replyWith(200, { ...status, priority }));
      (await client.status(operationId)).should.deepEqual(expected);
    }
  });

  it('supports a base URL with a path and a trailing slash', async () => {
    const other = createClient({
      account: { ...service.account, baseUrl: `${service.account.baseUrl}/deep/` },
      ...clock,
    });
    await expectClientError(other.status(randomUUID()));
    service.requests[0]?.path.should.equal('/deep/Token');
    await other.close();
  });

  it('rejects with ABORTED on the signal of the call', async () => {
    const stop = new AbortController();
    service.fault('GET', STATUS, () => stop.abort());
    (await expectClientError(client.status(randomUUID(), { signal: stop.signal }))).code.should.equal('ABORTED');
    (await expectClientError(client.status(randomUUID(), { signal: stop.signal }))).code.should.equal('ABORTED');
    service.count('GET', STATUS).should.equal(1);
  });

  it('rejects with ABORTED when it is closed, and leaves no connection', async () => {
    service.fault('GET', STATUS, neverReply, 99);
    // More calls than connections, so that some calls wait for one.
    const calls = Array.from({ length: 12 }, () => expectClientError(client.status(randomUUID())));
    while (service.count('GET', STATUS) < 8) await nextTurn();
    service.sockets.size.should.be.belowOrEqual(9);
    await client.close();
    for (const error of await Promise.all(calls)) error.code.should.equal('ABORTED');
    while (service.sockets.size > 0) await nextTurn();
    (await expectClientError(repair())).code.should.equal('ABORTED');
  });
});
