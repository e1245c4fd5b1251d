import { readFile } from 'node:fs/promises';
import type { IdentityRow } from '../store/schema.js';
import { writeAtomically } from './write-atomically.js';

/** Reads the copy of the store identity in a data folder. Resolves with `undefined` if there is none that is readable. */
export async function readFolderIdentity(file: string): Promise<IdentityRow | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined); // a folder of an earlier version has none
  if (text === undefined) return undefined;
  try {
    const saved: Partial<Record<string, unknown>> = Object(JSON.parse(text));
    const { storeId, generation } = saved;
    if (typeof storeId !== 'string' || typeof generation !== 'number') return undefined;
    return { store_id: storeId, generation };
  } catch {
    return undefined; // the database is checked in any case, and the file is written again
  }
}

/** Writes the copy of the store identity. It survives a power loss once this resolves. */
export async function writeFolderIdentity(file: string, { store_id, generation }: IdentityRow): Promise<void> {
  await writeAtomically(file, `${JSON.stringify({ storeId: store_id, generation }, null, 2)}\n`);
}
