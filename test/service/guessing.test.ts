import should from 'should';
import { PASSWORD_COST } from '../../src/service/auth/passwords.js';
import { parseAddressFilter } from '../../src/service/callbacks/address-filter.js';
import type { RunningService } from '../../src/service/serve.js';
import { createFolder, removeFolder } from './support/data-folder.js';
import { readCredentials, startService } from './support/running.js';
import { addUserWithPassword } from './support/users.js';

const ANN = { username: 'ann', password: 'pässwörd of ann' };
const BOB = { username: 'bob', password: 'password of bob' };
const [OFFICE, HOME] = ['203.0.113.7', '198.51.100.9'];

describe('Guessing passwords', () => {
  let folder: string;
  let service: RunningService;

  before(async () => {
    folder = await createFolder();
    for (const { username, password } of [ANN, BOB]) await addUserWithPassword(folder, username, password);
  });

  beforeEach(async () => {
    service = await startService(folder, {
      passwordCost: PASSWORD_COST, // guesses are checked slowly, and wait for each other
      isTrustedProxy: parseAddressFilter('loopback'),
      limits: { freeLogins: 2, loginDelayMs: 10, maxLoginDelayMs: 50 },
    });
  });

  afterEach(() => service.close());

  after(() => removeFolder(folder));

  const request = async (
    address: string,
    form: Record<string, string>,
    more: { secret?: string; signal?: AbortSignal } = {},
  ) => {
    const { baseUrl, clientId, clientSecret } = await readCredentials(folder);
    const reply = await fetch(`${baseUrl}/Token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${clientId}:${more.secret ?? clientSecret}`)}`,
        'x-forwarded-for': address,
      },
      body: new URLSearchParams(form),
      signal: more.signal ?? null,
    });
    const body: { refresh_token?: string } = Object(await reply.json());
    return { status: reply.status, retryAfter: reply.headers.get('retry-after'), body };
  };

  const logIn = (address: string, user: typeof ANN, signal?: AbortSignal) =>
    request(address, { grant_type: 'password', ...user }, signal && { signal });

  const guess = (address: string, { username }: typeof ANN, signal?: AbortSignal) =>
    logIn(address, { username, password: 'guess' }, signal);

  it('lets both users in after wrong client secrets from their address', async () => {
    for (let count = 0; count < 12; count++) {
      const reply = await request(OFFICE, { grant_type: 'password', ...ANN }, { secret: 'guess' });
      should(reply.status).equal(401);
    }
    should((await logIn(OFFICE, ANN)).status).equal(200);
    should((await logIn(OFFICE, BOB)).status).equal(200);
  });

  it('lets a user in after wrong guesses, from the same address and from others, and other users', async () => {
    for (let count = 0; count < 6; count++) should((await guess(OFFICE, ANN)).status).equal(400);
    const replies = await Promise.all([logIn(HOME, ANN), logIn(OFFICE, BOB), logIn(OFFICE, ANN)]);
    should(replies.map(({ status }) => status)).deepEqual([200, 200, 200]);
  });

  it('lets a user in while guesses from the same address wait', async () => {
    for (let count = 0; count < 3; count++) await guess(OFFICE, ANN);
    const guesses = [guess(OFFICE, ANN), guess(OFFICE, ANN)];
    should((await logIn(OFFICE, ANN)).status).equal(200);
    should((await Promise.all(guesses)).map(({ status }) => status)).deepEqual([400, 400]);
  });

  it('refuses simultaneous guesses beyond a few with 429 and Retry-After', async () => {
    const guesses = await Promise.all(Array.from({ length: 20 }, () => guess(OFFICE, ANN)));
    const refused = guesses.filter(({ status }) => status === 429);
    should(refused.length).be.aboveOrEqual(10);
    for (const { retryAfter } of refused) should(retryAfter).equal('1');
    should((await logIn(OFFICE, ANN)).status).equal(200);
  });

  it('lets a user in before nearly all of 150 simultaneous guesses from another address', async () => {
    const stop = new AbortController();
    let checked = 0;
    const guesses = Array.from({ length: 150 }, async (_, index) => {
      const { status } = await guess(OFFICE, { username: `user ${index}`, password: '' }, stop.signal);
      if (status === 400) checked += 1;
      return status;
    });
    const all = Promise.allSettled(guesses);
    await Promise.race(guesses); // the others are in the queue, or refused
    should((await logIn(HOME, BOB)).status).equal(200);
    should(checked).be.below(32); // without turns, it would be the last of the 64 that wait
    stop.abort();
    await all;
  });

  it('does not count replays of used refresh tokens', async () => {
    const { body } = await logIn(OFFICE, ANN);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' };
    should((await request(OFFICE, refresh)).status).equal(200);
    for (let count = 0; count < 12; count++) should((await request(OFFICE, refresh)).status).equal(400);
    const other = await logIn(OFFICE, BOB);
    const otherRefresh = { grant_type: 'refresh_token', refresh_token: other.body.refresh_token ?? '' };
    should((await request(OFFICE, otherRefresh)).status).equal(200);
  });
});
