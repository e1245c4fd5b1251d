import { randomUUID } from 'node:crypto';
import path from 'node:path';
import should from 'should';
import { hashPassword } from '../../src/service/auth/passwords.js';
import { hashSecret } from '../../src/service/auth/secrets.js';
import type { RunningService } from '../../src/service/serve.js';
import { createAccounts } from '../../src/service/store/accounts.js';
import { openStore } from '../../src/service/store/sqlite.js';
import { askForToken, callsWith, logIn, type Reply } from './support/account.js';
import { useFolder } from './support/data-folder.js';
import { CUBE } from './support/models.js';
import { LOWEST_COST, readCredentials, startService } from './support/running.js';

const CLIENT = { id: 'shop app', secret: 's3cr:et/%' };
const USER = { username: 'ann', password: 'pässwörd' };

async function addAccount(folder: string): Promise<void> {
  const store = await openStore(path.join(folder, 'service.db'));
  const accounts = createAccounts(store);
  await accounts.addClient({ id: CLIENT.id, secret_hash: hashSecret(CLIENT.secret), created_at: 0 });
  const password_hash = await hashPassword(USER.password, LOWEST_COST);
  await accounts.addUser({ id: randomUUID(), username: USER.username, password_hash, created_at: 0 });
  await store.destroy();
}

