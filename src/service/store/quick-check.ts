import { openReadOnly } from './open-connection.js';

// Result codes of SQLite for a file that it cannot use.
const DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB|IOERR_(?:SHORT_READ|READ|CORRUPTFS))/;

/**
 * Checks the structure of a database over a read-only connection, so that a damaged one stays as it is. Resolves with
 * the first defect, or `undefined` if there is none.
 */
export async function findDatabaseDamage(file: string, waitMs: number): Promise<string | undefined> {
  const connection = await openReadOnly(file, waitMs);
  try {
    // libsql ends the process if a text is not UTF-8, and the result contains names from the database.
    const query = 'select hex(quick_check) as result from pragma_quick_check(1)';
    const result = Buffer.from(String(Object(connection.prepare(query).get()).result), 'hex').toString();
    return result === 'ok' ? undefined : result;
  } catch (error) {
    if (error instanceof Error && 'code' in error && DAMAGE.test(String(error.code))) return error.message;
    throw error;
  } finally {
    connection.close();
  }
}
