import { randomUUID } from 'node:crypto';
import 'should';
import type { Client, ErrorCode } from '../../../src/client/index.js';
import { collectText, expectClientError } from '../../helpers/expect-client-error.js';
import { dropConnection, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { registerClientBench } from '../support/client-bench.js';

const START = /operation\/repair$/;

describe('Client', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  registerClientBench((bench) => ({ service, clock, client } = bench));

  const repair = (inputId: string = randomUUID()) => client.start('repair', { inputId });

  describe('reports the code, the status and the message of an error reply', () => {
    const cases: [status: number, code: ErrorCode][] = [
      [400, 'REFUSED'],
      [403, 'REFUSED'],
      [404, 'NOT_FOUND'],
      [409, 'REFUSED'],
      [410, 'NOT_FOUND'],
      [413, 'REFUSED'],
      [415, 'REFUSED'],
      [422, 'REFUSED'],
      [507, 'DISK_FULL'],
    ];
    for (const [status, code] of cases) {
      it(`${status}: ${code}, without a retry`, async () => {
        service.fault('POST', START, replyWithError(status, 'Because of\r\nthis.'));
        const inputId = randomUUID();
        const error = await expectClientError(repair(inputId));
        error.should.have.properties({ code, statusCode: status });
        error.message.should.equal(
          `Could not start repair of ${inputId}: the service returned ${status}: Because of this.`,
        );
        service.count('POST', START).should.equal(1);
      });
    }

    it('with at most 500 characters of the message', async () => {
      service.fault('POST', START, replyWithError(400, 'x'.repeat(100_000)));
      (await expectClientError(repair())).message.length.should.be.below(600);
    });

    it('without a message if the body is an HTML page', async () => {
      service.fault('POST', START, replyWith(400, '<html>secret place</html>'));
      (await expectClientError(repair())).message.should.not.containEql('html');
    });
  });

  describe('on 401', () => {
    it('renews the token once and repeats the call once', async () => {
      await repair();
      service.revokeTokens();
      await Promise.all([repair(), repair(), repair()]);
      service.operations.size.should.equal(4);
      service.count('POST', /Token/).should.equal(2);
    });

    it('waits a second and repeats the call once more with a new token, which the service may not know yet', async () => {
      service.fault('POST', START, replyWithError(401, 'no'), 2);
      await repair();
      clock.sleeps.should.containEql(1000);
      service.count('POST', START).should.equal(3);
    });

    it('rejects with BAD_CREDENTIALS after the third 401', async () => {
      service.fault('POST', START, replyWithError(401, 'no'), 99);
      (await expectClientError(repair())).should.have.properties({ code: 'BAD_CREDENTIALS', statusCode: 401 });
      service.count('POST', START).should.equal(3);
    });
  });

  it('redacts secrets in all errors, even if the service quotes the request', async () => {
    const { password, clientSecret } = service.account;
    await repair();
    const secretText = `${password} ${clientSecret} Bearer access-token-1`;
    const faults = [
      replyWithError(400, secretText),
      replyWithError(500, secretText),
      dropConnection,
      replyWith(200, secretText),
      replyWith(302, '', { Location: 'http://x/' }),
    ];
    for (const fault of faults) {
      service.fault('POST', START, fault);
      const text = collectText(await expectClientError(repair()));
      for (const secret of [password, clientSecret, 'access-token-1', 'Basic ']) text.should.not.containEql(secret);
    }
  });
});
