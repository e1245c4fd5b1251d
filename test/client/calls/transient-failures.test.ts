import { randomUUID } from 'node:crypto';
import should from 'should';
import type { Client, ErrorCode } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { dropConnection, type Fault, neverReply, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { HANG_TIMEOUT_MS, registerClientBench } from '../support/client-bench.js';

const START = /operation\/repair$/;
const STATUS = /\/status$/;

describe('Client', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  const { reopenWithToken } = registerClientBench((bench) => ({ service, clock, client } = bench));

  const repair = (inputId: string = randomUUID()) => client.start('repair', { inputId });

  describe('after a transient failure', () => {
    const faults: [name: string, fault: Fault, code: ErrorCode][] = [
      ['a dropped connection', dropConnection, 'CONNECTION_FAILED'],
      ['408', replyWithError(408, 'slow'), 'TIMEOUT'],
      ['429', replyWithError(429, 'busy'), 'RATE_LIMITED'],
      ['500', replyWithError(500, 'oops'), 'REFUSED'],
      ['502', replyWith(502, 'bad gateway'), 'REFUSED'],
      ['503', replyWithError(503, 'later'), 'REFUSED'],
      ['504', replyWithError(504, 'late'), 'REFUSED'],
      ['an HTML page instead of JSON', replyWith(200, '<html>'), 'BAD_REPLY'],
      ['an empty reply', replyWith(200, ''), 'BAD_REPLY'],
      ['invalid JSON', replyWith(200, '{"operationId":NaN}'), 'BAD_REPLY'],
      ['JSON that is not an object', replyWith(200, []), 'BAD_REPLY'],
      [
        'a status with a string instead of a boolean',
        (request, reply) =>
          replyWith(200, { operationId: request.url?.split('/')[3], isCompleted: 'false', isSuccessful: false })(
            request,
            reply,
          ),
        'BAD_REPLY',
      ],
      [
        'a status of another operation',
        replyWith(200, { operationId: randomUUID(), isCompleted: true, isSuccessful: true }),
        'BAD_REPLY',
      ],
      [
        'malformed HTTP',
        (_request, reply) => {
          reply.socket?.end('HTTP/1.1 two hundred\r\n\r\n');
        },
        'BAD_REPLY',
      ],
    ];
    // A possible outage is retried more often than an invalid reply or an internal error.
    const outages = ['a dropped connection', '429', '502', '503', '504'];
    for (const [name, fault, code] of faults) {
      const attemptCount = outages.includes(name) ? 10 : 4;
      it(`retries a read: ${name}`, async () => {
        const operationId = service.addOperation('repair');
        service.fault('GET', STATUS, fault);
        (await client.status(operationId)).isCompleted.should.be.true();
        service.count('GET', STATUS).should.equal(2);
      });

      it(`rejects a read with ${code} after ${attemptCount} attempts: ${name}`, async () => {
        const operationId = service.addOperation('repair');
        service.fault('GET', STATUS, fault, 99);
        const error = await expectClientError(client.status(operationId));
        error.code.should.equal(code);
        error.message.should.startWith(`Could not read the status of operation ${operationId}: `);
        service.count('GET', STATUS).should.equal(attemptCount);
      });
    }

    it('retries a start that the service has not processed (429, 503)', async () => {
      service.fault('POST', START, replyWithError(429, 'busy'));
      service.fault('POST', START, replyWithError(503, 'later'));
      await repair();
      service.operations.size.should.equal(1);
    });

    for (const [name, fault, status] of [
      ['a dropped connection', dropConnection, undefined],
      ['500', replyWithError(500, 'oops'), 500],
      ['504', replyWithError(504, 'late'), 504],
      ['a timeout', neverReply, undefined],
    ] as const) {
      it(`rejects a start with OUTCOME_UNKNOWN, without a retry: ${name}`, async () => {
        if (fault === neverReply) await reopenWithToken({ limits: { replyTimeoutMs: HANG_TIMEOUT_MS } });
        service.fault('POST', START, fault, 99);
        const error = await expectClientError(repair());
        error.code.should.equal('OUTCOME_UNKNOWN');
        should(error.statusCode).equal(status);
        service.count('POST', START).should.equal(1);
      });
    }

    it('delays all calls by the Retry-After of the service', async () => {
      const operationId = service.addOperation('repair');
      service.fault('GET', STATUS, replyWithError(429, 'busy', { 'Retry-After': '120' }), 10);
      await expectClientError(client.status(operationId));
      clock.sleeps.filter((ms) => ms >= 119_000).length.should.equal(9);
      await repair();
      clock.sleeps.filter((ms) => ms >= 119_000).length.should.equal(10);
    });
  });
});
