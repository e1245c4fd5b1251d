import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import should from 'should';
import { createCredentialsWriter } from '../../../src/service/data-folder/credentials.js';
import { createAccounts } from '../../../src/service/store/accounts.js';
import type { Store } from '../../../src/service/store/database.js';
import { registerFileBench } from '../support/file-bench.js';

describe('credentials.json', () => {
  let folder: string;
  let store: Store;
  registerFileBench((opened) => ({ folder, store } = opened));

  const current = { baseUrl: 'http://127.0.0.1:1', instanceId: 'this one', identityKey: 'key', now: 1 };

  it('has the only account, however often writing it failed after a change of the database', async () => {
    let failures = 2;
    const failOnDiskFull = async (): Promise<void> => {
      failures -= 1;
      if (failures >= 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    const accounts = createAccounts(store, failOnDiskFull);
    const file = path.join(folder, 'credentials.json');
    const write = createCredentialsWriter(file, accounts, current);
    await write().should.be.rejectedWith({ code: 'ENOSPC' });
    await write().should.be.rejectedWith({ code: 'ENOSPC' });
    const { clientId, username } = await write();
    should(JSON.parse(await readFile(file, 'utf8'))).match({ instanceId: 'this one', clientId, username });
    should((await accounts.listClients()).map(({ id }) => id)).deepEqual([clientId]);
    should((await accounts.listUsers()).map((user) => user.username)).deepEqual([username]);
  });

  it('has an account whose client and user were added together', async () => {
    await sql`create trigger refused before insert on user begin select raise(abort, 'refused'); end`.execute(store);
    const accounts = createAccounts(store);
    const write = createCredentialsWriter(path.join(folder, 'credentials.json'), accounts, current);
    await write().should.be.rejectedWith(/refused/);
    should(await accounts.listClients()).be.empty();
    await sql`drop trigger refused`.execute(store);
    const { clientId, username } = await write();
    should(await accounts.findClient(clientId)).be.ok();
    const user = await accounts.findUser(username);
    should(await accounts.listOwners()).deepEqual([user?.id]);
  });
});
