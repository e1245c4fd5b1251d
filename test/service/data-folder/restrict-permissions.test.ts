import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { copyStore } from '../../../src/service/data-folder/copy-store.js';
import type { RunningService } from '../../../src/service/serve.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import { askForToken, callsWith, logIn } from '../support/account.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { CUBE } from '../support/models.js';
import { startService } from '../support/running.js';
import { addUserWithPassword } from '../support/users.js';

/** Ignores that a file is missing: the library may close a database late, and deletes its write-ahead log then. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Returns the modes of all files and folders in a folder, by their paths; without symbolic links. */
async function modesIn(folder: string): Promise<Map<string, number>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isSymbolicLink());
  const paths = ['', ...files.map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))];
  const modes = paths.map(async (name): Promise<[string, number][]> => {
    const stats = await stat(path.join(folder, name)).catch(ignoreMissing);
    return stats ? [[name, stats.mode & 0o777]] : [];
  });
  return new Map((await Promise.all(modes)).flat());
}

/** Returns the paths of what others than the owner can access. */
function openPaths(modes: Map<string, number>): string[] {
  return [...modes].filter(([, mode]) => (mode & 0o077) !== 0).map(([name]) => name);
}

describe('The permissions of a data folder', () => {
  let parent: string;
  let folder: string;
  let service: RunningService | undefined;
  let mask: number;

  beforeEach(async () => {
    mask = process.umask(0);
    parent = await createFolder();
    folder = path.join(parent, 'data');
    await mkdir(folder, { mode: 0o777 });
  });

  afterEach(async () => {
    await service?.close();
    process.umask(mask);
    await removeFolder(parent);
  });

  /** Uploads a file and imports it, as each of two users. */
  const fill = async (): Promise<void> => {
    await addUserWithPassword(folder, 'ann', 'a password');
    const { body } = await askForToken(folder, { grant_type: 'password', username: 'ann', password: 'a password' });
    const owner = await logIn(folder);
    for (const calls of [owner, callsWith(owner.baseUrl, body.access_token)]) {
      const { fileId } = (await calls.upload(CUBE, 'cube.stl')).body;
      await calls.run('import', { fileId });
    }
  };

  it('are those of the owner only in a new folder, whatever the umask is', async () => {
    service = await startService(folder);
    await fill();
    const modes = await modesIn(folder);
    openPaths(modes).should.deepEqual([]);
    should([...modes.keys()].filter((name) => /^blobs\/..\/[^.]+$/.test(name))).have.length(4);
    should(modes.get('service.db-wal')).equal(0o600);
  });

  it('are corrected at the start, and only those of what the service writes', async () => {
    await chmod(parent, 0o755);
    service = await startService(folder);
    await fill();
    await service.close();
    await mkdir(path.join(folder, 'quarantine'), { recursive: true });
    for (const name of (await modesIn(folder)).keys()) {
      await chmod(path.join(folder, name), 0o777).catch(ignoreMissing);
    }
    await writeFile(path.join(folder, 'notes.txt'), 'mine');
    await writeFile(path.join(folder, 'service.db.old'), 'mine');
    await mkdir(path.join(folder, 'blobs/mine'));
    await writeFile(path.join(parent, 'target'), 'mine');
    await rm(path.join(folder, 'spare'), { force: true });
    await symlink(path.join(parent, 'target'), path.join(folder, 'spare'));
    service = await startService(folder);
    const modes = await modesIn(folder);
    const isReachable = (name: string): boolean =>
      path.dirname(name) === '.' || (modes.get(path.dirname(name)) ?? 0) !== 0o700;
    const open = openPaths(modes);
    should(new Set(open.filter(isReachable))).deepEqual(new Set(['notes.txt', 'service.db.old']));
    const unrestricted = open.filter((name) => !/^blobs\/..\/./.test(name));
    should(new Set(unrestricted)).deepEqual(new Set(['blobs/mine', 'notes.txt', 'service.db.old']));
    should((await stat(path.join(parent, 'target'))).mode & 0o777).equal(0o666);
    should((await stat(parent)).mode & 0o777).equal(0o755);
  });

  it('are those of the owner only in a backup, also in a folder that exists', async () => {
    service = await startService(folder);
    await fill();
    const backup = path.join(parent, 'backup');
    await mkdir(backup, { mode: 0o777 });
    const store = await openStore(path.join(folder, 'service.db'));
    await copyStore(store, folder, backup);
    await store.destroy();
    openPaths(await modesIn(backup)).should.deepEqual([]);
  });
});
