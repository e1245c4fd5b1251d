import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { readAccountsFile } from '../../../src/service/data-folder/accounts-file.js';
import { createAccounts, holdAccounts } from '../../../src/service/store/accounts.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import { createFolder, removeFolder, useFolder } from '../support/data-folder.js';
import { CLI, runProgram, startProgram, startServe, stopProgram } from '../support/program.js';
import { readCredentials, startService } from '../support/running.js';
import { withStore } from '../support/users.js';

describe('accounts.json', () => {
  let folder: string;
  let file: string;
  let database: string;

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    file = path.join(folder, 'accounts.json');
    database = path.join(folder, 'service.db');
    await (await openStore(database)).destroy(); // the commands change existing folders only
  });

  const run = (args: string[], stdin = '') => runProgram([...args, '--data', folder], {}, CLI, stdin);

  const addUser = (name: string) => run(['user', 'add', name], `password of ${name}\n`);

  /** Expects that the file has exactly the users and clients of the database. Returns the names of the users. */
  const assertCurrent = async (): Promise<string[]> => {
    const saved = await readAccountsFile(file);
    await withStore(folder, (store) => holdAccounts(store, async (accounts) => void should(saved).deepEqual(accounts)));
    return typeof saved === 'object' ? saved.users.map(({ username }) => username) : [];
  };

  /** Starts and stops a service in a process of its own, whose connections end with it. */
  const runService = async (dataFolder = folder): Promise<void> => {
    await stopProgram(await startServe(dataFolder));
  };

  /** Replaces the database by a copy. */
  const restore = async (copy: string): Promise<void> => {
    for (const suffix of ['', '-wal', '-shm']) await rm(database + suffix, { force: true });
    await copyFile(copy, database);
  };

  const restart = async (): Promise<void> => (await startService(folder)).close();

  it('has the account of a new service, without secrets and readable by its user only', async () => {
    const service = await startService(folder);
    const { username, password, clientSecret } = await readCredentials(folder);
    should(await assertCurrent()).deepEqual([username]);
    const text = await readFile(file, 'utf8');
    text.should.not.containEql(password);
    text.should.not.containEql(clientSecret);
    should((await stat(file)).mode & 0o777).equal(0o600);
    await service.close();
  });

  it('follows each change that a command makes beside a running service', async () => {
    const service = await startService(folder);
    const { username } = await readCredentials(folder);
    should((await addUser('ann')).status).equal(0);
    should(await assertCurrent()).deepEqual(['ann', username]);
    const before = await readAccountsFile(file);
    should((await run(['user', 'password', 'ann'], 'another password\n')).status).equal(0);
    await assertCurrent();
    should(await readAccountsFile(file)).not.deepEqual(before);
    should((await run(['user', 'quota', 'ann', '5G'])).status).equal(0);
    await assertCurrent();
    should(await readFile(file, 'utf8')).match(/"quota_bytes": 5368709120/);
    should((await run(['client', 'add', 'shop'])).status).equal(0);
    await assertCurrent();
    should((await run(['client', 'remove', 'shop'])).status).equal(0);
    should((await run(['user', 'remove', 'ann'])).status).equal(0);
    should(await assertCurrent()).deepEqual([username]);
    await service.close();
  });

  it('has all users after commands that ran at the same time', async () => {
    const names = ['ann', 'bob', 'cleo', 'dan'];
    should((await Promise.all(names.map(addUser))).map(({ status }) => status)).deepEqual([0, 0, 0, 0]);
    should(await assertCurrent()).deepEqual(names);
  });

  it('is left as it is by a command that changes nothing', async () => {
    await addUser('ann');
    const before = await readFile(file);
    await run(['user', 'list']);
    should((await run(['user', 'remove', 'bob'])).status).equal(1);
    should(await readFile(file)).deepEqual(before);
  });

  it('is written by the next start after a command was killed before it', async () => {
    await addUser('ann');
    const command = startProgram(['user', 'add', 'bob', '--data', folder]);
    command.child.stdin?.end('password of bob\n');
    const isAdded = (): Promise<boolean> =>
      withStore(folder, async (store) => (await createAccounts(store).findUser('bob')) !== undefined);
    while (!(await isAdded()));
    await stopProgram(command, 'SIGKILL');
    await restart();
    should(await assertCurrent()).containDeep(['ann', 'bob']);
    should(await readdir(folder)).not.containEql('.accounts.json.new');
  });

  it('is written by the next start after a change that was not copied', async () => {
    await restart();
    const before = await readFile(file);
    await withStore(folder, (store) =>
      createAccounts(store).addUser({ id: 'b', username: 'bob', password_hash: '', created_at: 0 }),
    );
    should(await readFile(file)).deepEqual(before);
    await restart();
    should(await assertCurrent()).containEql('bob');
  });

  it('is written by the next start if it is missing or damaged', async () => {
    await addUser('ann');
    const text = await readFile(file, 'utf8');
    for (const damaged of [undefined, '', '{}', text.slice(0, -20), text.replace('"ann"', '"amn"')]) {
      await rm(file);
      if (damaged !== undefined) await writeFile(file, damaged);
      await restart();
      should(await assertCurrent()).containEql('ann');
    }
  });

  it('makes a command fail that could not write it, although the change was made', async () => {
    await addUser('ann');
    await mkdir(path.join(folder, '.accounts.json.new'));
    const { status, errors } = await addUser('bob');
    should(status).equal(1);
    errors.should.match(/The change was made, but could not be copied to .*accounts\.json: /);
    should((await run(['user', 'list'])).lines.map((line) => line.split('\t')[0])).deepEqual(['ann', 'bob']);
  });

  it('refuses an older database, with the file and a remedy that works', async () => {
    await runService();
    const copy = path.join(folder, 'copy.db');
    await copyFile(database, copy);
    await addUser('ann');
    await restore(copy);
    const before = await readFile(database);
    for (const args of [
      ['serve', '--port', '0'],
      ['user', 'list'],
    ]) {
      const { status, errors } = await runProgram([...args, '--data', folder]);
      should(status).equal(5);
      errors.should.match(/is older than .*accounts\.json \(change 2 of the users and clients instead of 3\)/);
      errors.should.match(/move .*store\.json and .*accounts\.json elsewhere/);
      should(await readFile(database)).deepEqual(before);
    }
    await rm(file);
    await rm(path.join(folder, 'store.json'));
    await runService();
    should(await assertCurrent()).have.length(1);
  });

  it('refuses the database of another folder without store.json', async () => {
    await addUser('ann');
    const other = await createFolder();
    await runService(other);
    await restore(path.join(other, 'service.db'));
    await removeFolder(other);
    await startService(folder).should.be.rejectedWith({ code: 'DATABASE_FOREIGN', message: /accounts\.json/ });
  });
});
