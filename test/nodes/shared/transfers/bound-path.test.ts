import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, open, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import {
  openScopedFile,
  resolveBoundPath,
  resolveTargetFolder,
} from '../../../../nodes/shared/transfers/bound-path.js';
import type { OwnFiles } from '../../../../nodes/shared/transfers/own-files.js';

const SECRET = 'the secret';

describe('a path that is bound to a folder', () => {
  let root: string;
  let folder: string;
  let own: OwnFiles;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'bound-path-')));
    folder = path.join(root, 'models');
    own = { userDir: path.join(root, 'user'), dataDir: path.join(root, 'user/model-processing'), files: [] };
    await mkdir(path.join(folder, 'sub'), { recursive: true });
    await mkdir(own.dataDir, { recursive: true });
    await mkdir(path.join(root, 'models-of-others'));
    await writeFile(path.join(folder, 'sub/part.stl'), 'solid');
    await writeFile(path.join(root, 'secret.stl'), SECRET);
    await writeFile(path.join(root, 'models-of-others/secret.stl'), SECRET);
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const read = async (value: string, scope = folder): Promise<string> => {
    const handle = await openScopedFile(await resolveBoundPath(value, scope), { folder: scope, own });
    try {
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  };
  const readError = (value: string, scope = folder) =>
    read(value, scope).then(
      (content) => should.fail(content, undefined, `${value} was read`, '='),
      (error) => error,
    );

  it('leads to a file below the folder, relative or absolute, and by links and .. that stay in it', async () => {
    await symlink('sub', path.join(folder, 'link'));
    await symlink(folder, path.join(root, 'alias'));
    const values = ['sub/part.stl', './sub/../sub/part.stl', 'link/part.stl', path.join(folder, 'sub/part.stl')];
    for (const value of values) (await read(value)).should.equal('solid', value);
    (await read('sub/part.stl', path.join(root, 'alias'))).should.equal('solid');
    (await read(path.join(folder, 'sub/part.stl'), path.join(root, 'alias'))).should.equal('solid');
    (await read(path.join(folder, 'sub/part.stl'), '/')).should.equal('solid');
  });

  it('is refused with INPUT_INVALID if its text leads out of the folder, before anything is looked up', async () => {
    const values = [
      '../secret.stl',
      'sub/../../secret.stl',
      'sub/../../models-of-others/secret.stl',
      path.join(root, 'secret.stl'),
      `${folder}-of-others/secret.stl`,
      `${folder}/../secret.stl`,
      '/etc/passwd',
      '~/.ssh/id_ed25519',
      `/proc/self/cwd/${path.relative(process.cwd(), root)}/secret.stl`,
      `/proc/self/root${root}/secret.stl`,
      `/dev/fd/../../..${root}/secret.stl`,
    ];
    for (const value of values) {
      const { code, message } = await readError(value);
      should(code).equal('INPUT_INVALID', value);
      should(message).equal(
        `Path outside the folder: "${value}". Use a path below ${folder}, or change Folder in the node's properties.`,
      );
    }
  });

  it('is refused if it names a network share or a device of Windows, also below /', async () => {
    for (const value of [
      '//server/share/a.stl',
      '\\\\server\\share\\a.stl',
      '\\\\?\\C:\\a.stl',
      '\\\\.\\pipe\\a',
      ' //s/a',
    ])
      (await readError(value, '/')).code.should.equal('INPUT_INVALID', value);
  });

  it('is refused like a missing file if a link leads out of the folder', async () => {
    await symlink(root, path.join(folder, 'up'));
    await symlink('../../secret.stl', path.join(folder, 'sub/secret.stl'));
    await symlink('/proc/self/cwd', path.join(folder, 'cwd'));
    await symlink('nowhere.stl', path.join(folder, 'dangling.stl'));
    await symlink('loop.stl', path.join(folder, 'loop.stl'));
    const inCwd = 'cwd/package.json';
    for (const value of [
      'up/secret.stl',
      'sub/secret.stl',
      inCwd,
      'up/missing.stl',
      'dangling.stl',
      'loop.stl',
      'a.stl',
    ]) {
      const { code, message } = await readError(value);
      should(code).equal('FILE_UNREADABLE', value);
      const file = path.join(folder, value);
      const remedy = 'Check the path. Links that lead out of the folder and files of Node-RED are refused.';
      should(message).equal(`Could not read "${file}": no such file in ${folder}. ${remedy}`);
    }
  });

  it('is refused if it does not lead to a regular file', async () => {
    execFileSync('mkfifo', [path.join(folder, 'pipe.stl')]);
    (await readError('sub')).message.should.match(/it is a folder/);
    (await readError('.')).message.should.match(/it is a folder/);
    (await readError('pipe.stl')).message.should.match(/it is not a regular file/);
    (await readError('/dev/zero', '/')).message.should.match(/it is not a regular file/);
    for (const value of [
      '/proc/self/environ',
      '/proc/self/task/../environ',
      '/sys/kernel/mm/transparent_hugepage/enabled',
    ])
      (await readError(value, '/')).message.should.match(/no such file/);
  });

  it('is refused if a link is changed between the check and the opening', async () => {
    const outside = path.join(root, 'models-of-others');
    await writeFile(path.join(outside, 'part.stl'), SECRET);
    const replaceFolder = async (file: string) => {
      await rename(path.join(folder, 'sub'), path.join(folder, 'sub-2'));
      await symlink(outside, path.join(folder, 'sub'));
      const handle = await open(file);
      await rm(path.join(folder, 'sub'));
      await rename(path.join(folder, 'sub-2'), path.join(folder, 'sub'));
      return handle;
    };
    const opening = openScopedFile(path.join(folder, 'sub/part.stl'), { folder, own }, replaceFolder);
    const { code } = await opening.then((handle) => handle.close().then(() => ({ code: 'opened' })), Object);
    should(code).equal('FILE_UNREADABLE');
    (await read('sub/part.stl')).should.equal('solid');
  });

  it('leads to no file of Node-RED, also by a link and below /', async () => {
    const files = [
      'settings.js',
      'flows.json',
      '.flows_cred.json.backup',
      '.config.runtime.json',
      'projects/a/flows.json',
    ];
    for (const name of [...files, 'model-processing/credentials.json', 'model-processing/files/1.stl']) {
      const file = path.join(own.userDir, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, SECRET);
      const base = path.basename(name);
      await symlink(file, path.join(folder, base)).catch(() => undefined);
      for (const value of [file, file.replace('/user/', '/user/./projects/../'), path.join(folder, base)])
        (await readError(value, '/')).message.should.match(/no such file/, value);
      await rm(path.join(folder, base));
    }
  });

  it('leads to no settings, flows and credentials by a hard link, wherever they are', async () => {
    const elsewhere = path.join(root, 'settings.of.mine');
    await writeFile(elsewhere, SECRET);
    await writeFile(path.join(own.userDir, 'flows_cred.json'), SECRET);
    own = { ...own, files: [elsewhere] };
    await link(elsewhere, path.join(folder, 'a.stl'));
    await link(path.join(own.userDir, 'flows_cred.json'), path.join(folder, 'b.stl'));
    for (const name of ['a.stl', 'b.stl']) (await readError(name)).code.should.equal('FILE_UNREADABLE');
  });

  it('names the folder if it does not exist', async () => {
    const { code, message } = await readError('a.stl', path.join(root, 'missing'));
    should(code).equal('FILE_UNREADABLE');
    should(message).match(/^No such folder: .*missing\. Create it, or change Folder in the node's properties\.$/);
  });

  it('of a download is refused if a link leads out of the folder, whether or not the target exists', async () => {
    await symlink(root, path.join(folder, 'up'));
    await symlink('sub', path.join(folder, 'link'));
    should(await resolveTargetFolder(path.join(folder, 'link/new/er'), folder)).equal(path.join(folder, 'sub/new/er'));
    const messages = [];
    for (const name of ['up/models-of-others', 'up/missing']) {
      const { code, message } = await resolveTargetFolder(path.join(folder, name), folder).catch(Object);
      should(code).equal('INPUT_INVALID');
      messages.push(message.replace(name, ''));
    }
    should(messages[0]).equal(messages[1]);
  });
});
