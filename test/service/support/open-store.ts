import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { Store } from '../../../src/service/store/database.js';
import type { Migration } from '../../../src/service/store/migrations.js';
import { POSTGRES_MIGRATIONS } from '../../../src/service/store/postgres/migrations.js';
import { openPostgres } from '../../../src/service/store/postgres.js';
import { openStore as openSqlite } from '../../../src/service/store/sqlite.js';
import { PostgresServer } from '../../helpers/postgres-server.js';

/** Whether the store is in PostgreSQL: `STORE=postgres mocha test/service/store/…`. Default: SQLite. */
export const isPostgres = process.env.STORE === 'postgres';

let server: Promise<PostgresServer> | undefined;
let databaseCount = 0;

if (isPostgres) after(async () => (await server)?.stop());

/** Creates a database whose URL is in `file`, so that it is the same one as long as the file exists. */
async function createDatabase(file: string): Promise<void> {
  server ??= PostgresServer.share();
  databaseCount += 1;
  await writeFile(file, await (await server).createDatabase(`store_${databaseCount}`));
}

/** Opens a store as `openStore` of `sqlite.ts` does, in the database that `STORE` selects. */
export async function openStore(file: string, migrations?: readonly Migration[]): Promise<Store> {
  if (!isPostgres) return openSqlite(file, migrations);
  if (!existsSync(file)) await createDatabase(file);
  return openPostgres({
    url: await readFile(file, 'utf8'),
    maxConnections: 1, // simultaneous queries run in the order of their calls, as in SQLite
    connectTimeoutMs: 60_000,
    migrations: migrations ?? POSTGRES_MIGRATIONS,
    logger: { warn: () => undefined },
  });
}
