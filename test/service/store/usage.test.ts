import { sql } from 'kysely';
import should from 'should';
import { createAccounts } from '../../../src/service/store/accounts.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { createFiles } from '../../../src/service/store/files.js';
import { MIGRATIONS } from '../../../src/service/store/migrations.js';
import { createUsage } from '../../../src/service/store/usage.js';
import { removeFolder } from '../support/data-folder.js';
import { registerFileBench } from '../support/file-bench.js';
import { openStore } from '../support/open-store.js';
import { recordOf } from '../support/records.js';

describe('the usage of each user', () => {
  let file: string;
  let store: Store;

  registerFileBench((bench) => ({ file, store } = bench));

  const rowOf = (id: string, owner: string, size: number) => ({
    ...createFileRow(recordOf(id, '', { owner }), 1),
    size,
  });

  const byOwner = async () => Object.fromEntries(await createUsage(store).byOwner());

  it('follows every way in which a file is added, deleted, restored and forgotten', async () => {
    const files = createFiles(store);
    await files.add(rowOf('a1', 'ann', 100));
    await files.add(rowOf('a2', 'ann', 20));
    await files.add(rowOf('b1', 'bob', 3));
    should(await byOwner()).deepEqual({ ann: 120, bob: 3 });
    await files.markDeleted('a1', 9, 9);
    await files.markDeleted('a1', 9, 9);
    await files.setDeleted('b1', 9);
    should(await byOwner()).deepEqual({ ann: 20 });
    await files.setDeleted('b1', 10);
    await files.restore(rowOf('a1', 'ann', 100));
    await files.restore(rowOf('a1', 'ann', 100));
    await files.restore(rowOf('b2', 'bob', 4));
    should(await byOwner()).deepEqual({ ann: 120, bob: 4 });
    await files.markLost('a2', 9, 9);
    await files.purgeDeleted(100);
    await store.deleteFrom('file').where('id', '=', 'b2').execute();
    should(await byOwner()).deepEqual({ ann: 100 });
    should(await files.totalBytes()).equal(100);
  });

  it('is undone with the transaction that changed a file', async () => {
    const add = store.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('file')
        .values(rowOf('a1', 'ann', 100))
        .execute();
      throw new Error('rolled back');
    });
    await add.should.be.rejectedWith('rolled back');
    should(await byOwner()).deepEqual({});
  });

  it('is summarized with the quota of a user', async () => {
    const accounts = createAccounts(store);
    const user = { username: 'ann', password_hash: '', created_at: 0 };
    await store.insertInto('identity').values({ store_id: 's', generation: 0 }).execute();
    await accounts.addUser({ id: 'ann', ...user });
    await createFiles(store).add(rowOf('a1', 'ann', 100));
    await createFiles(store).add(rowOf('b1', 'bob', 3));
    const { summarize } = createUsage(store);
    should(await summarize('ann')).deepEqual({ totalBytes: 103, ownBytes: 100, quotaBytes: null });
    should(await accounts.setQuota('ann', 5000)).be.true();
    should(await accounts.setQuota('nobody', 5000)).be.false();
    should(await summarize('ann')).deepEqual({ totalBytes: 103, ownBytes: 100, quotaBytes: 5000 });
    should(await summarize('new')).deepEqual({ totalBytes: 103, ownBytes: 0, quotaBytes: null });
  });

  it('is computed for the files of an earlier version', async () => {
    await store.destroy();
    await removeFolder(file);
    store = await openStore(file, MIGRATIONS.slice(0, 7));
    for (const [id, owner] of [
      ['a1', 'ann'],
      ['a2', 'ann'],
      ['b1', 'bob'],
    ] as const) {
      await createFiles(store).add(rowOf(id, owner, 50));
    }
    await sql`update file set deleted_at = 1 where id = 'b1'`.execute(store);
    await store.destroy();
    store = await openStore(file);
    should(await byOwner()).deepEqual({ ann: 100 });
    await createFiles(store).setDeleted('a1', 9);
    should(await byOwner()).deepEqual({ ann: 50 });
  });
});
