import { access } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import should from 'should';
import { createFiles } from '../../../src/service/store/files.js';
import { MIGRATIONS, migrate } from '../../../src/service/store/migrations.js';
import { openConnection } from '../../../src/service/store/open-connection.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import { useFolder } from '../support/data-folder.js';

const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;

const NEXT = {
  version: NEWEST + 1,
  up: async (db: Parameters<(typeof MIGRATIONS)[0]['up']>[0]): Promise<void> => {
    await sql`alter table user add column email text`.execute(db);
  },
};

const BROKEN = {
  version: NEWEST + 1,
  up: async (db: Parameters<(typeof MIGRATIONS)[0]['up']>[0]): Promise<void> => {
    await NEXT.up(db);
    await sql`alter table nothing add column email text`.execute(db);
  },
};

describe('openStore', () => {
  let folder: string;
  let file: string;

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    file = path.join(folder, 'service.db');
  });

  const columns = async (migrations = MIGRATIONS): Promise<string[]> => {
    const store = await openStore(file, migrations);
    const { rows } = await sql<{ name: string }>`select name from pragma_table_info('user')`.execute(store);
    await store.destroy();
    return rows.map(({ name }) => name);
  };

  it('creates a database, and opens it again unchanged', async () => {
    const migrated = await columns();
    migrated.should.containEql('password_hash');
    (await columns()).should.deepEqual(migrated);
  });

  it('leaves an empty database empty if a migration fails', async () => {
    await openStore(file, [...MIGRATIONS, BROKEN]).should.be.rejected();
    const connection = await openConnection(file, 0);
    should(connection.prepare('select name from sqlite_schema').all()).be.empty();
    connection.close();
  });

  it('syncs each commit to the disk', async () => {
    const store = await openStore(file);
    const { rows } = await sql`pragma synchronous`.execute(store);
    rows.should.deepEqual([{ synchronous: 2 }]);
    const mode = await sql`pragma journal_mode`.execute(store);
    mode.rows.should.deepEqual([{ journal_mode: 'wal' }]);
    await store.destroy();
  });

  it('runs migrations after copying the old database', async () => {
    await columns();
    (await columns([...MIGRATIONS, NEXT])).should.containEql('email');
    await access(`${file}.v${NEWEST}`);
  });

  it('keeps the age of existing files', async () => {
    const old = await openStore(file, MIGRATIONS.slice(0, 3));
    const columns = sql`id, owner, kind, filename, media_type, size, created_at, read_at`;
    await sql`insert into file (${columns}) values ('f', 'me', 'file', 'a.stl', 'model/stl', 1, 7, 8)`.execute(old);
    await old.destroy();
    const store = await openStore(file);
    should(await createFiles(store).find('f', 'me')).match({ created_at: 7, retained_from: 7, read_at: 8 });
    await store.destroy();
  });

  it('keeps the old version if a migration fails', async () => {
    await columns();
    await openStore(file, [...MIGRATIONS, BROKEN]).should.be.rejected();
    (await columns()).should.not.containEql('email');
  });

  for (const from of [0, NEWEST]) {
    it(`repeats no migration that another process has run since the version was read (${from})`, async () => {
      const store = await openStore(file, [...MIGRATIONS, NEXT]);
      await migrate(store, from, [...MIGRATIONS, NEXT]);
      (await sql`select version from store`.execute(store)).rows.should.deepEqual([{ version: NEXT.version }]);
      await store.destroy();
    });
  }

  it('throws FOLDER_NEWER for a newer database, with both versions', async () => {
    await columns([...MIGRATIONS, NEXT]);
    await openStore(file).should.be.rejectedWith({
      code: 'FOLDER_NEWER',
      message: new RegExp(`version ${NEXT.version}, .* up to ${NEWEST}`),
    });
  });
});
