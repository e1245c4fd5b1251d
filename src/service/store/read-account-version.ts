import { openReadOnly } from './open-connection.js';

/** Identifies the state of the users and clients in a database. */
export interface AccountVersion {
  /** `undefined` in a database of a version without identity. */
  storeId: string | undefined;
  /** 0 in a database of a version without it. */
  serial: number;
}

/** Reads the state of the users and clients over a read-only connection, before the database is upgraded. */
export async function readAccountVersion(file: string, waitMs: number): Promise<AccountVersion> {
  const connection = await openReadOnly(file, waitMs);
  const read = (table: string, column: string): unknown => {
    const exists = connection.prepare('select 1 from sqlite_schema where name = ?').get(table) !== undefined;
    return exists ? Object(connection.prepare(`select ${column} from ${table}`).get())[column] : undefined;
  };
  try {
    const storeId = read('identity', 'store_id');
    return {
      storeId: typeof storeId === 'string' ? storeId : undefined,
      serial: Number(read('account_serial', 'serial') ?? 0),
    };
  } finally {
    connection.close();
  }
}
