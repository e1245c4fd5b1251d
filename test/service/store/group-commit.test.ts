import { sql } from 'kysely';
import should from 'should';
import type { Store } from '../../../src/service/store/database.js';
import { createGroupCommit, type GroupCommit } from '../../../src/service/store/group-commit.js';
import { registerFileBench } from '../support/file-bench.js';

describe('createGroupCommit', () => {
  let store: Store;
  let commit: GroupCommit;

  registerFileBench((bench) => ({ store } = bench));

  beforeEach(async () => {
    commit = createGroupCommit(store);
    await sql`create table entry (owner text not null, number integer unique)`.execute(store);
  });

  const insert = (owner: string, number: number): Promise<string> =>
    commit(owner, async (transaction) => {
      await sql`insert into entry values (${owner}, ${number})`.execute(transaction);
      if (number < 0) throw new Error(`${number} is refused`);
      return `${owner} ${number}`;
    });
  const readOwners = async (): Promise<string> => {
    const { rows } = await sql<{ owner: string }>`select owner from entry order by rowid`.execute(store);
    return rows.map(({ owner }) => owner).join(' ');
  };

  it('resolves with the result of each write', async () => {
    const results = await Promise.all([insert('ann', 1), insert('bob', 2), insert('ann', 3)]);
    should(results).deepEqual(['ann 1', 'bob 2', 'ann 3']);
    should(await insert('bob', 4)).equal('bob 4');
  });

  it('rolls back a write that throws, and commits the others', async () => {
    const [first, refused, duplicate, last] = await Promise.allSettled([
      insert('ann', 1),
      insert('bob', -1),
      insert('bob', 1),
      insert('ann', 2),
    ]);
    should([first.status, last.status]).deepEqual(['fulfilled', 'fulfilled']);
    should(refused).match({ reason: { message: '-1 is refused' } });
    should(duplicate).match({ reason: { code: /SQLITE_CONSTRAINT/ } });
    should(await readOwners()).equal('ann ann');
  });

  it('takes one write of each user in turn', async () => {
    const writes = Array.from({ length: 100 }, (_, index) => insert('bob', index));
    await Promise.all([...writes, insert('ann', 1000), insert('ann', 1001)]);
    should(await readOwners()).match(/^bob ann bob ann bob bob/);
  });

  it('gives each of many users a turn, also of more users than writes of a transaction', async () => {
    const owners = Array.from({ length: 11 }, (_, index) => `u${index}`);
    const writes = owners.flatMap((owner, user) => [1, 2, 3].map((round) => insert(owner, 100 * round + user)));
    await Promise.all(writes);
    should(await readOwners()).equal([...owners, ...owners, ...owners].join(' '));
  });

  it('rejects every write of a transaction that fails', async () => {
    await sql`pragma query_only = on`.execute(store); // all writes fail, as on a full disk
    const outcomes = await Promise.allSettled([insert('ann', 1), insert('bob', 2)]);
    should(outcomes.map(({ status }) => status)).deepEqual(['rejected', 'rejected']);
    await sql`pragma query_only = off`.execute(store);
    should(await insert('ann', 3)).equal('ann 3');
  });
});
