import 'should';
import { CLIENT_DEFAULTS, createTokenSource, type TokenSource } from '../../../src/client/index.js';
import { collectText, expectClientError } from '../../helpers/expect-client-error.js';
import { dropConnection, neverReply, replyWith } from '../../helpers/fake-replies.js';
import { FakeService } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';
import { nextTurn } from '../../helpers/next-turn.js';

const TOKEN = /^\/token$/i;

describe('createTokenSource', () => {
  let service: FakeService;
  let clock: InstantClock;
  let source: TokenSource;

  beforeEach(async () => {
    service = await FakeService.start();
    clock = new InstantClock();
    source = createTokenSource(service.account, clock);
  });

  afterEach(async () => {
    source.close();
    await service.stop();
  });

  const requests = () => service.count('POST', TOKEN);
  const grants = () => service.requests.map(({ body }) => new URLSearchParams(body).get('grant_type'));
  const requestTokens = (count: number) => Promise.all(Array.from({ length: count }, () => source.token()));

  it('sends the password grant as a form, with the client credentials in a Basic header', async () => {
    (await source.token()).should.equal('access-token-1');
    const [request] = service.requests;
    request?.should.have.properties({ method: 'POST', path: '/Token' });
    request?.body.should.equal('grant_type=password&username=maker%40example.test&password=pass+word+%26+sign');
    request?.headers.should.have.properties({
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from('the-client:secret-of-the-client').toString('base64')}`,
    });
  });

  it('sends one request for 200 concurrent callers and returns the same token to all', async () => {
    const tokens = await requestTokens(200);
    requests().should.equal(1);
    new Set(tokens).size.should.equal(1);
  });

  it('sends one refresh request for 200 concurrent callers after the token has expired', async () => {
    await source.token();
    clock.time += 900_000;
    new Set(await requestTokens(200)).should.eql(new Set(['access-token-2']));
    grants().should.eql(['password', 'refresh_token']);
  });

  it('returns the token until one minute before it expires', async () => {
    await source.token();
    clock.time += 779_000;
    (await source.token()).should.equal('access-token-1');
    requests().should.equal(1);
    clock.time += 62_000;
    (await source.token()).should.equal('access-token-2');
  });

  it('renews the token in the background two minutes before it expires, and returns it meanwhile', async () => {
    await source.token();
    clock.time += 781_000;
    (await source.token()).should.equal('access-token-1');
    (await source.token({ staleToken: 'access-token-1' })).should.equal('access-token-2');
    requests().should.equal(2);
  });

  it('returns the current token if the renewal in the background fails', async () => {
    await source.token();
    clock.time += 781_000;
    service.fault('POST', TOKEN, dropConnection, 99);
    (await source.token()).should.equal('access-token-1');
    await expectClientError(source.token({ staleToken: 'access-token-1' }));
  });

  it('never sends a refresh token twice, even if the connection is lost', async () => {
    await source.token();
    clock.time += 900_000;
    service.fault('POST', TOKEN, dropConnection);
    (await source.token()).should.equal('access-token-2');
    requests().should.equal(3);
    grants().at(-1)?.should.equal('password');
    clock.time += 900_000;
    await source.token();
    new Set(service.tokens.spentRefreshTokens).size.should.equal(service.tokens.spentRefreshTokens.length);
  });

  it('uses the password if the refresh token is refused', async () => {
    await source.token();
    clock.time += 900_000;
    service.fault('POST', TOKEN, replyWith(400, { error: 'invalid_grant' }));
    (await source.token()).should.equal('access-token-2');
  });

  it('renews a token that was refused with 401 once for all callers that report it', async () => {
    const stale = await source.token();
    const renewed = await Promise.all([1, 2, 3].map(() => source.token({ staleToken: stale })));
    renewed.should.eql(['access-token-2', 'access-token-2', 'access-token-2']);
    (await source.token({ staleToken: stale })).should.equal('access-token-2');
    requests().should.equal(2);
  });

  it('waits one second between renewals caused by a 401', async () => {
    const first = await source.token();
    const second = await source.token({ staleToken: first });
    await source.token({ staleToken: second });
    clock.sleeps.should.eql([1000, 1000]);
  });

  it('sends a wrong password once per window, and the windows double', async () => {
    service.account.password = 'another';
    const codes = await Promise.all(Array.from({ length: 100 }, () => expectClientError(source.token())));
    codes.every(({ code, statusCode }) => code === 'BAD_CREDENTIALS' && statusCode === 400).should.be.true();
    await expectClientError(source.token());
    requests().should.equal(1);
    clock.time += 1000;
    await expectClientError(source.token());
    clock.time += 1000;
    await expectClientError(source.token());
    requests().should.equal(2);
    clock.time += 1000;
    await expectClientError(source.token());
    requests().should.equal(3);
  });

  it('retries the password grant after a transient failure', async () => {
    service.fault('POST', TOKEN, replyWith(503, {}, { 'Retry-After': '3' }));
    service.fault('POST', TOKEN, dropConnection);
    (await source.token()).should.equal('access-token-1');
    clock.sleeps[0]?.should.equal(3000);
  });

  it('throws the error of a failed renewal to all waiting callers, and starts another for the next caller', async () => {
    service.fault('POST', TOKEN, replyWith(500, {}), CLIENT_DEFAULTS.maxTries);
    const errors = await Promise.all([expectClientError(source.token()), expectClientError(source.token())]);
    errors.map(({ code }) => code).should.eql(['REFUSED', 'REFUSED']);
    (await source.token()).should.equal('access-token-1');
  });

  for (const [lifetime, seconds] of [
    ['60', 60],
    ['soon', 60],
    [null, 60],
    [-1, 60],
    [0, 60],
    [1e12, 86_400],
  ] as const) {
    it(`treats an expires_in of ${JSON.stringify(lifetime)} as ${seconds} s`, async () => {
      service.tokens.expiresIn = lifetime;
      await source.token();
      const skew = Math.min(60, 0.2 * seconds);
      clock.time += (seconds - 2 * skew) * 1000 - 1;
      await source.token();
      requests().should.equal(1);
      clock.time += skew * 1000 + 1;
      await source.token();
      requests().should.equal(2);
    });
  }

  it('renews after 60 % of the lifetime at the earliest, and never returns an expired token', async () => {
    service.tokens.expiresIn = 300;
    const issuedAt = new Map<string, number>();
    const start = clock.time;
    while (clock.time - start < 3_600_000) {
      const token = await source.token();
      if (!issuedAt.has(token)) issuedAt.set(token, clock.time);
      (clock.time - (issuedAt.get(token) ?? 0)).should.be.below(300_000);
      clock.time += 7_000;
      await nextTurn();
    }
    requests().should.be.belowOrEqual(1 + 3_600 / (0.6 * 300));
    issuedAt.size.should.be.above(10);
  });

  it('does not follow a redirect of the token endpoint', async () => {
    const other = await FakeService.start();
    const Location = `${other.account.baseUrl}/Token`;
    service.fault('POST', TOKEN, replyWith(307, '', { Location }));
    const error = await expectClientError(source.token());
    error.code.should.equal('BAD_REPLY');
    error.message.should.containEql(`127.0.0.1:${other.port}`);
    other.requests.should.eql([]);
    await other.stop();
  });

  it('fails with BAD_REPLY if the reply is a web page', async () => {
    service.fault('POST', TOKEN, replyWith(200, '<html>', { 'Content-Type': 'text/html' }), 99);
    (await expectClientError(source.token())).code.should.equal('BAD_REPLY');
  });

  it('fails with BAD_REPLY if the token contains a line break', async () => {
    const body = { access_token: 'a\r\nX-Evil: 1', expires_in: 60 };
    service.fault('POST', TOKEN, replyWith(200, body), 99);
    (await expectClientError(source.token())).code.should.equal('BAD_REPLY');
  });

  it('redacts secrets in errors if the service quotes the request', async () => {
    const { password, clientSecret } = service.account;
    const quoted = {
      error: 'invalid_grant',
      error_description: `${password} ${clientSecret} ${encodeURIComponent(password)}`,
    };
    service.fault('POST', TOKEN, replyWith(400, quoted));
    const text = collectText(await expectClientError(source.token()));
    for (const secret of [password, clientSecret, encodeURIComponent(password), 'Basic '])
      text.should.not.containEql(secret);
  });

  it('aborts only the caller whose signal is aborted', async () => {
    let sendReply = () => {};
    const pendingReply = new Promise<false>((resolve) => {
      sendReply = () => resolve(false);
    });
    service.fault('POST', TOKEN, () => pendingReply);
    const controller = new AbortController();
    const aborted = source.token({ signal: controller.signal });
    const continued = source.token();
    controller.abort();
    (await expectClientError(aborted)).code.should.equal('ABORTED');
    sendReply();
    (await continued).should.equal('access-token-1');
  });

  it('aborts all waiting callers and closes all connections when it is closed', async () => {
    service.fault('POST', TOKEN, neverReply);
    const waiting = source.token();
    while (requests() === 0) await nextTurn();
    source.close();
    (await expectClientError(waiting)).code.should.equal('ABORTED');
    (await expectClientError(source.token())).code.should.equal('ABORTED');
    while (service.sockets.size > 0) await nextTurn();
  });
});
