import { randomUUID } from 'node:crypto';
import 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { replyWith, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { registerClientBench } from '../support/client-bench.js';

const STATUS = /\/status$/;
const RESULT = /\/result$/;

describe('Client with operation faults', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  registerClientBench((bench) => ({ service, clock, client } = bench));

  it('tolerates any number of 404s in the first ten seconds of a wait', async () => {
    const operationId = service.addOperation('repair');
    const start = clock.time;
    let unknownCount = 0;
    const unknown = replyWithError(404, 'unknown');
    service.fault(
      'GET',
      STATUS,
      (request, reply) => {
        if (clock.time - start >= 9_000) return false;
        unknownCount += 1;
        return unknown(request, reply);
      },
      1e9,
    );
    (await client.wait(operationId, 'repair')).status.isCompleted.should.be.true();
    unknownCount.should.be.above(5);
  });

  for (const status of [404, 410]) {
    it(`fails with NOT_FOUND at the third consecutive ${status} after ten seconds`, async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
      let refusedCount = 0;
      const start = clock.time;
      service.fault(
        'GET',
        STATUS,
        (request, reply) => {
          if (clock.time - start < 20_000) return false;
          refusedCount += 1;
          // The third poll succeeds, which resets the count.
          return refusedCount === 3 ? false : replyWithError(status, 'gone')(request, reply);
        },
        1e9,
      );
      const error = await expectClientError(client.wait(operationId, 'repair'));
      error.should.have.properties({ code: 'NOT_FOUND', statusCode: status });
      refusedCount.should.equal(6);
    });
  }

  for (const status of [404, 409]) {
    it(`tolerates a ${status} of the result for ten seconds after the completion`, async () => {
      const operationId = service.addOperation('repair');
      service.fault('GET', RESULT, replyWithError(status, 'not yet'), 8);
      (await client.wait(operationId, 'repair')).result.should.have.property('resultId');
      const start = clock.time;
      service.fault('GET', RESULT, replyWithError(status, 'never'), 1e9);
      (await expectClientError(client.wait(operationId, 'repair'))).statusCode?.should.equal(status);
      (clock.time - start).should.be.within(10_000, 13_000);
    });
  }

  it('fails with OPERATION_FAILED, the id and the reason if the operation failed, and requests no result', async () => {
    const error = { code: 42200, message: 'There is no triangle in the model.' };
    const operationId = service.addOperation('repair', { isSuccessful: false, error });
    const failure = await expectClientError(client.wait(operationId, 'repair'));
    failure.should.have.properties({
      code: 'OPERATION_FAILED',
      message: `The repair ${operationId} failed: ${error.message}`,
    });
    service.count('GET', RESULT).should.equal(0);
  });

  it('fails with WAIT_TIMEOUT and the id at the deadline, and can wait for the operation again', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    const failure = await expectClientError(client.wait(operationId, 'repair', { timeoutMs: 60_000 }));
    failure.code.should.equal('WAIT_TIMEOUT');
    failure.message.should.containEql(operationId);
    const operation = service.operations.get(operationId);
    if (operation) operation.pollsLeft = 1;
    (await client.wait(operationId, 'repair')).status.isCompleted.should.be.true();
  });

  it('does not poll again after the operation has completed', async () => {
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    service.fault('GET', STATUS, replyWith(200, { operationId, isCompleted: true, isSuccessful: true }));
    service.fault('GET', RESULT, replyWith(200, { operationId, resultId: randomUUID() }));
    const seen: boolean[] = [];
    await client.wait(operationId, 'repair', { onStatus: ({ isCompleted }) => seen.push(isCompleted) });
    seen.should.deepEqual([true]);
    service.count('GET', STATUS).should.equal(1);
  });

  it('ignores the status of another operation and polls again', async () => {
    const operationId = service.addOperation('repair');
    service.fault(
      'GET',
      STATUS,
      replyWith(200, { operationId: randomUUID(), isCompleted: true, isSuccessful: true }),
      5,
    );
    (await client.wait(operationId, 'repair')).status.operationId.should.equal(operationId);
    service.count('GET', STATUS).should.equal(6);
  });
});
