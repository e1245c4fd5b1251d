import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import Database from 'libsql';
import should from 'should';
import { openSharedStore } from '../../../src/service/data-folder/open-data-store.js';
import { rollBackJournal } from '../../../src/service/store/roll-back-journal.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import { createFolder, removeFolder, useFolder } from '../support/data-folder.js';

const JOURNAL = 'service.db-journal';

describe('a database with the journal of an interrupted transaction', () => {
  let folder: string;
  let crashed: string;

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    crashed = await createFolder();
  });

  afterEach(() => removeFolder(crashed));

  /** Copies the database and its journal, as a crash in the middle of a transaction would leave them. */
  const crashDuringTransaction = async (): Promise<void> => {
    const connection = new Database(path.join(folder, 'service.db'));
    connection.exec('pragma cache_size = 1'); // writes pages before the commit
    connection.exec('begin immediate');
    connection.exec('create table half_done (text)');
    const insert = connection.prepare('insert into half_done values (?)');
    for (let row = 0; row < 100; row++) insert.run('a'.repeat(3000));
    for (const name of ['service.db', JOURNAL]) await copyFile(path.join(folder, name), path.join(crashed, name));
    connection.exec('rollback');
    connection.close();
  };

  const findTables = async (): Promise<string[]> => {
    const store = await openSharedStore(crashed);
    const tables = await store.introspection.getTables();
    await store.destroy();
    return tables.map(({ name }) => name);
  };

  it('is rolled back if the database was being created', async () => {
    await crashDuringTransaction();
    should(await findTables())
      .containEql('file')
      .and.not.containEql('half_done');
  });

  it('is rolled back if only the size of a new database was written', async () => {
    await crashDuringTransaction();
    const file = path.join(crashed, 'service.db');
    await writeFile(file, Buffer.alloc((await readFile(file)).length));
    should(await findTables())
      .containEql('file')
      .and.not.containEql('half_done');
  });

  it('is rolled back if the database was restored and has no write-ahead log yet', async () => {
    const original = await openStore(path.join(crashed, 'service.db'));
    await original.insertInto('user').values({ id: '1', username: 'anna', password_hash: '', created_at: 1 }).execute();
    await sql`vacuum into ${path.join(folder, 'service.db')}`.execute(original);
    await original.destroy();
    // Forced, since the library may close the database late, and deletes its log then.
    for (const name of await readdir(crashed)) await rm(path.join(crashed, name), { force: true });
    await crashDuringTransaction();
    should(await findTables()).not.containEql('half_done');
    const recovered = await openSharedStore(crashed);
    should(await recovered.selectFrom('user').select('username').execute()).eql([{ username: 'anna' }]);
    await recovered.destroy();
  });

  it('leaves a journal alone that is older than the write-ahead log', async () => {
    await (await openStore(path.join(crashed, 'service.db'))).destroy();
    const journal = path.join(crashed, JOURNAL);
    await writeFile(journal, 'stale');
    await writeFile(path.join(crashed, 'service.db-wal'), Buffer.alloc(100));
    await rollBackJournal(path.join(crashed, 'service.db'), 0);
    should(await readFile(journal, 'utf8')).equal('stale');
  });
});
