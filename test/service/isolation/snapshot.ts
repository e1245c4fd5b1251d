import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { withStore } from '../support/users.js';

/** Reads all rows of all tables that contain one of these ids. */
function readRows(folder: string, ids: ReadonlySet<unknown>): Promise<string[]> {
  return withStore(folder, async (store) => {
    const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(store);
    const lines: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(store);
      const related = rows.filter((row) => Object.values(row).some((value) => ids.has(value)));
      lines.push(...related.map((row) => `${name} ${JSON.stringify(row)}`));
    }
    return lines;
  });
}

/** Reads the hashes of all files on the disk whose name contains one of these ids. */
async function readFiles(folder: string, ids: ReadonlySet<unknown>): Promise<string[]> {
  const names = await readdir(path.join(folder, 'blobs'), { recursive: true });
  const related = names.filter((name) => ids.has(/[0-9a-f-]{36}/.exec(name)?.[0]));
  const lines = related.map(async (name) => {
    const bytes = await readFile(path.join(folder, 'blobs', name));
    return `${name} ${createHash('sha256').update(bytes).digest('hex')}`;
  });
  return Promise.all(lines);
}

/** Reads everything in a data folder that belongs to these ids of users, files and operations. */
export async function readSnapshot(folder: string, ids: readonly string[]): Promise<string[]> {
  const known = new Set<unknown>(ids);
  const lines = [...(await readRows(folder, known)), ...(await readFiles(folder, known))];
  return lines.sort((first, second) => (first < second ? -1 : 1));
}
