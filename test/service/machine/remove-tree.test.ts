import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { removeFileOrTree, removeTree } from '../../../src/service/machine/remove-tree.js';

describe('removeTree', () => {
  let folder: string;
  let target: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'remove-tree-'));
    target = path.join(folder, 'target');
    await mkdir(target);
    await writeFile(path.join(folder, 'kept'), 'kept');
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('deletes files and nested folders', async () => {
    await mkdir(path.join(target, 'a/b/c'), { recursive: true });
    for (const name of ['x', 'a/x', 'a/b/x', 'a/b/c/x']) await writeFile(path.join(target, name), 'x');
    await removeTree(target);
    readdirSync(folder).should.deepEqual(['kept']);
  });

  it('follows no links', async () => {
    await mkdir(path.join(target, 'a'));
    await symlink(folder, path.join(target, 'up'));
    await symlink('../..', path.join(target, 'a/up'));
    await symlink('../../kept', path.join(target, 'a/file'));
    await removeTree(target);
    readFileSync(path.join(folder, 'kept'), 'utf8').should.equal('kept');
    existsSync(target).should.equal(false);
  });

  it('does not follow a link in place of the folder', async () => {
    const link = path.join(folder, 'link');
    await symlink(target, link);
    await writeFile(path.join(target, 'x'), 'x');
    await removeTree(link).should.be.rejected();
    existsSync(path.join(target, 'x')).should.equal(true);
  });

  it('deletes folders that are closed, names that are no UTF-8, and paths longer than the system allows', async () => {
    await mkdir(path.join(target, 'closed/inner'), { recursive: true });
    await chmod(path.join(target, 'closed/inner'), 0);
    await chmod(path.join(target, 'closed'), 0);
    await writeFile(Buffer.concat([Buffer.from(`${target}/`), Buffer.from([0xff, 0xfe])]), 'x');
    const home = process.cwd();
    process.chdir(target);
    try {
      for (let depth = 0; depth < 30; depth++) {
        const name = 'n'.repeat(250);
        await mkdir(name);
        process.chdir(name);
      }
    } finally {
      process.chdir(home);
    }
    await removeTree(target);
    existsSync(target).should.equal(false);
  });

  it('does nothing if there is no folder', async () => {
    await removeTree(path.join(folder, 'missing'));
    await removeFileOrTree(path.join(folder, 'missing'));
  });

  it('deletes a file, a link or a folder by its path', async () => {
    const link = path.join(folder, 'link');
    await symlink(target, link);
    await removeFileOrTree(link);
    existsSync(target).should.equal(true);
    for (const file of [target, path.join(folder, 'kept')]) await removeFileOrTree(file);
    should(readdirSync(folder)).deepEqual([]);
  });
});
