import { copyFile, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import should from 'should';
import { isWalDamaged } from '../../../src/service/store/check-wal.js';
import type { Store } from '../../../src/service/store/database.js';
import { openStore, truncateWal } from '../../../src/service/store/sqlite.js';
import { useFolder } from '../support/data-folder.js';

describe('isWalDamaged', () => {
  let folder: string;
  let store: Store;
  let copy: string;

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    copy = path.join(folder, 'copy-wal');
    store = await openStore(path.join(folder, 'service.db'));
    await truncateWal(store);
    for (const id of ['a', 'b', 'c']) await addClient(id);
    await copyFile(path.join(folder, 'service.db-wal'), copy);
  });

  afterEach(() => store.destroy());

  const addClient = async (id: string): Promise<void> => {
    await store.insertInto('client').values({ id, secret_hash: 'x', created_at: 0 }).execute();
  };

  const isDamagedWith = async (change: (bytes: Buffer) => void): Promise<boolean> => {
    const bytes = await readFile(copy);
    change(bytes);
    await writeFile(copy, bytes);
    return isWalDamaged(copy);
  };

  const flip = (offset: number) => (bytes: Buffer) => {
    bytes.writeUInt8(bytes.readUInt8(offset) ^ 1, offset);
  };

  it('accepts an intact log, an empty one and none', async () => {
    should(await isWalDamaged(copy)).be.false();
    should(await isWalDamaged(path.join(folder, 'none'))).be.false();
    await writeFile(copy, '');
    should(await isWalDamaged(copy)).be.false();
  });

  it('accepts a log whose last commit was interrupted', async () => {
    await truncate(copy, (await readFile(copy)).length - 1000);
    should(await isWalDamaged(copy)).be.false();
  });

  it('accepts the older frames that follow after a restart of the log', async () => {
    await sql`pragma wal_checkpoint(restart)`.execute(store);
    await addClient('d');
    should(await isWalDamaged(path.join(folder, 'service.db-wal'))).be.false();
  });

  for (const [what, offset] of [
    ['the header', 4],
    ['the salt of a frame', 32 + 9],
    ['a page', 32 + 24 + 1000],
  ] as const) {
    it(`finds a flipped bit in ${what}`, async () => {
      should(await isDamagedWith(flip(offset))).be.true();
    });
  }
});
