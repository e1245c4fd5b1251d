import { isDiskFull } from '../service-error.js';
import type { Connection } from '../store/open-connection.js';
import type { DamagedRow, RowParser } from './parse-rows.js';

/** The readable and valid rows of a table. `isComplete`: whether these are all; known once all have been read. */
export interface DamagedTable<Row> {
  rows: Iterable<Row>;
  isComplete: () => boolean;
}

const ROWID = 'recovered_rowid';

// Damaged keys can have any value. A table of the service never has so many rows.
const MAX_ROWID = 2 ** 40;

// Rows per query. libsql reads them before it returns the first one.
const MAX_ROWS = 256;

/** Runs a query. Returns `undefined` if the pages that it needs are damaged. */
function tryQuery<T>(query: () => T): T | undefined {
  try {
    return query();
  } catch (error) {
    if (isDiskFull(error)) throw error;
    return undefined;
  }
}

/**
 * Finds the next rowid, from `from` on, at which `isReadable`: doubles the distance until a row is readable, then goes
 * back to the first one after the last damaged one by bisection. Returns `undefined` if there is none.
 */
function findReadable(from: number, isReadable: (rowid: number) => boolean): number | undefined {
  let damaged = from - 1;
  let readable = from;
  for (let distance = 1; !isReadable(readable); distance *= 2) {
    damaged = readable;
    readable = from + distance;
    if (readable > MAX_ROWID) return undefined;
  }
  while (readable - damaged > 1) {
    const middle = Math.floor((damaged + readable) / 2);
    if (isReadable(middle)) readable = middle;
    else damaged = middle;
  }
  return readable;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Returns the text of a column. libsql ends the process if a text is not UTF-8, so it is read as bytes. */
function decodeText(value: unknown): unknown {
  const isBytes = value instanceof Uint8Array || value instanceof ArrayBuffer;
  return isBytes ? tryQuery(() => decoder.decode(value)) : value;
}

/** Returns the list of the columns that a table has, for a query. */
function selectExisting(connection: Connection, { table, columns }: RowParser<unknown>): string {
  const find = connection.prepare('select 1 from pragma_table_info(?) where name = ?');
  return columns
    .filter((column) => find.all(table, column).length > 0)
    .map((column) => `case typeof(${column}) when 'text' then cast(${column} as blob) else ${column} end as ${column}`)
    .join(', ');
}

/**
 * Returns the valid rows of a table of a damaged database. Where a page is damaged, it goes on with the next rowid that
 * is readable.
 */
export function readDamagedTable<Row>(connection: Connection, parser: RowParser<Row>): DamagedTable<Row> {
  let isComplete = true;

  function* readRows(): Generator<DamagedRow> {
    const columns = tryQuery(() => selectExisting(connection, parser));
    if (columns === undefined) isComplete = false;
    if (!columns) return; // the schema is damaged, or of an earlier version
    const query = `select rowid as ${ROWID}, ${columns} from "${parser.table}" where rowid >= ? order by rowid limit ?`;
    const read = (rowid: number, count: number) => tryQuery(() => connection.prepare(query).all(rowid, count));
    const isReadable = (rowid: number): boolean => read(rowid, 1) !== undefined;
    let count = MAX_ROWS;
    for (let next: number | undefined = 0; next !== undefined; ) {
      const first: number = next;
      const rows = read(first, count);
      if (rows === undefined) {
        isComplete = false;
        if (count === 1) next = findReadable(first + 1, isReadable);
        count = Math.ceil(count / 4); // reads up to the damaged page
        continue;
      }
      if (rows.length === 0) return;
      next = first;
      for (const row of rows) {
        const { [ROWID]: rowid, ...values }: DamagedRow = Object(row);
        if (Number(rowid) < MAX_ROWID) next = Math.max(next, Number(rowid) + 1);
        yield Object.fromEntries(Object.entries(values).map(([column, value]) => [column, decodeText(value)]));
      }
      if (next === first) {
        isComplete = false; // only damaged keys follow
        return;
      }
      count = Math.min(2 * count, MAX_ROWS);
    }
  }

  function* readValid(): Generator<Row> {
    for (const damaged of readRows()) {
      const row = parser.parse(damaged);
      if (row === undefined) isComplete = false;
      else yield row;
    }
  }

  return { rows: readValid(), isComplete: () => isComplete };
}
