import should from 'should';
import { type Client, createClient, createTokenSource } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { replyWith } from '../../helpers/fake-replies.js';
import { FakeService } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';
import { dropAfterRequest } from '../../helpers/socket-faults.js';

const TOKEN = /^\/token$/i;

describe('Client with account faults', () => {
  let service: FakeService;
  let clock: InstantClock;

  beforeEach(async () => {
    service = await FakeService.start();
    clock = new InstantClock();
  });
  afterEach(() => service.stop());

  const grants = () =>
    service.requests
      .filter(({ path }) => TOKEN.test(path))
      .map(({ body }) => new URLSearchParams(body).get('grant_type'));

  it('uses the password, and not the refresh token again, if the reply to a refresh is lost', async () => {
    const tokens = createTokenSource(service.account, clock);
    await tokens.token();
    clock.time += 900_000;
    let refreshed = '';
    service.fault('POST', TOKEN, async (request, reply) => {
      for await (const chunk of request) refreshed += chunk;
      return dropAfterRequest(request, reply);
    });
    (await tokens.token()).should.equal('access-token-2');
    refreshed.should.containEql('grant_type=refresh_token&refresh_token=refresh-token-1');
    grants().at(-1)?.should.equal('password');
    service.tokens.spentRefreshTokens.should.eql([]);
    tokens.close();
  });

  for (const [description, fault] of [
    ['a web page', replyWith(200, '<html>')],
    ['410', replyWith(410, '')],
    ['500', replyWith(500, {})],
  ] as const) {
    it(`uses the password if the token endpoint replies to a refresh with ${description}`, async () => {
      const tokens = createTokenSource(service.account, clock);
      await tokens.token();
      clock.time += 900_000;
      service.fault('POST', TOKEN, fault);
      (await tokens.token()).should.equal('access-token-2');
      tokens.close();
    });
  }

  it('ignores changes of the system clock', async () => {
    const tokens = createTokenSource(service.account, clock);
    const { now } = Date;
    try {
      await tokens.token();
      for (const days of [1, -1, 365]) {
        Date.now = () => now() + days * 86_400_000;
        (await tokens.token()).should.equal('access-token-1');
      }
      clock.time += 900_000;
      (await tokens.token()).should.equal('access-token-2');
    } finally {
      Date.now = now;
      tokens.close();
    }
  });

  it('alternates with another client if the service allows one session per account, and warns', async () => {
    // Each new token revokes the previous ones.
    service.fault(
      'POST',
      TOKEN,
      () => {
        service.revokeTokens();
        return false;
      },
      1e9,
    );
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const clients: Client[] = [1, 2].map(() => createClient({ account: service.account, onWarning, ...clock }));
    const start = clock.time;
    for (let turn = 0; turn < 8; turn += 1) {
      for (const client of clients) {
        const operationId = service.addOperation('repair', { pollsLeft: 0 });
        (await client.status(operationId)).isCompleted.should.be.true();
      }
    }
    service.count('POST', TOKEN).should.equal(16);
    // Each client renewed its token seven times, with a minimum interval of one second.
    (clock.time - start).should.be.aboveOrEqual(7_000);
    warnings.length.should.equal(2);
    should(warnings[0]).match(/Another client may be using the same account/);
    warnings.join().should.not.match(/maker@|access-token|pass word/);
    for (const client of clients) await client.close();
  });

  it('sends a wrong password once per window for 100 concurrent calls', async () => {
    service.account.password = 'another';
    const client = createClient({ account: { ...service.account, password: 'wrong word' }, ...clock });
    const errors = await Promise.all(
      Array.from({ length: 100 }, () => expectClientError(client.status('6f1c2b1e-0000-4000-8000-000000000001'))),
    );
    errors.every(({ code }) => code === 'BAD_CREDENTIALS').should.be.true();
    service.requests.length.should.equal(1);
    await client.close();
  });
});
