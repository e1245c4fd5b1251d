import { randomUUID } from 'node:crypto';
import 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { dropConnection, neverReply, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { nextTurn } from '../../helpers/next-turn.js';
import { registerClientBench } from '../support/client-bench.js';

const STATUS = /\/status$/;
const RESULT = /\/result$/;

describe('Client.wait', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  registerClientBench((bench) => ({ service, clock, client } = bench));

  it('rejects with WAIT_TIMEOUT at its deadline, naming the operation and the timeout', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    const error = await expectClientError(client.wait(operationId, 'repair', { timeoutMs: 30_000 }));
    error.code.should.equal('WAIT_TIMEOUT');
    error.message.should.containEql(operationId);
    error.message.should.containEql('30 s');
    (clock.time - 1000).should.be.within(30_000, 31_000);
  });

  it('rejects with WAIT_TIMEOUT at its deadline if the service never replies', async () => {
    service.fault('GET', STATUS, neverReply, 99);
    const error = await expectClientError(client.wait(service.addOperation('repair'), 'repair', { timeoutMs: 300 }));
    error.code.should.equal('WAIT_TIMEOUT');
    error.message.should.containEql('no status was received');
  });

  it('rejects with WAIT_TIMEOUT at its deadline if the service never replies to the request for the result', async () => {
    service.fault('GET', /\/result/, neverReply, 99);
    const error = await expectClientError(client.wait(service.addOperation('repair'), 'repair', { timeoutMs: 300 }));
    error.code.should.equal('WAIT_TIMEOUT');
    error.message.should.containEql(
      'its result was not received within 0.3 s; it was requested, and the service did not reply.',
    );
  });

  it('has a default timeout of one hour', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    (await expectClientError(client.wait(operationId, 'repair'))).code.should.equal('WAIT_TIMEOUT');
    (clock.time - 1000).should.be.within(3_600_000, 3_601_000);
  });

  it('polls again after transient failures until its deadline', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 1 });
    for (const fault of [
      dropConnection,
      replyWithError(500, 'oops'),
      replyWithError(429, 'busy'),
      replyWith(200, '<html>'),
      replyWithError(503, 'later'),
    ]) {
      service.fault('GET', STATUS, fault, 3);
    }
    (await client.wait(operationId, 'repair')).status.isCompleted.should.be.true();
    service.count('GET', STATUS).should.equal(16);
  });

  it('polls again after the service was stopped and restarted', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 3 });
    let statusCount = 0;
    const { port } = service;
    const waiting = client.wait(operationId, 'repair', { onStatus: () => (statusCount += 1) });
    while (statusCount === 0) await nextTurn();
    await service.stop();
    await service.listen(port);
    (await waiting).status.isCompleted.should.be.true();
  });

  it('ignores the status of another operation', async () => {
    const operationId = service.addOperation('repair');
    service.fault(
      'GET',
      STATUS,
      replyWith(200, { operationId: randomUUID(), isCompleted: true, isSuccessful: true }),
      3,
    );
    (await client.wait(operationId, 'repair')).status.operationId.should.equal(operationId);
  });

  it('polls an unknown operation for ten seconds, because services may be eventually consistent', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 2 });
    service.fault('GET', STATUS, replyWithError(404, 'unknown'), 8);
    (await client.wait(operationId, 'repair')).status.isCompleted.should.be.true();
  });

  it('rejects with NOT_FOUND if the operation is still unknown after ten seconds', async () => {
    const error = await expectClientError(client.wait(randomUUID(), 'repair'));
    error.should.have.properties({ code: 'NOT_FOUND', statusCode: 404 });
    (clock.time - 1000).should.be.within(10_000, 13_000);
  });

  it('rejects with REFUSED if the service rejects the request itself for ten seconds', async () => {
    service.fault('GET', STATUS, replyWithError(400, 'invalid'), 99);
    (await expectClientError(client.wait(randomUUID(), 'repair'))).code.should.equal('REFUSED');
    (clock.time - 1000).should.be.within(10_000, 13_000);
  });

  it('polls the missing result of a completed operation for ten seconds, then rejects with NOT_FOUND', async () => {
    const operationId = service.addOperation('repair');
    service.fault('GET', RESULT, replyWithError(404, 'not yet'), 4);
    service.fault('GET', RESULT, replyWithError(409, 'not yet'), 4);
    (await client.wait(operationId, 'repair')).result.should.have.property('resultId');
    service.fault('GET', RESULT, replyWithError(404, 'never'), 999);
    (await expectClientError(client.wait(operationId, 'repair'))).code.should.equal('NOT_FOUND');
  });

  it('sends no request before the Retry-After of the service has passed', async () => {
    const operationId = service.addOperation('repair');
    service.fault('GET', STATUS, replyWithError(429, 'busy', { 'Retry-After': '60' }));
    const before = clock.time;
    await client.wait(operationId, 'repair');
    (clock.time - before).should.be.above(60_000);
    service.count('GET', STATUS).should.equal(2);
  });
});
