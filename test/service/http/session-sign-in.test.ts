import should from 'should';
import { PASSWORD_COST } from '../../../src/service/auth/passwords.js';
import { createAccounts } from '../../../src/service/store/accounts.js';
import { createSessions } from '../../../src/service/store/sessions.js';
import { eventually } from '../../helpers/processes.js';
import { askForToken } from '../support/account.js';
import { sendRaw } from '../support/raw-reply.js';
import { readCredentials } from '../support/running.js';
import { ANN, PASSWORD, registerSessionBench } from '../support/session-bench.js';
import { withStore } from '../support/users.js';
import { headerOf, postSession, SAME_ORIGIN } from '../support/web-session.js';

describe('Signing in to the page', () => {
  const bench = registerSessionBench();

  const codeOf = ({ body }: { body: string }): number => JSON.parse(body).errors[0].code;
  const createCode = async (): Promise<string> => {
    const code = await bench.service.createSignInCode?.();
    if (code === undefined) throw new Error('There is no owner.');
    return code;
  };

  it('refuses a wrong password and an unknown user alike', async () => {
    await bench.start();
    const replies = [
      await postSession(bench.port, { username: ANN, password: 'wrong' }),
      await postSession(bench.port, { username: 'nobody', password: PASSWORD }),
    ];
    should(replies.map(codeOf)).deepEqual([40101, 40101]);
    should(replies[0]?.body).equal(replies[1]?.body);
    for (const reply of replies) headerOf(reply, 'set-cookie').should.equal('');
  });

  for (const body of [{}, { username: ANN }, { username: ANN, password: 1 }, { code: '' }, []]) {
    it(`refuses the body ${JSON.stringify(body)}`, async () => {
      await bench.start();
      codeOf(await postSession(bench.port, body)).should.equal(40001);
    });
  }

  it('refuses a form, which another site could send', async () => {
    await bench.start();
    const head = ['POST /session HTTP/1.1', `Host: 127.0.0.1:${bench.port}`, SAME_ORIGIN, 'Content-Type: text/plain'];
    codeOf(await sendRaw(bench.port, head, JSON.stringify({ username: ANN, password: PASSWORD }))).should.equal(41500);
  });

  it('signs an owner in with a code, once', async () => {
    await bench.start();
    const code = await createCode();
    const reply = await postSession(bench.port, { code });
    reply.status.should.equal(204);
    const cookie = `Cookie: ${headerOf(reply, 'set-cookie').split(';')[0]}`;
    const session = await sendRaw(bench.port, ['GET /session HTTP/1.1', `Host: 127.0.0.1:${bench.port}`, cookie]);
    const { username } = await readCredentials(bench.folder);
    JSON.parse(session.body).should.containEql({ username, isOwner: true });
    codeOf(await postSession(bench.port, { code })).should.equal(40102);
  });

  it('gives one session for a code that is sent twice at the same time', async () => {
    await bench.start();
    const code = await createCode();
    const replies = await Promise.all([postSession(bench.port, { code }), postSession(bench.port, { code })]);
    should(replies.map(({ status }) => status).sort()).deepEqual([204, 401]);
  });

  it('refuses a code that is older than 10 minutes', async () => {
    let time = Date.now();
    await bench.start({ now: () => time });
    const code = await createCode();
    time += 10 * 60_000 + 1;
    codeOf(await postSession(bench.port, { code })).should.equal(40102);
  });

  it('refuses a code after the password of the owner was changed', async () => {
    await bench.start();
    const code = await createCode();
    const { username } = await readCredentials(bench.folder);
    await withStore(bench.folder, (store) => createAccounts(store).setPassword(username, 'another hash'));
    const reply = await postSession(bench.port, { code });
    const cookie = `Cookie: ${headerOf(reply, 'set-cookie').split(';')[0]}`;
    const session = await sendRaw(bench.port, ['GET /session HTTP/1.1', `Host: 127.0.0.1:${bench.port}`, cookie]);
    session.status.should.equal(401);
  });

  it('refuses a code as the secret of a session', async () => {
    await bench.start();
    const cookie = `Cookie: model_processing_${bench.port}=${await createCode()}`;
    const session = await sendRaw(bench.port, ['GET /session HTTP/1.1', `Host: 127.0.0.1:${bench.port}`, cookie]);
    session.status.should.equal(401);
  });

  it('delays wrong passwords as at /Token, and refuses attempts that would wait too long', async () => {
    await bench.start({
      limits: { freeLogins: 1, loginDelayMs: 3_600_000, maxLoginDelayMs: 3_600_000, maxDelayedLogins: 0 },
    });
    codeOf(await postSession(bench.port, { username: ANN, password: 'wrong' })).should.equal(40101);
    const reply = await postSession(bench.port, { username: ANN, password: PASSWORD });
    codeOf(reply).should.equal(42903);
    Number(headerOf(reply, 'retry-after')).should.be.within(3500, 3600);
    const token = await askForToken(bench.folder, { grant_type: 'password', username: ANN, password: PASSWORD });
    token.status.should.equal(200); // another client has a delay of its own
  });

  describe('during a flood of random names from the same address', () => {
    let stop: AbortController;
    let refusals: number;
    let flood: Promise<unknown>[];

    /** Begins attempts in as many connections, each of which goes on until the test ends. */
    const begin = async (count: number): Promise<void> => {
      [stop, refusals] = [new AbortController(), 0];
      const attempt = async (index: number): Promise<void> => {
        for (let name = 0; !stop.signal.aborted; name++) {
          const body = JSON.stringify({ username: `user ${index} ${name}`, password: 'guess' });
          const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
          const { baseUrl } = bench.service;
          const reply = await fetch(`${baseUrl}/session`, { method: 'POST', body, headers, signal: stop.signal });
          should([401, 429]).containEql(reply.status);
          refusals += 1;
        }
      };
      flood = Array.from({ length: count }, (_, index) => attempt(index).catch(() => undefined)); // ended by `stop`
      await eventually('the first were refused', () => refusals > 0);
    };

    beforeEach(() => bench.start({ passwordCost: PASSWORD_COST }));

    afterEach(async () => {
      stop.abort();
      await Promise.all(flood);
    });

    it('lets in a browser that has signed in before, ahead of those that wait', async () => {
      const known = await postSession(bench.port, { username: ANN, password: PASSWORD });
      const device = known.headers.filter((line) => /^set-cookie: .*_device=/i.test(line)).join();
      device.should.match(/HttpOnly; SameSite=Strict$/);
      await begin(100);
      const before = refusals;
      const cookie = `Cookie: ${device.replace(/^set-cookie: /i, '').split(';')[0]}`;
      const reply = await postSession(bench.port, { username: ANN, password: PASSWORD }, [SAME_ORIGIN, cookie]);
      should(reply.status).equal(204);
      should(refusals - before).be.below(10);
    });

    it('does not refuse a browser for the first time', async () => {
      await begin(20);
      should((await postSession(bench.port, { username: ANN, password: PASSWORD })).status).equal(204);
    });
  });

  it('forgets a browser when the password of its user has changed, and keeps 20 of each user', async () => {
    await bench.start();
    for (let count = 0; count < 22; count++) await postSession(bench.port, { username: ANN, password: PASSWORD });
    await withStore(bench.folder, async (store) => {
      const devices = await store.selectFrom('session').select('hash').where('kind', '=', 'device').execute();
      should(devices).have.length(20);
      const sessions = createSessions(store);
      const [{ hash } = { hash: '' }] = devices;
      should(await sessions.isDeviceOf(hash, ANN, Date.now())).be.true();
      should(await sessions.isDeviceOf(hash, 'bob', Date.now())).be.false();
      await createAccounts(store).setPassword(ANN, 'another hash');
      should(await sessions.isDeviceOf(hash, ANN, Date.now())).be.false();
    });
  });
});
