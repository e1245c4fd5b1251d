import 'should';
import { CLIENT_DEFAULTS, createTokenSource, type TokenSource } from '../../../src/client/index.js';
import { collectText, expectClientError } from '../../helpers/expect-client-error.js';
import { answer, dropConnection, FakeService, neverReply } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';

const TOKEN = /^\/token$/i;

describe('token source', () => {
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
  const tokensOf = (count: number) => Promise.all(Array.from({ length: count }, () => source.token()));

  it('asks by password, with the client in a Basic header and the form as the service wants it', async () => {
    (await source.token()).should.equal('access-token-1');
    const [request] = service.requests;
    request?.should.have.properties({ method: 'POST', path: '/Token' });
    request?.body.should.equal('grant_type=password&username=maker%40example.test&password=pass+word+%26+sign');
    request?.headers.should.have.properties({
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from('the-client:secret-of-the-client').toString('base64')}`,
    });
  });

  it('makes one request for 200 who ask at once, and gives all of them its token', async () => {
    const tokens = await tokensOf(200);
    requests().should.equal(1);
    new Set(tokens).size.should.equal(1);
  });

  it('makes one renewal for 200 who ask after the token is over, by the refresh token', async () => {
    await source.token();
    clock.time += 900_000;
    new Set(await tokensOf(200)).should.eql(new Set(['access-token-2']));
    grants().should.eql(['password', 'refresh_token']);
  });

  it('hands the token out until a minute before its end', async () => {
    await source.token();
    clock.time += 779_000;
    (await source.token()).should.equal('access-token-1');
    requests().should.equal(1);
    clock.time += 62_000;
    (await source.token()).should.equal('access-token-2');
  });

  it('renews in the background two minutes before the end, while the token is still handed out', async () => {
    await source.token();
    clock.time += 781_000;
    (await source.token()).should.equal('access-token-1');
    (await source.token({ staleToken: 'access-token-1' })).should.equal('access-token-2');
    requests().should.equal(2);
  });

  it('holds a failure of the renewal in the background, and goes on with the token', async () => {
    await source.token();
    clock.time += 781_000;
    service.fault('POST', TOKEN, dropConnection, 99);
    (await source.token()).should.equal('access-token-1');
    await expectClientError(source.token({ staleToken: 'access-token-1' }));
  });

  it('never sends a refresh token twice, whatever became of it', async () => {
    await source.token();
    clock.time += 900_000;
    service.fault('POST', TOKEN, dropConnection);
    (await source.token()).should.equal('access-token-2');
    requests().should.equal(3);
    grants().at(-1)?.should.equal('password');
    clock.time += 900_000;
    await source.token();
    new Set(service.spentRefreshTokens).size.should.equal(service.spentRefreshTokens.length);
  });

  it('falls back to the password when the refresh token is refused', async () => {
    await source.token();
    clock.time += 900_000;
    service.fault('POST', TOKEN, answer(400, { error: 'invalid_grant' }));
    (await source.token()).should.equal('access-token-2');
  });

  it('gets a new token for one that was answered with 401, once for all who report it', async () => {
    const stale = await source.token();
    const renewed = await Promise.all([1, 2, 3].map(() => source.token({ staleToken: stale })));
    renewed.should.eql(['access-token-2', 'access-token-2', 'access-token-2']);
    (await source.token({ staleToken: stale })).should.equal('access-token-2');
    requests().should.equal(2);
  });

  it('keeps a second between renewals that a 401 asked for', async () => {
    const first = await source.token();
    const second = await source.token({ staleToken: first });
    await source.token({ staleToken: second });
    clock.sleeps.should.eql([1000, 1000]);
  });

  it('costs one request a window with a wrong password, and the windows grow', async () => {
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

  it('tries the password again after a failure that may pass', async () => {
    service.fault('POST', TOKEN, answer(503, {}, { 'Retry-After': '3' }));
    service.fault('POST', TOKEN, dropConnection);
    (await source.token()).should.equal('access-token-1');
    clock.sleeps[0]?.should.equal(3000);
  });

  it('gives the error of a failed renewal to all who wait, and starts anew for the next', async () => {
    service.fault('POST', TOKEN, answer(500, {}), CLIENT_DEFAULTS.maxTries);
    const errors = await Promise.all([expectClientError(source.token()), expectClientError(source.token())]);
    errors.map(({ code }) => code).should.eql(['REFUSED', 'REFUSED']);
    (await source.token()).should.equal('access-token-1');
  });

  for (const [life, seconds] of [
    ['60', 60],
    ['soon', 60],
    [null, 60],
    [-1, 60],
    [0, 60],
    [1e12, 86_400],
  ] as const) {
    it(`takes a life of ${JSON.stringify(life)} for ${seconds} s`, async () => {
      service.expiresIn = life;
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

  it('asks no more often than every six tenths of a life, and hands out no token that is over', async () => {
    service.expiresIn = 300;
    const issuedAt = new Map<string, number>();
    const begin = clock.time;
    while (clock.time - begin < 3_600_000) {
      const token = await source.token();
      if (!issuedAt.has(token)) issuedAt.set(token, clock.time);
      (clock.time - (issuedAt.get(token) ?? 0)).should.be.below(300_000);
      clock.time += 7_000;
      await new Promise((resolve) => setImmediate(resolve));
    }
    requests().should.be.belowOrEqual(1 + 3_600 / (0.6 * 300));
    issuedAt.size.should.be.above(10);
  });

  it('sends nothing anywhere when the token endpoint redirects', async () => {
    const other = await FakeService.start();
    const Location = `${other.account.baseUrl}/Token`;
    service.fault('POST', TOKEN, answer(307, '', { Location }));
    const error = await expectClientError(source.token());
    error.code.should.equal('BAD_REPLY');
    error.message.should.containEql(`127.0.0.1:${other.port}`);
    other.requests.should.eql([]);
    await other.stop();
  });

  it('takes a web page for no token', async () => {
    service.fault('POST', TOKEN, answer(200, '<html>', { 'Content-Type': 'text/html' }), 99);
    (await expectClientError(source.token())).code.should.equal('BAD_REPLY');
  });

  it('refuses a token that could break out of its header', async () => {
    const body = { access_token: 'a\r\nX-Evil: 1', expires_in: 60 };
    service.fault('POST', TOKEN, answer(200, body), 99);
    (await expectClientError(source.token())).code.should.equal('BAD_REPLY');
  });

  it('shows no secret in an error, also where the service quotes what it was sent', async () => {
    const { password, clientSecret } = service.account;
    const quoted = {
      error: 'invalid_grant',
      error_description: `${password} ${clientSecret} ${encodeURIComponent(password)}`,
    };
    service.fault('POST', TOKEN, answer(400, quoted));
    const text = collectText(await expectClientError(source.token()));
    for (const secret of [password, clientSecret, encodeURIComponent(password), 'Basic '])
      text.should.not.containEql(secret);
  });

  it('ends one who waits by his signal, and not the others', async () => {
    let goOn = () => {};
    const held = new Promise<false>((resolve) => {
      goOn = () => resolve(false);
    });
    service.fault('POST', TOKEN, () => held);
    const leaving = new AbortController();
    const left = source.token({ signal: leaving.signal });
    const stayed = source.token();
    leaving.abort();
    (await expectClientError(left)).code.should.equal('ABORTED');
    goOn();
    (await stayed).should.equal('access-token-1');
  });

  it('ends all who wait when it is closed, and leaves no connection', async () => {
    service.fault('POST', TOKEN, neverReply);
    const waiting = source.token();
    while (requests() === 0) await new Promise((resolve) => setImmediate(resolve));
    source.close();
    (await expectClientError(waiting)).code.should.equal('ABORTED');
    (await expectClientError(source.token())).code.should.equal('ABORTED');
    while (service.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});
