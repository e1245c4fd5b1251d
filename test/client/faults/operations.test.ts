import { randomUUID } from 'node:crypto';
import 'should';
import { type Client, createClient } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { answer, FakeService, refusal } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';

const STATUS = /\/status$/;
const RESULT = /\/result$/;

describe('faults of operations', () => {
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

  it('unknown at first: borne for ten seconds after the wait began, however often', async () => {
    const operationId = service.addOperation('repair');
    const begin = clock.time;
    let unknownCount = 0;
    const unknown = refusal(404, 'unknown');
    service.fault(
      'GET',
      STATUS,
      (request, reply) => {
        if (clock.time - begin >= 9_000) return false;
        unknownCount += 1;
        return unknown(request, reply);
      },
      1e9,
    );
    (await client.wait(operationId, 'repair')).status.isCompleted.should.be.true();
    unknownCount.should.be.above(5);
  });

  for (const [status, what] of [
    [404, 'unknown'],
    [410, 'expired'],
  ] as const) {
    it(`${what} later (${status}): an error at the third look in a row`, async () => {
      const operationId = service.addOperation('repair', { looksLeft: 1e9 });
      let goneCount = 0;
      const begin = clock.time;
      service.fault(
        'GET',
        STATUS,
        (request, reply) => {
          if (clock.time - begin < 20_000) return false;
          goneCount += 1;
          // Two of them, and then one that goes well: that begins the count anew.
          return goneCount === 3 ? false : refusal(status, 'gone')(request, reply);
        },
        1e9,
      );
      const error = await expectClientError(client.wait(operationId, 'repair'));
      error.should.have.properties({ code: 'NOT_FOUND', statusCode: status });
      goneCount.should.equal(6);
    });
  }

  for (const status of [404, 409]) {
    it(`the result is not there at first (${status}): borne for ten seconds after the completion`, async () => {
      const operationId = service.addOperation('repair');
      service.fault('GET', RESULT, refusal(status, 'not yet'), 8);
      (await client.wait(operationId, 'repair')).result.should.have.property('resultId');
      const begin = clock.time;
      service.fault('GET', RESULT, refusal(status, 'never'), 1e9);
      (await expectClientError(client.wait(operationId, 'repair'))).statusCode?.should.equal(status);
      (clock.time - begin).should.be.within(10_000, 13_000);
    });
  }

  it('it fails: an error with its id and the reason, and no look at a result', async () => {
    const error = { code: 42200, message: 'There is no triangle in the model.' };
    const operationId = service.addOperation('repair', { isSuccessful: false, error });
    const failure = await expectClientError(client.wait(operationId, 'repair'));
    failure.should.have.properties({
      code: 'OPERATION_FAILED',
      message: `The repair ${operationId} failed: ${error.message}`,
    });
    service.count('GET', RESULT).should.equal(0);
  });

  it('it never completes: an error with its id at the deadline, and it can be waited for again', async () => {
    const operationId = service.addOperation('repair', { looksLeft: 1e9 });
    const failure = await expectClientError(client.wait(operationId, 'repair', { timeoutMs: 60_000 }));
    failure.code.should.equal('WAIT_TIMEOUT');
    failure.message.should.containEql(operationId);
    const operation = service.operations.get(operationId);
    if (operation) operation.looksLeft = 1;
    (await client.wait(operationId, 'repair')).status.isCompleted.should.be.true();
  });

  it('it is completed, and then not any more: the first word counts', async () => {
    const operationId = service.addOperation('repair', { looksLeft: 1e9 });
    service.fault('GET', STATUS, answer(200, { operationId, isCompleted: true, isSuccessful: true }));
    service.fault('GET', RESULT, answer(200, { operationId, resultId: randomUUID() }));
    const seen: boolean[] = [];
    await client.wait(operationId, 'repair', { onStatus: ({ isCompleted }) => seen.push(isCompleted) });
    seen.should.deepEqual([true]);
    service.count('GET', STATUS).should.equal(1);
  });

  it('its status is that of another one: not taken, and looked at again', async () => {
    const operationId = service.addOperation('repair');
    service.fault('GET', STATUS, answer(200, { operationId: randomUUID(), isCompleted: true, isSuccessful: true }), 5);
    (await client.wait(operationId, 'repair')).status.operationId.should.equal(operationId);
    service.count('GET', STATUS).should.equal(6);
  });
});
