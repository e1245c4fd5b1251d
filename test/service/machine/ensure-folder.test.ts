import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { ensureFolder } from '../../../src/service/machine/ensure-folder.js';
import { createFolder, removeFolder } from '../support/data-folder.js';

describe('a folder that is made', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await createFolder();
  });

  afterEach(() => removeFolder(folder));

  it('is made with all those above it, under the mode given', async () => {
    const target = path.join(folder, 'a/b/c');
    await ensureFolder(target, 0o700);
    const stats = await stat(target);
    stats.isDirectory().should.be.true();
    should(stats.mode & 0o777).equal(0o700);
  });

  it('stays as it is when it stands there', async () => {
    await mkdir(path.join(folder, 'a'), { mode: 0o750 });
    await ensureFolder(path.join(folder, 'a'), 0o700);
    should((await stat(path.join(folder, 'a'))).mode & 0o777).equal(0o750);
  });

  it('is refused where a file stands in its way', async () => {
    await writeFile(path.join(folder, 'file'), '');
    await ensureFolder(path.join(folder, 'file')).should.be.rejectedWith({ code: 'EEXIST' });
    await ensureFolder(path.join(folder, 'file/a')).should.be.rejectedWith({ code: 'ENOTDIR' });
  });

  it('is refused at once where the file system takes no folders', async () => {
    await ensureFolder('/proc/none/such').should.be.rejected();
  });
});
