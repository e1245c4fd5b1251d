import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import type { RowParser } from '../../../src/service/recovery/parse-rows.js';
import { readDamagedTable } from '../../../src/service/recovery/read-damaged-table.js';
import { openConnection } from '../../../src/service/store/open-connection.js';
import { useFolder } from '../support/data-folder.js';

const PAGE = 4096;
const ROWS = 2000;
const TEXT = 'x'.repeat(300);

interface Row {
  id: string;
  text: string;
}

const PARSER: RowParser<Row> = {
  table: 'operation',
  columns: ['id', 'text', 'added_later'],
  parse: ({ id, text }) => (typeof id === 'string' && text === TEXT ? { id, text } : undefined),
};

describe('readDamagedTable', () => {
  let folder: string;
  let file: string;

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    file = path.join(folder, 'test.db');
    const connection = await openConnection(file, 0);
    connection.exec('create table operation (id text primary key, text text); begin');
    const insert = connection.prepare('insert into operation values (?, ?)');
    for (let index = 0; index < ROWS; index++) insert.run(`id ${index}`, TEXT);
    connection.exec('commit');
    connection.close();
  });

  /** Overwrites bytes of every nth page, from the fifth on. The first ones lead to all others. */
  const damage = async (everyNth: number, offset: number, length: number): Promise<void> => {
    const { size } = await stat(file);
    const handle = await open(file, 'r+');
    for (let start = 4 * PAGE; start < size; start += everyNth * PAGE) {
      await handle.write(Buffer.alloc(length, 0xa5), 0, length, start + offset);
    }
    await handle.close();
  };

  const read = async (): Promise<{ ids: Set<string>; isComplete: boolean }> => {
    const connection = await openConnection(file, 0);
    const table = readDamagedTable(connection, PARSER);
    const ids = new Set([...table.rows].map(({ id }) => id));
    connection.close();
    return { ids, isComplete: table.isComplete() };
  };

  it('returns all rows of a sound table, without columns that it does not have', async () => {
    const { ids, isComplete } = await read();
    should(ids.size).equal(ROWS);
    should(isComplete).be.true();
  });

  for (const [everyNth, share] of [
    [2, 0.4],
    [7, 0.8],
    [50, 0.9],
  ] as const) {
    it(`returns at least ${share * 100} % of the rows if one of ${everyNth} pages is overwritten`, async () => {
      await damage(everyNth, 0, PAGE);
      const { ids, isComplete } = await read();
      ids.size.should.be.within(share * ROWS, ROWS - 1);
      should(isComplete).be.false();
    });
  }

  it('skips rows with texts that are not UTF-8', async () => {
    await damage(3, PAGE - 100, 10);
    const { ids, isComplete } = await read();
    ids.size.should.be.within(0.8 * ROWS, ROWS - 1);
    should(isComplete).be.false();
  });

  it('returns nothing if all pages are overwritten, or the file is no database', async () => {
    await damage(1, 0, PAGE);
    should((await read()).isComplete).be.false();
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(PAGE, 0xa5), 0, PAGE, 0);
    await handle.close();
    should(await read()).deepEqual({ ids: new Set(), isComplete: false });
  });

  it('returns nothing for a table that does not exist', async () => {
    const connection = await openConnection(file, 0);
    const table = readDamagedTable(connection, { ...PARSER, table: 'scrub' });
    should([...table.rows]).be.empty();
    should(table.isComplete()).be.true();
    connection.close();
  });
});
