import { sql } from 'kysely';
import should from 'should';
import { parseAddressFilter } from '../../../src/service/callbacks/address-filter.js';
import { createAccounts } from '../../../src/service/store/accounts.js';
import { MIGRATIONS } from '../../../src/service/store/migrations.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import { askForToken, callsWith, logIn } from '../support/account.js';
import { CUBE } from '../support/models.js';
import { sendRaw } from '../support/raw-reply.js';
import { readCredentials } from '../support/running.js';
import { ANN, PASSWORD, registerSessionBench } from '../support/session-bench.js';
import { withStore } from '../support/users.js';
import { headerOf, postSession, SAME_ORIGIN, signInToPage } from '../support/web-session.js';

describe('A session of the page', () => {
  const bench = registerSessionBench();

  const get = (path: string, headers: readonly string[], host = `127.0.0.1:${bench.port}`) =>
    sendRaw(bench.port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers]);
  const remove = (path: string, headers: readonly string[]) =>
    sendRaw(bench.port, [`DELETE ${path} HTTP/1.1`, `Host: 127.0.0.1:${bench.port}`, ...headers]);
  const codeOf = ({ body }: { body: string }): number => JSON.parse(body).errors[0].code;

  it('begins with a cookie that no script reads and no other site sends', async () => {
    await bench.start();
    const reply = await postSession(bench.port, { username: ANN, password: PASSWORD });
    reply.status.should.equal(204);
    headerOf(reply, 'set-cookie')
      .replace(/=[\w-]{43};/, '=SECRET;')
      .should.equal(`model_processing_${bench.port}=SECRET; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict`);
    headerOf(reply, 'x-content-type-options').should.equal('nosniff');
  });

  it('has a Secure cookie if a trusted proxy says that the browser uses https', async () => {
    await bench.start({ isTrustedProxy: parseAddressFilter('loopback') });
    const body = { username: ANN, password: PASSWORD };
    const reply = await postSession(bench.port, body, [
      SAME_ORIGIN,
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: 192.0.2.1',
    ]);
    headerOf(reply, 'set-cookie').should.match(/^model_processing_443=.*; Secure$/);
  });

  it('has a Secure cookie at a public URL with https, also behind a proxy that is not trusted', async () => {
    await bench.start({ publicUrl: 'https://models.example.com' });
    const body = { username: ANN, password: PASSWORD };
    const cookieAt = async (host: string): Promise<string> => {
      const head = ['POST /session HTTP/1.1', `Host: ${host}`, SAME_ORIGIN, 'Content-Type: application/json'];
      return headerOf(await sendRaw(bench.port, head, JSON.stringify(body)), 'set-cookie');
    };
    (await cookieAt('Models.example.com')).should.match(/; Secure$/);
    (await cookieAt('models.example.com:443')).should.match(/; Secure$/);
    // Without a proxy, the browser uses http, and would not keep the cookie.
    (await cookieAt(`192.0.2.7:${bench.port}`)).should.match(/; SameSite=Strict$/);
    (await cookieAt(`models.example.com:${bench.port}`)).should.match(/; SameSite=Strict$/);
  });

  it('authenticates the API and describes its user', async () => {
    await bench.start();
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    const session = await get('/session', [cookie, SAME_ORIGIN]);
    JSON.parse(session.body).should.containEql({ username: ANN, isOwner: false, ownBytes: 0, quotaBytes: null });
    const list = await get('/web-api/operation', [cookie, SAME_ORIGIN]);
    JSON.parse(list.body).should.deepEqual({ operations: [] });
  });

  it('ends with a sign-out', async () => {
    await bench.start();
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    const reply = await remove('/session', [cookie, SAME_ORIGIN]);
    headerOf(reply, 'set-cookie').should.match(/^model_processing_\d+=; Path=\/; Max-Age=0;/);
    codeOf(await get('/web-api/operation', [cookie, SAME_ORIGIN])).should.equal(40100);
  });

  it('ends with the password of its user, also for a stolen cookie', async () => {
    await bench.start();
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    await withStore(bench.folder, (store) => createAccounts(store).setPassword(ANN, 'another hash'));
    codeOf(await get('/session', [cookie, SAME_ORIGIN])).should.equal(40100);
  });

  it('ends with its user', async () => {
    await bench.start();
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    await withStore(bench.folder, (store) => createAccounts(store).removeUser(ANN));
    codeOf(await get('/session', [cookie, SAME_ORIGIN])).should.equal(40100);
  });

  it('ends when it was not used for 12 hours, and is renewed by use', async () => {
    let time = Date.now();
    await bench.start({ now: () => time });
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    headerOf(await get('/session', [cookie, SAME_ORIGIN]), 'set-cookie').should.equal('');
    time += 11 * 3600_000;
    headerOf(await get('/session', [cookie, SAME_ORIGIN]), 'set-cookie').should.match(/Max-Age=43200/);
    time += 11 * 3600_000;
    should((await get('/session', [cookie, SAME_ORIGIN])).status).equal(200);
    time += 12 * 3600_000 + 1;
    should((await get('/session', [cookie, SAME_ORIGIN])).status).equal(401);
  });

  it('ends after 30 days, however often it is used', async () => {
    let time = Date.now();
    await bench.start({ now: () => time });
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    const hour = 3600_000;
    let renewed = '';
    for (let elapsed = 0; elapsed < 30 * 24 - 10; elapsed += 10) {
      time += 10 * hour;
      const reply = await get('/session', [cookie, SAME_ORIGIN]);
      should(reply.status).equal(200);
      renewed = headerOf(reply, 'set-cookie');
    }
    renewed.should.match(/Max-Age=36000;/);
    time += 9 * hour;
    should((await get('/session', [cookie, SAME_ORIGIN])).status).equal(200);
    time += hour;
    should((await get('/session', [cookie, SAME_ORIGIN])).status).equal(401);
  });

  it('that began before sessions had an end lasts for 30 more days', async () => {
    const earlier = MIGRATIONS.filter(({ version }) => version < 20);
    const store = await openStore(`${bench.folder}/old.db`, earlier);
    await sql`insert into session values ('hash', 'session', 'ann', 'password', 1000)`.execute(store);
    await store.destroy();
    const upgraded = await openStore(`${bench.folder}/old.db`);
    const row = await upgraded.selectFrom('session').select('ends_at').executeTakeFirstOrThrow();
    await upgraded.destroy();
    await bench.start();
    should(Number(row.ends_at)).equal(1000 + 30 * 24 * 3600_000);
  });

  describe('of a user with others', () => {
    let own: string;
    let other: string;

    beforeEach(async () => {
      await bench.start();
      own = await signInToPage(bench.port, ANN, PASSWORD);
      other = await signInToPage(bench.port, ANN, PASSWORD);
    });

    const statusOf = async (cookie: string): Promise<number> => (await get('/session', [cookie, SAME_ORIGIN])).status;
    const changePassword = (cookie: string, body: object) => {
      const head = [
        'PUT /session/password HTTP/1.1',
        `Host: 127.0.0.1:${bench.port}`,
        'Content-Type: application/json',
      ];
      return sendRaw(bench.port, [...head, cookie, SAME_ORIGIN], JSON.stringify(body));
    };

    it('ends with all of them, and with the tokens of the user', async () => {
      const form = { grant_type: 'password', username: ANN, password: PASSWORD };
      const calls = callsWith(bench.service.baseUrl, (await askForToken(bench.folder, form)).body.access_token);
      should((await calls.get('')).status).equal(200);
      should((await remove('/sessions', [own, SAME_ORIGIN])).status).equal(204);
      should([await statusOf(own), await statusOf(other), (await calls.get('')).status]).deepEqual([401, 401, 401]);
      should(await statusOf(await signInToPage(bench.port, ANN, PASSWORD))).equal(200);
    });

    it('cannot end them without a session, or for another site', async () => {
      should((await remove('/sessions', [SAME_ORIGIN])).status).equal(401);
      should((await remove('/sessions', [own, 'Sec-Fetch-Site: cross-site'])).status).equal(403);
      should(await statusOf(other)).equal(200);
    });

    it('changes the password, which ends the others', async () => {
      const reply = await changePassword(own, { password: PASSWORD, newPassword: 'another password' });
      should(reply.status).equal(204);
      const renewed = `Cookie: ${headerOf(reply, 'set-cookie').split(';')[0]}`;
      should([await statusOf(own), await statusOf(other), await statusOf(renewed)]).deepEqual([401, 401, 200]);
      should((await postSession(bench.port, { username: ANN, password: PASSWORD })).status).equal(401);
      should((await postSession(bench.port, { username: ANN, password: 'another password' })).status).equal(204);
    });

    it('does not change the password without the current one, or to a short one', async () => {
      codeOf(await changePassword(own, { password: 'guess', newPassword: 'another password' })).should.equal(40302);
      codeOf(await changePassword(own, { password: PASSWORD, newPassword: 'short' })).should.equal(40001);
      should(await statusOf(other)).equal(200);
    });
  });

  it('does not count for another user of the page', async () => {
    await bench.start();
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    const { userId } = JSON.parse((await get('/session', [cookie, SAME_ORIGIN])).body);
    should((await get('/session', [cookie, SAME_ORIGIN, `X-Session-User: ${userId}`])).status).equal(200);
    codeOf(await get('/session', [cookie, SAME_ORIGIN, 'X-Session-User: somebody-else'])).should.equal(40100);
  });

  for (const host of ['attacker.example', 'localhost.attacker.example', '127.0.0.1.attacker.example', 'x@127.0.0.1']) {
    it(`does not count at the host ${host}`, async () => {
      await bench.start();
      const cookie = await signInToPage(bench.port, ANN, PASSWORD);
      const reply = await get('/session', [cookie, SAME_ORIGIN], `${host}:${bench.port}`);
      reply.status.should.not.equal(200);
      if (reply.status === 403) codeOf(reply).should.equal(40300);
    });
  }

  it('counts at localhost, at other addresses and at the public URL', async () => {
    await bench.start({ publicUrl: 'https://models.example.com/path' });
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    for (const host of ['localhost', 'LOCALHOST', '192.0.2.7', '[2001:db8::1]', 'models.example.com']) {
      const reply = await get('/session', [cookie, SAME_ORIGIN], `${host}:${bench.port}`);
      should(`${host} ${reply.status}`).equal(`${host} 200`);
    }
  });

  for (const site of ['cross-site', 'same-site', 'none']) {
    it(`does not count for a request of the API that is ${site}`, async () => {
      await bench.start();
      const cookie = await signInToPage(bench.port, ANN, PASSWORD);
      codeOf(await get('/web-api/operation', [cookie, `Sec-Fetch-Site: ${site}`])).should.equal(40300);
    });
  }

  it('counts for a download that a person opens by its address, which no page can show as its own', async () => {
    await bench.start();
    const { username, password } = await readCredentials(bench.folder);
    const fileId: string = (await (await logIn(bench.folder)).upload(CUBE, 'cube.stl')).body.fileId;
    const cookie = await signInToPage(bench.port, username, password);
    const reply = await get(`/web-api/operation/file/${fileId}`, [cookie, 'Sec-Fetch-Site: none']);
    reply.status.should.equal(200);
    headerOf(reply, 'content-security-policy').should.equal('sandbox');
    headerOf(reply, 'x-content-type-options').should.equal('nosniff');
    codeOf(await get(`/web-api/operation/file/${fileId}`, [cookie, 'Sec-Fetch-Site: cross-site'])).should.equal(40300);
  });

  it('needs the Origin of the service to change something, if the browser omits Sec-Fetch-Site', async () => {
    await bench.start();
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    should((await get('/session', [cookie])).status).equal(200);
    for (const origin of [
      [],
      ['Origin: null'],
      ['Origin: http://attacker.example'],
      [`Origin: https://127.0.0.1:${bench.port}`],
    ]) {
      codeOf(await remove('/session', [cookie, ...origin])).should.equal(40300);
    }
    should((await remove('/session', [cookie, `Origin: http://127.0.0.1:${bench.port}`])).status).equal(204);
  });

  it('cannot be started by another site', async () => {
    await bench.start();
    const body = { username: ANN, password: PASSWORD };
    codeOf(await postSession(bench.port, body, ['Sec-Fetch-Site: cross-site'])).should.equal(40300);
    codeOf(await postSession(bench.port, body, ['Origin: http://attacker.example'])).should.equal(40300);
  });

  it('leaves requests with a token as they are, whatever cookie and site they have', async () => {
    await bench.start();
    const { token } = await logIn(bench.folder);
    const reply = await get(
      '/web-api/operation',
      [`Authorization: Bearer ${token}`, 'Sec-Fetch-Site: cross-site'],
      'x',
    );
    reply.status.should.equal(200);
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    codeOf(await get('/web-api/operation', [cookie, SAME_ORIGIN, 'Authorization: Bearer wrong'])).should.equal(40100);
  });

  it('counts beside the Basic header of a proxy that asks for a password of its own', async () => {
    await bench.start();
    const cookie = await signInToPage(bench.port, ANN, PASSWORD);
    const basic = `Authorization: Basic ${Buffer.from('proxy:password').toString('base64')}`;
    should((await get('/web-api/operation', [cookie, SAME_ORIGIN, basic])).status).equal(200);
    codeOf(await get('/web-api/operation', [basic])).should.equal(40100);
    codeOf(await get('/web-api/operation', [cookie, basic, 'Sec-Fetch-Site: cross-site'])).should.equal(40300);
    codeOf(await get('/web-api/operation', [cookie, SAME_ORIGIN, 'Authorization: Bearer'])).should.equal(40100);
  });

  it('does not exist without the page', async () => {
    await bench.start({ hasWebPage: false });
    codeOf(await postSession(bench.port, { username: ANN, password: PASSWORD })).should.equal(40400);
  });
});
