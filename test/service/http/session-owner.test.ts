import should from 'should';
import { logIn } from '../support/account.js';
import { CUBE } from '../support/models.js';
import { sendRaw } from '../support/raw-reply.js';
import { readCredentials } from '../support/running.js';
import { ANN, PASSWORD, registerSessionBench } from '../support/session-bench.js';
import { postSession, SAME_ORIGIN, signInToPage } from '../support/web-session.js';

describe('The routes of the page for owners', () => {
  const bench = registerSessionBench();
  let cookie: string;

  beforeEach(async () => {
    cookie = await bench.startAsOwner();
  });

  const send = async (method: string, path: string, body?: object, session = cookie) => {
    const head = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${bench.port}`, session, SAME_ORIGIN];
    const type = body ? ['Content-Type: application/json'] : [];
    const reply = await sendRaw(bench.port, [...head, ...type], body ? JSON.stringify(body) : '');
    return { status: reply.status, body: reply.body === '' ? undefined : JSON.parse(reply.body) };
  };
  const codeOf = (reply: { body: { errors: { code: number }[] } }): number => reply.body.errors[0]?.code ?? 0;

  it('describe the service with its users and clients', async () => {
    await (await logIn(bench.folder)).upload(CUBE, 'cube.stl');
    const { username, clientId } = await readCredentials(bench.folder);
    const { body } = await send('GET', '/ui/service');
    body.queue.should.deepEqual({ queued: 0, running: 0 });
    body.storage.usedBytes.should.equal(CUBE.length);
    body.storage.freeBytes.should.be.above(0);
    const owner = body.users.find((user: { username: string }) => user.username === username);
    owner.should.containEql({ usedBytes: CUBE.length, quotaBytes: null, isOwner: true });
    body.users
      .find((user: { username: string }) => user.username === ANN)
      .should.containEql({ usedBytes: 0, isOwner: false });
    body.clients.map((client: { clientId: string }) => client.clientId).should.deepEqual([clientId]);
    JSON.stringify(body).should.not.match(/scrypt|hash/);
  });

  it('add a user, who can sign in', async () => {
    const user = { username: 'Änne Ω', password: 'a new password', quotaBytes: 5 * 1024 ** 2 };
    should((await send('POST', '/ui/users', user)).status).equal(204);
    await signInToPage(bench.port, user.username, user.password);
    codeOf(await send('POST', '/ui/users', user)).should.equal(40901);
  });

  it('refuse invalid names, passwords and quotas', async () => {
    const valid = { username: 'bob', password: 'a new password' };
    for (const change of [{ username: 'a:b' }, { username: '' }, { password: 'short' }, { quotaBytes: 5 }]) {
      codeOf(await send('POST', '/ui/users', { ...valid, ...change })).should.equal(40001);
    }
  });

  it('change the password of a user, whose sessions end', async () => {
    const session = await signInToPage(bench.port, ANN, PASSWORD);
    should((await send('PATCH', `/ui/users/${ANN}`, { password: 'a new password' })).status).equal(204);
    should((await send('GET', '/session', undefined, session)).status).equal(401);
    await signInToPage(bench.port, ANN, 'a new password');
  });

  it('change the quota of a user', async () => {
    should((await send('PATCH', `/ui/users/${ANN}`, { quotaBytes: 1024 ** 3 })).status).equal(204);
    const session = await signInToPage(bench.port, ANN, PASSWORD);
    should((await send('GET', '/session', undefined, session)).body.quotaBytes).equal(1024 ** 3);
    should((await send('PATCH', `/ui/users/${ANN}`, { quotaBytes: null })).status).equal(204);
    should((await send('GET', '/session', undefined, session)).body.quotaBytes).equal(null);
  });

  it('change nothing if one of two changes is invalid', async () => {
    codeOf(await send('PATCH', `/ui/users/${ANN}`, { quotaBytes: 1024 ** 3, password: 'short' })).should.equal(40001);
    const session = await signInToPage(bench.port, ANN, PASSWORD);
    should((await send('GET', '/session', undefined, session)).body.quotaBytes).equal(null);
  });

  it('remove a user with the longest name in any script', async () => {
    const name = 'モ'.repeat(200);
    const user = { username: name, password: 'a new password' };
    should((await send('POST', '/ui/users', user)).status).equal(204);
    should((await send('DELETE', `/ui/users/${encodeURIComponent(name)}`)).status).equal(204);
  });

  it('remove a user, but not oneself', async () => {
    should((await send('DELETE', `/ui/users/${ANN}`)).status).equal(204);
    should((await postSession(bench.port, { username: ANN, password: PASSWORD })).status).equal(401);
    codeOf(await send('DELETE', `/ui/users/${ANN}`)).should.equal(40404);
    const { username } = await readCredentials(bench.folder);
    codeOf(await send('DELETE', `/ui/users/${username}`)).should.equal(40001);
  });

  it('add and remove clients', async () => {
    const { body } = await send('POST', '/ui/clients', { clientId: 'a flow' });
    body.clientId.should.equal('a flow');
    body.clientSecret.should.match(/^[\w-]{43}$/);
    codeOf(await send('POST', '/ui/clients', { clientId: 'a flow' })).should.equal(40901);
    should((await send('DELETE', '/ui/clients/a%20flow')).status).equal(204);
    codeOf(await send('DELETE', '/ui/clients/a%20flow')).should.equal(40404);
  });

  for (const [method, path] of [
    ['GET', '/ui/service'],
    ['POST', '/ui/users'],
    ['PATCH', '/ui/users/ann'],
    ['DELETE', '/ui/users/ann'],
    ['POST', '/ui/clients'],
    ['DELETE', '/ui/clients/x'],
  ] as const) {
    it(`refuse ${method} ${path} to other users and without a session`, async () => {
      const session = await signInToPage(bench.port, ANN, PASSWORD);
      const body = { username: 'eve', password: 'password of eve', clientId: 'eve' };
      codeOf(await send(method, path, method === 'GET' ? undefined : body, session)).should.equal(40301);
      codeOf(await send(method, path, undefined, 'Cookie: other=1')).should.equal(40100);
    });
  }
});
