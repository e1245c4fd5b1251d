import should from 'should';
import { hashPassword, verifyPassword } from '../../../src/service/auth/passwords.js';
import { createNewAccount } from '../../../src/service/data-folder/credentials.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { LOWEST_COST, startService } from '../support/running.js';
import { withStore } from '../support/users.js';

const DEFAULT_HASH = /^scrypt\$32768\$8\$3\$/;

describe('the cost of a password', () => {
  it('is N = 2^15, r = 8, p = 3 by default', async () => {
    should(await hashPassword('a password')).match(DEFAULT_HASH);
    should(await createNewAccount().hashPassword()).match(DEFAULT_HASH);
  });

  it('is that default for the owner of a service', async () => {
    const folder = await createFolder();
    const service = await startService(folder, { passwordCost: undefined });
    const users = await withStore(folder, (store) => store.selectFrom('user').select('password_hash').execute());
    await service.close();
    await removeFolder(folder);
    should(users).match([{ password_hash: DEFAULT_HASH }]);
  });

  it('is stored with the hash, which is checked with it', async () => {
    const stored = await hashPassword('a password', { N: 4, r: 2, p: 1 });
    should(stored).startWith('scrypt$4$2$1$');
    should(await verifyPassword('a password', stored)).equal(true);
    should(await verifyPassword('another one', stored)).equal(false);
  });

  it('is also paid for an unknown user, whose password is always wrong', async () => {
    should(await verifyPassword('', undefined, LOWEST_COST)).equal(false);
    await verifyPassword('', undefined, { N: 3, r: 1, p: 1 }).should.be.rejectedWith({
      code: 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS',
    });
  });
});
