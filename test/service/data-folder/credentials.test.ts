import { readFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { createCredentialsWriter } from '../../../src/service/data-folder/credentials.js';
import { createAccounts } from '../../../src/service/store/accounts.js';
import type { Store } from '../../../src/service/store/database.js';
import { registerFileBench } from '../support/file-bench.js';

describe('credentials.json', () => {
  let folder: string;
  let store: Store;
  registerFileBench((opened) => ({ folder, store } = opened));

  const current = { baseUrl: 'http://127.0.0.1:1', instanceId: 'this one', now: 1 };

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
});
