import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { ensureFolder } from '../../../src/service/machine/ensure-folder.js';
import { useFolder } from '../support/data-folder.js';

describe('ensureFolder', () => {
  let folder: string;

  useFolder((created) => (folder = created));

  it('creates a folder and its parents with the given mode', async () => {
    const target = path.join(folder, 'a/b/c');
    await ensureFolder(target, 0o700);
    const stats = await stat(target);
    stats.isDirectory().should.be.true();
    should(stats.mode & 0o777).equal(0o700);
  });

  it('keeps an existing folder unchanged', async () => {
    await mkdir(path.join(folder, 'a'), { mode: 0o750 });
    await ensureFolder(path.join(folder, 'a'), 0o700);
    should((await stat(path.join(folder, 'a'))).mode & 0o777).equal(0o750);
  });

  it('throws if a file is in the way', async () => {
    await writeFile(path.join(folder, 'file'), '');
    await ensureFolder(path.join(folder, 'file')).should.be.rejectedWith({ code: 'EEXIST' });
    await ensureFolder(path.join(folder, 'file/a')).should.be.rejectedWith({ code: 'ENOTDIR' });
  });

  it('throws at once if the file system refuses folders', async () => {
    await ensureFolder('/proc/none/such').should.be.rejected();
  });
});
