import { randomUUID } from 'node:crypto';
import should from 'should';
import { callsWith } from '../service/support/account.js';
import { createFolder, removeFolder } from '../service/support/data-folder.js';
import { type Program, startServe } from '../service/support/program.js';
import { readCredentials } from '../service/support/running.js';
import { type Account, type Grant, OAUTH_CLIENTS } from './oauth-clients.js';

const tokens = (grant: Grant): { access: string; refresh: string } => {
  if ('error' in grant) throw new Error(`the grant was refused: ${grant.error}`);
  return grant;
};

describe('clients of OAuth that others wrote', () => {
  let folder: string;
  let service: Program;
  let account: Account;

  const statusWith = async (token: string): Promise<number> =>
    (await callsWith(account.baseUrl, token).get(`${randomUUID()}/status`)).status;

  for (const client of OAUTH_CLIENTS) {
    describe(client.name, () => {
      before(async () => {
        folder = await createFolder();
        service = await startServe(folder);
        account = await readCredentials(folder);
      });

      after(async () => {
        service.child.kill('SIGTERM');
        await service.ended;
        await removeFolder(folder);
      });

      it('gets tokens for a password, which open the API', async () => {
        const { access } = tokens(await client.byPassword(account));
        (await statusWith(access)).should.equal(404); // let in, and nothing there
      });

      it('gets a new pair for a refresh token, again and again', async () => {
        const first = tokens(await client.byPassword(account));
        const second = tokens(await client.byRefreshToken(account, first.refresh));
        const third = tokens(await client.byRefreshToken(account, second.refresh));
        should(new Set([first.access, second.access, third.access]).size).equal(3);
        (await statusWith(third.access)).should.equal(404);
      });

      it('is refused a refresh token that was used, and loses all tokens that descend from it', async () => {
        const first = tokens(await client.byPassword(account));
        const second = tokens(await client.byRefreshToken(account, first.refresh));
        should(await client.byRefreshToken(account, first.refresh)).deepEqual({ error: 'invalid_grant' });
        (await statusWith(second.access)).should.equal(401);
        should(await client.byRefreshToken(account, second.refresh)).deepEqual({ error: 'invalid_grant' });
      });

      it('understands that the password or its own secret is wrong', async () => {
        const wrong = await client.byPassword({ ...account, password: 'guess' });
        should(wrong).deepEqual({ error: 'invalid_grant' });
        const stranger = await client.byPassword({ ...account, clientSecret: 'guess' });
        should(stranger).deepEqual({ error: 'invalid_client' });
      });
    });
  }
});
