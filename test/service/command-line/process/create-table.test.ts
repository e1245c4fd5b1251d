import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { createTable, serializeRow } from '../../../../src/service/command-line/process/create-table.js';
import { useFolder } from '../../support/data-folder.js';

describe('serializeRow', () => {
  for (const [cell, text] of [
    ['plain text', 'plain text'],
    ['a,b', '"a,b"'],
    ['6" pipe', '"6"" pipe"'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=1+1', `"'=1+1"`],
    ['+1.stl', `"'+1.stl"`],
    ['-1.stl', `"'-1.stl"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['\n=1', `"'\n=1"`],
    ['＝1', `"'＝1"`],
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['a=b', 'a=b'],
    [-0.1, '-0.1'],
    [0.1, '0.1'],
    [false, 'false'],
    [undefined, ''],
  ] as const) {
    it(`writes ${JSON.stringify(cell)} as ${JSON.stringify(text)}`, () => {
      serializeRow([1, cell, 2]).should.equal(`1,${text},2\r\n`);
    });
  }
});

describe('createTable', () => {
  let folder: string;

  useFolder((created) => (folder = created));

  it('has each row on the disk once it is added', async () => {
    const table = await createTable(path.join(folder, 'below/models.csv'));
    await table.add({
      input: 'a.stl',
      isSuccessful: false,
      error: { code: 'FILE_EMPTY', message: 'No triangles, none' },
    });
    const [, row] = (await readFile(table.file, 'utf8')).split('\r\n');
    should(row).match(/^a\.stl,,,failed,.*,FILE_EMPTY,"No triangles, none",$/);
    await table.close();
  });

  it('rejects if the file cannot be created', async () => {
    await mkdir(path.join(folder, 'file.csv'));
    const file = path.join(folder, 'missing\0name.csv');
    await createTable(file).should.be.rejectedWith(/^Could not write .*missing/);
  });
});
