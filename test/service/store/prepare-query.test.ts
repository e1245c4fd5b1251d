import should from 'should';
import type { Store } from '../../../src/service/store/database.js';
import { prepareFirst, prepareInsert } from '../../../src/service/store/prepare-query.js';
import { registerFileBench } from '../support/file-bench.js';

describe('a prepared query', () => {
  let store: Store;

  registerFileBench((bench) => ({ store } = bench));

  const insertUsage = prepareInsert('usage');
  const findUsage = prepareFirst((executor, owner: string) =>
    executor.selectFrom('usage').select(['owner', 'bytes']).where('owner', '=', owner).limit(1),
  );

  it('inserts rows with the same columns, whatever the order of their properties', async () => {
    await insertUsage(store, { owner: 'ann', bytes: 1 });
    await insertUsage(store, { bytes: 2, owner: 'bob' });
    should(await findUsage(store, 'ann')).eql({ owner: 'ann', bytes: 1 });
    should(await findUsage(store, 'bob')).eql({ owner: 'bob', bytes: 2 });
  });

  it('resolves with undefined if there is no row', async () => {
    should(await findUsage(store, 'ann')).equal(undefined);
  });

  it('takes part in the transaction that it runs in', async () => {
    const failing = store.transaction().execute(async (transaction) => {
      await insertUsage(transaction, { owner: 'ann', bytes: 1 });
      should(await findUsage(transaction, 'ann')).eql({ owner: 'ann', bytes: 1 });
      throw new Error('rolled back');
    });
    await should(failing).rejectedWith('rolled back');
    should(await findUsage(store, 'ann')).equal(undefined);
  });
});
