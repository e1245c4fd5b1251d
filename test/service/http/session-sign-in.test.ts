import should from 'should';
import type { RunningService, ServeOptions } from '../../../src/service/serve.js';
import { createAccounts } from '../../../src/service/store/accounts.js';
import { askForToken } from '../support/account.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { sendRaw } from '../support/raw-reply.js';
import { readCredentials, startService } from '../support/running.js';
import { addUserWithPassword, withStore } from '../support/users.js';
import { headerOf, postSession, SAME_ORIGIN } from '../support/web-session.js';

const [ANN, PASSWORD] = ['ann', 'password of ann'];

describe('Signing in to the page', () => {
  let folder: string;
  let service: RunningService;
  let port: number;

  const start = async (options: Partial<ServeOptions> = {}): Promise<void> => {
    service = await startService(folder, { hasWebPage: true, ...options });
    port = Number(new URL(service.baseUrl).port);
  };

  beforeEach(async () => {
    folder = await createFolder();
    await addUserWithPassword(folder, ANN, PASSWORD);
  });

  afterEach(async () => {
    await service.close();
    await removeFolder(folder);
  });

  const codeOf = ({ body }: { body: string }): number => JSON.parse(body).errors[0].code;
  const createCode = async (): Promise<string> => {
    const code = await service.createSignInCode?.();
    if (code === undefined) throw new Error('There is no owner.');
    return code;
  };

  it('refuses a wrong password and an unknown user alike', async () => {
    await start();
    const replies = [
      await postSession(port, { username: ANN, password: 'wrong' }),
      await postSession(port, { username: 'nobody', password: PASSWORD }),
    ];
    should(replies.map(codeOf)).deepEqual([40101, 40101]);
    should(replies[0]?.body).equal(replies[1]?.body);
    for (const reply of replies) headerOf(reply, 'set-cookie').should.equal('');
  });

  for (const body of [{}, { username: ANN }, { username: ANN, password: 1 }, { code: '' }, []]) {
    it(`refuses the body ${JSON.stringify(body)}`, async () => {
      await start();
      codeOf(await postSession(port, body)).should.equal(40001);
    });
  }

  it('refuses a form, which another site could send', async () => {
    await start();
    const head = ['POST /session HTTP/1.1', `Host: 127.0.0.1:${port}`, SAME_ORIGIN, 'Content-Type: text/plain'];
    codeOf(await sendRaw(port, head, JSON.stringify({ username: ANN, password: PASSWORD }))).should.equal(41500);
  });

  it('signs an owner in with a code, once', async () => {
    await start();
    const code = await createCode();
    const reply = await postSession(port, { code });
    reply.status.should.equal(204);
    const cookie = `Cookie: ${headerOf(reply, 'set-cookie').split(';')[0]}`;
    const session = await sendRaw(port, ['GET /session HTTP/1.1', `Host: 127.0.0.1:${port}`, cookie]);
    const { username } = await readCredentials(folder);
    JSON.parse(session.body).should.containEql({ username, isOwner: true });
    codeOf(await postSession(port, { code })).should.equal(40102);
  });

  it('gives one session for a code that is sent twice at the same time', async () => {
    await start();
    const code = await createCode();
    const replies = await Promise.all([postSession(port, { code }), postSession(port, { code })]);
    should(replies.map(({ status }) => status).sort()).deepEqual([204, 401]);
  });

  it('refuses a code that is older than 10 minutes', async () => {
    let time = Date.now();
    await start({ now: () => time });
    const code = await createCode();
    time += 10 * 60_000 + 1;
    codeOf(await postSession(port, { code })).should.equal(40102);
  });

  it('refuses a code after the password of the owner was changed', async () => {
    await start();
    const code = await createCode();
    const { username } = await readCredentials(folder);
    await withStore(folder, (store) => createAccounts(store).setPassword(username, 'another hash'));
    const reply = await postSession(port, { code });
    const cookie = `Cookie: ${headerOf(reply, 'set-cookie').split(';')[0]}`;
    const session = await sendRaw(port, ['GET /session HTTP/1.1', `Host: 127.0.0.1:${port}`, cookie]);
    session.status.should.equal(401);
  });

  it('refuses a code as the secret of a session', async () => {
    await start();
    const cookie = `Cookie: model_processing_${port}=${await createCode()}`;
    const session = await sendRaw(port, ['GET /session HTTP/1.1', `Host: 127.0.0.1:${port}`, cookie]);
    session.status.should.equal(401);
  });

  it('delays wrong passwords as at /Token, and refuses attempts that would wait too long', async () => {
    await start({
      limits: { freeLogins: 1, loginDelayMs: 3_600_000, maxLoginDelayMs: 3_600_000, maxDelayedLogins: 0 },
    });
    codeOf(await postSession(port, { username: ANN, password: 'wrong' })).should.equal(40101);
    const reply = await postSession(port, { username: ANN, password: PASSWORD });
    codeOf(reply).should.equal(42903);
    Number(headerOf(reply, 'retry-after')).should.be.within(3500, 3600);
    const token = await askForToken(folder, { grant_type: 'password', username: ANN, password: PASSWORD });
    token.status.should.equal(200); // another client has a delay of its own
  });
});