describe('POST /Token and bearer tokens', () => {
  let folder: string;
  let service: RunningService;
  let now: number;

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    now = Date.now();
    await addAccount(folder);
    service = await startService(folder, { now: () => now });
  });

  afterEach(() => service.close());

  const requestToken = (more: Record<string, string> = {}, client = CLIENT): Promise<Reply> =>
    askForToken(folder, { grant_type: 'password', ...USER, ...more }, client);

  const refresh = (token: string, client = CLIENT): Promise<Reply> =>
    askForToken(folder, { grant_type: 'refresh_token', refresh_token: token }, client);

  const revoke = (token: string, client = CLIENT): Promise<Reply> =>
    askForToken(folder, { token, token_type_hint: 'refresh_token' }, client, 'Revoke');

  const statusWith = async (token: string): Promise<number> => {
    const reply = await callsWith(service.baseUrl, token).get(`${randomUUID()}/status`);
    return reply.status === 404 ? 200 : reply.status; // 404: authorized, and no such operation
  };

  const shouldRefuse = (reply: Reply, status: number, error: string): void => {
    reply.status.should.equal(status);
    reply.body.should.have.property('error', error);
    reply.body.should.not.have.property('access_token');
  };

  it('issue a token for a correct client and password, whether or not the client form-encodes its secret', async () => {
    (await requestToken()).status.should.equal(200);
    const encoded = { id: 'shop+app', secret: encodeURIComponent(CLIENT.secret) };
    (await requestToken({}, encoded)).status.should.equal(200);
  });

  it('return the same error for a wrong password and for an unknown user', async () => {
    const wrong = await requestToken({ password: 'guess' });
    shouldRefuse(wrong, 400, 'invalid_grant');
    const unknown = await requestToken({ username: 'bob' });
    unknown.body.should.deepEqual(wrong.body);
  });

  it('refuse a client with a wrong secret with 401 and a Basic challenge', async () => {
    const reply = await requestToken({}, { ...CLIENT, secret: 'guess' });
    shouldRefuse(reply, 401, 'invalid_client');
    should(reply.headers.get('www-authenticate')).match(/^Basic /);
  });

  it('refuse a request without a Basic header', async () => {
    const body = new URLSearchParams({ grant_type: 'password', ...USER });
    const reply = await fetch(`${service.baseUrl}/Token`, { method: 'POST', body });
    reply.status.should.equal(401);
  });

  it('refuse another grant type, a missing field and a duplicate field', async () => {
    shouldRefuse(await requestToken({ grant_type: 'client_credentials' }), 400, 'unsupported_grant_type');
    shouldRefuse(await requestToken({ username: '' }), 400, 'invalid_request');
    const { clientId, clientSecret } = await readCredentials(folder);
    const reply = await fetch(`${service.baseUrl}/Token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: 'grant_type=password&username=a&username=b&password=c',
    });
    reply.status.should.equal(400);
    should(await reply.json()).have.property('error', 'invalid_request');
  });

  it('expire an access token after 15 minutes', async () => {
    const { body } = await requestToken();
    now += 15 * 60 * 1000 - 1;
    (await statusWith(body.access_token)).should.equal(200);
    now += 1;
    (await statusWith(body.access_token)).should.equal(401);
  });

  it('renew tokens with a refresh token for 60 days', async () => {
    const { body } = await requestToken();
    now += 60 * 24 * 60 * 60 * 1000 - 1;
    const renewed = await refresh(body.refresh_token);
    (await statusWith(renewed.body.access_token)).should.equal(200);
    now += 60 * 24 * 60 * 60 * 1000;
    shouldRefuse(await refresh(renewed.body.refresh_token), 400, 'invalid_grant');
  });

  it('revoke the whole token family when a refresh token is used twice', async () => {
    const other = await requestToken();
    const first = await requestToken();
    const second = await refresh(first.body.refresh_token);
    shouldRefuse(await refresh(first.body.refresh_token), 400, 'invalid_grant');
    (await statusWith(second.body.access_token)).should.equal(401);
    shouldRefuse(await refresh(second.body.refresh_token), 400, 'invalid_grant');
    (await statusWith(other.body.access_token)).should.equal(200);
  });

  it('redeem a refresh token once when two requests send it concurrently', async () => {
    const { body } = await requestToken();
    const replies = await Promise.all([refresh(body.refresh_token), refresh(body.refresh_token)]);
    should(replies.map(({ status }) => status).sort((a, b) => a - b)).deepEqual([200, 400]);
  });

  it('refuse the refresh token of another client, and keep it valid', async () => {
    const { body } = await requestToken();
    const { clientId, clientSecret } = await readCredentials(folder);
    shouldRefuse(await refresh(body.refresh_token, { id: clientId, secret: clientSecret }), 400, 'invalid_grant');
    (await refresh(body.refresh_token)).status.should.equal(200);
  });

  for (const kind of ['access_token', 'refresh_token'])
    it(`end with their family when the client revokes the ${kind}`, async () => {
      const [first, other] = [await requestToken(), await requestToken()];
      const revoked = await revoke(first.body[kind]);
      should([revoked.status, revoked.body]).deepEqual([200, {}]);
      should(await statusWith(first.body.access_token)).equal(401);
      shouldRefuse(await refresh(first.body.refresh_token), 400, 'invalid_grant');
      should(await statusWith(other.body.access_token)).equal(200);
    });

  it('are not revoked by another client, a wrong secret or a form without a token', async () => {
    const { body } = await requestToken();
    const { clientId, clientSecret } = await readCredentials(folder);
    shouldRefuse(await revoke(body.access_token, { id: clientId, secret: clientSecret }), 400, 'invalid_grant');
    shouldRefuse(await revoke(body.access_token, { id: CLIENT.id, secret: 'guess' }), 401, 'invalid_client');
    shouldRefuse(await askForToken(folder, {}, CLIENT, 'Revoke'), 400, 'invalid_request');
    should((await revoke('unknown')).status).equal(200);
    should(await statusWith(body.access_token)).equal(200);
  });

  it('refuse a refresh token as a bearer token', async () => {
    const { body } = await requestToken();
    (await statusWith(body.refresh_token)).should.equal(401);
  });

  it('reply with 404 for the files, models and operations of another user', async () => {
    const owner = await logIn(folder);
    const { fileId } = (await owner.upload(CUBE, 'cube.stl')).body;
    const { operationId, result } = await owner.run('import', { fileId });
    const { body } = await requestToken();
    const other = callsWith(service.baseUrl, body.access_token);
    const replies = [
      await other.get(`file/${fileId}`),
      await other.get(`${operationId}/status`),
      await other.get(`${operationId}/import/result`),
      await other.post('import', { fileId }),
      await other.post('repair', { inputId: result.body.resultId }),
    ];
    should(replies.map(({ status }) => status)).deepEqual([404, 404, 404, 404, 404]);
  });
});
