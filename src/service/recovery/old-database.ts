import { copyFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isUnreadable } from '../blobs/blob-damage.js';
import { isMissing } from '../machine/is-missing.js';
import { StartError } from '../start-error.js';
import { isWalDamaged } from '../store/check-wal.js';
import { MIGRATIONS } from '../store/migrations.js';
import { type Connection, openConnection } from '../store/open-connection.js';
import { findDatabaseDamage } from '../store/quick-check.js';
import { rollBackJournal } from '../store/roll-back-journal.js';
import { LOCK_WAIT_MS } from '../store/sqlite.js';
import { IDENTITIES, type RowParser, VERSIONS } from './parse-rows.js';
import { type DamagedTable, readDamagedTable } from './read-damaged-table.js';

/** What is left of the database of a data folder. */
export interface OldDatabase {
  /** `foreign`: it belongs to another data folder, and is not read. */
  state: 'missing' | 'sound' | 'damaged' | 'foreign';
  /** Why it is damaged. */
  reason: string | undefined;
  /** `undefined` if it is not readable. */
  storeId: string | undefined;
  /** 0 if it is not readable. */
  generation: number;
  /** Returns the readable rows of a table. */
  readTable<Row>(parser: RowParser<Row>): DamagedTable<Row>;
  close(): void;
}

async function hasContent(file: string): Promise<boolean> {
  const stats = await stat(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return stats !== undefined && stats.size > 0;
}

interface Copy {
  file: string;
  /** The first defect. */
  damage: string | undefined;
  /** Whether rows may be missing because the disk cannot read them. */
  isPartial: boolean;
}

/** Copies a file. Resolves with false, and an empty copy, if the disk cannot read it. */
async function copyIfReadable(file: string, target: string): Promise<boolean> {
  try {
    await copyFile(file, target);
    return true;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    await writeFile(target, '');
    return false;
  }
}

/** Copies the database, since opening it would change it, and its write-ahead log. Resolves with `undefined` if both are missing. */
async function copyDatabase(storeFile: string, workFolder: string): Promise<Copy | undefined> {
  const log = `${storeFile}-wal`;
  const [hasDatabase, hasLog] = [await hasContent(storeFile), await hasContent(log)];
  if (!hasDatabase && !hasLog) return undefined;
  const file = path.join(workFolder, 'old.db');
  // A log alone has the pages that were written since it was emptied. Beside an empty database SQLite reads it.
  if (!hasDatabase) await writeFile(file, '');
  const isReadable = !hasDatabase || (await copyIfReadable(storeFile, file));
  const isLogReadable = !hasLog || (await copyIfReadable(log, `${file}-wal`));
  if (!isReadable) return { file, damage: 'the disk cannot read it', isPartial: true };
  if (!isLogReadable) return { file, damage: 'the disk cannot read its write-ahead log', isPartial: true };
  if (await hasContent(`${storeFile}-journal`)) await copyFile(`${storeFile}-journal`, `${file}-journal`);
  await rollBackJournal(file, LOCK_WAIT_MS);
  const isLogDamaged = await isWalDamaged(`${file}-wal`); // before a connection is open
  const damage = await findDatabaseDamage(file, LOCK_WAIT_MS);
  if (damage === undefined && isLogDamaged) {
    return { file, damage: 'a checksum of its write-ahead log is wrong', isPartial: false };
  }
  if (damage === undefined || !hasDatabase || !hasLog) return { file, damage, isPartial: false };
  // A log of another database makes a sound one look damaged.
  const alone = path.join(workFolder, 'old-without-wal.db');
  await copyFile(storeFile, alone);
  const isIntact = (await findDatabaseDamage(alone, LOCK_WAIT_MS)) === undefined;
  return { file: isIntact ? alone : file, damage, isPartial: false };
}

function checkVersion(connection: Connection): void {
  const [row] = readDamagedTable(connection, VERSIONS).rows;
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  if (!row || row.version <= newest) return;
  const reason = `its database has version ${row.version}, and this program supports versions up to ${newest}`;
  throw new StartError('FOLDER_NEWER', `Could not recover the data folder: ${reason}. Install a newer version.`);
}

/**
 * Opens a copy of the database of a data folder, which stays as it is, to read what is readable. `storeId`: the known id
 * of the store. Throws `FOLDER_NEWER` if a newer version of the program wrote it.
 */
export async function openOldDatabase(
  storeFile: string,
  workFolder: string,
  storeId: string | undefined,
): Promise<OldDatabase> {
  const copy = await copyDatabase(storeFile, workFolder);
  const none = {
    reason: undefined,
    storeId: undefined,
    generation: 0,
    readTable: () => ({ rows: [], isComplete: () => true }),
    close: () => undefined,
  };
  if (!copy) return { state: 'missing', ...none };
  const connection = await openConnection(copy.file, LOCK_WAIT_MS);
  try {
    checkVersion(connection);
    const [identity] = readDamagedTable(connection, IDENTITIES).rows;
    if (storeId !== undefined && identity && identity.store_id !== storeId) {
      connection.close();
      return { state: 'foreign', ...none };
    }
    return {
      state: copy.damage === undefined ? 'sound' : 'damaged',
      reason: copy.damage,
      storeId: identity?.store_id,
      generation: identity?.generation ?? 0,
      readTable(parser) {
        const table = readDamagedTable(connection, parser);
        return copy.isPartial ? { ...table, isComplete: () => false } : table;
      },
      close: () => void connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
