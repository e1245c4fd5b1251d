import { copyFile, cp, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { countOf } from '../helpers/counts.js';
import { logIn } from '../service/support/account.js';
import { copyDataFolder, createFolder, removeFolder, useFolder } from '../service/support/data-folder.js';
import { assertServed, type FilledFolder, fillFolder } from '../service/support/filled-folder.js';
import { runProgram, startServe, stopProgram } from '../service/support/program.js';

const FILES = countOf('recovered files');
const MODELS = countOf('recovered models');

const KILL = path.resolve('test/service/support/kill-at-call.mjs');

describe('model-processing recover', () => {
  let template: string;
  let filled: FilledFolder;
  let folder: string;
  let database: string;

  before(async () => {
    template = await createFolder();
    filled = await fillFolder(template, { files: FILES, models: MODELS });
  });

  after(() => removeFolder(template));

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    await copyDataFolder(template, folder);
    database = path.join(folder, 'service.db');
  });

  const recover = async (args: string[] = [], environment = {}) => {
    const { status, lines, errors } = await runProgram(['recover', '--data', folder, ...args], environment);
    return { status, text: lines.join('\n'), errors };
  };

  const withoutOperations = (): FilledFolder => ({ ...filled, operations: [] });

  const removeDatabase = async (): Promise<void> => {
    for (const suffix of ['', '-wal', '-shm']) await rm(database + suffix, { force: true });
  };

  /** Overwrites the middle half of each page from `firstPage` on. */
  const damagePages = async (firstPage: number, everyNth: number): Promise<void> => {
    const { size } = await stat(database);
    const handle = await open(database, 'r+');
    for (let page = firstPage; page * 4096 < size; page += everyNth) {
      await handle.write(Buffer.alloc(2048, 0xa5), 0, 2048, page * 4096 + 1024);
    }
    await handle.close();
  };

  const quarantined = async (): Promise<string[]> => {
    const names = await readdir(path.join(folder, 'quarantine'));
    return names.filter((name) => name.startsWith('service-before-recovery-'));
  };

  const accountsInQuarantine = async (): Promise<string[]> => {
    const names = await readdir(path.join(folder, 'quarantine'));
    return names.filter((name) => /^accounts-before-recovery-.*\.json$/.test(name));
  };

  const fileCount = (isModel: boolean): number => filled.items.filter((item) => item.isModel === isModel).length;

  it('serves all files and models to their owners only after service.db was deleted', async () => {
    await removeDatabase();
    const { status, text } = await recover(['--apply']);
    should(status).equal(0);
    text.should.match(/^Database: +missing$/m);
    text.should.match(/^Accounts: +4 users, 1 client, from accounts\.json$/m);
    text.should.match(new RegExp(`^Files: +${fileCount(false)} files, ${fileCount(true)} models of 3 users$`, 'm'));
    text.should.match(/Everybody has to sign in again/);
    await assertServed(folder, withoutOperations());
  });

  it('keeps the operations of a sound database', async () => {
    const { status, text } = await recover(['--apply']);
    should(status).equal(0);
    text.should.match(/^Database: +sound$/m);
    text.should.match(new RegExp(`^Operations: +${filled.operations.length}$`, 'm'));
    await assertServed(folder, filled);
  });

  it('recovers from a database with damaged pages, and keeps that one unchanged in quarantine', async () => {
    await damagePages(1, 1);
    const damaged = await readFile(database);
    const { status, text } = await recover(['--apply']);
    should(status).equal(0);
    text.should.match(/^Database: +damaged \(.+\)$/m);
    const [name = ''] = await quarantined();
    should(await readFile(path.join(folder, 'quarantine', name))).deepEqual(damaged);
    await assertServed(folder, withoutOperations());
  });

  it('reads the write-ahead log of a killed service, and recovers from the log alone', async () => {
    const service = await startServe(folder);
    const api = await logIn(folder);
    const { body } = await api.upload('bytes in the log', 'late.stl');
    await stopProgram(service, 'SIGKILL');
    const files = new RegExp(`^Files: +${fileCount(false) + 1} files, ${fileCount(true)} models of 4 users$`, 'm');
    const { text } = await recover();
    text.should.match(new RegExp(`^Operations: +${filled.operations.length}$`, 'm'));
    text.should.match(files);
    await rm(database);
    const recovered = await recover(['--apply']);
    should(recovered.status).equal(0);
    recovered.text.should.match(files);
    should((await quarantined()).some((name) => name.endsWith('.db-wal'))).be.true();
    await assertServed(folder, withoutOperations());
    const next = await startServe(folder);
    const reply = await (await logIn(folder)).get(`file/${body.fileId}`);
    should(reply.body).equal('bytes in the log');
    await stopProgram(next);
  });

  it('recovers from a database that is no SQLite file', async () => {
    await writeFile(database, 'x'.repeat(8192));
    await writeFile(`${database}-journal`, 'y'.repeat(8192)); // would be rolled back into the new database
    should((await recover(['--apply'])).status).equal(0);
    should((await quarantined()).some((name) => name.endsWith('.db-journal'))).be.true();
    await assertServed(folder, withoutOperations());
  });

  it('does not read the database of another folder', async () => {
    const other = await createFolder();
    await stopProgram(await startServe(other));
    await removeDatabase();
    await copyFile(path.join(other, 'service.db'), database);
    await removeFolder(other);
    const { text } = await recover(['--apply']);
    text.should.match(/^Database: +belongs to another data folder, not used$/m);
    await assertServed(folder, withoutOperations());
  });

  it('recovers files, models and newer accounts with an older database', async () => {
    const copy = path.join(folder, 'copy.db');
    await copyFile(database, copy);
    const service = await startServe(folder);
    should((await runProgram(['client', 'add', 'shop', '--data', folder])).status).equal(0);
    await stopProgram(service);
    await removeDatabase();
    await copyFile(copy, database);
    should((await recover(['--apply'])).text).match(/^Accounts: +4 users, 2 clients, from accounts\.json$/m);
    await assertServed(folder, filled);
  });

  it('takes the accounts from the database without accounts.json', async () => {
    await rm(path.join(folder, 'accounts.json'));
    should((await recover(['--apply'])).text).match(/^Accounts: +4 users, 1 client, from the old database$/m);
    await assertServed(folder, filled);
  });

  it('keeps an unreadable accounts.json in quarantine, and takes the accounts from the database', async () => {
    const accounts = path.join(folder, 'accounts.json');
    await rm(accounts);
    await mkdir(accounts); // reading it fails, as that of a bad sector does
    const dry = await recover();
    should(dry.status).equal(0);
    dry.text.should.match(/^Unreadable: +accounts\.json, moved to quarantine by --apply$/m);
    should((await stat(accounts)).isDirectory()).be.true();
    const { status, text } = await recover(['--apply']);
    should(status).equal(0);
    text.should.match(/^Accounts: +4 users, 1 client, from the old database$/m);
    should(await accountsInQuarantine()).have.length(1);
    await assertServed(folder, filled);
  });

  it('recovers the files without users if both accounts.json and the database are lost', async () => {
    await removeDatabase();
    await writeFile(path.join(folder, 'accounts.json'), '{"accounts": {"users": []}');
    const { status, text } = await recover(['--apply']);
    should(status).equal(0);
    text.should.match(/^Accounts: +none found: the next start creates a new account$/m);
    text.should.match(/^No account: +3 owners of files, which nobody can access$/m);
    const [name = ''] = await accountsInQuarantine();
    should(await readFile(path.join(folder, 'quarantine', name), 'utf8')).equal('{"accounts": {"users": []}');
    await stopProgram(await startServe(folder));
  });

  it('recovers files whose records are missing from their rows', async () => {
    for (const { id } of filled.items) await rm(path.join(folder, 'blobs', id.slice(0, 2), `${id}.json`));
    should((await recover(['--apply'])).status).equal(0);
    await assertServed(folder, filled);
  });

  it('names what is damaged, unknown or without an account', async () => {
    await removeDatabase();
    await rm(path.join(folder, 'accounts.json'));
    const [cut, missing, unknown] = filled.items.map(({ id }) => path.join(folder, 'blobs', id.slice(0, 2), id));
    await writeFile(cut ?? '', 'short');
    await rm(missing ?? '');
    await rm(`${unknown}.json`);
    const { status, text } = await recover(['--apply']);
    should(status).equal(0);
    text.should.match(/^Accounts: +none found: the next start creates a new account$/m);
    text.should.match(/^Damaged: +2 files or models with missing or incomplete content$/m);
    text.should.match(/^Unknown: +1 file without record, moved to quarantine by the next start$/m);
    text.should.match(/^No account: +3 owners of files, which nobody can access$/m);
    await stopProgram(await startServe(folder));
    should(await readdir(path.join(folder, 'quarantine'))).containEql(path.basename(unknown ?? ''));
  });

  it('changes nothing without --apply', async () => {
    await removeDatabase();
    const before = (await readdir(folder, { recursive: true })).sort();
    const { status, text } = await recover();
    should(status).equal(0);
    text.should.match(/Nothing was changed\. To replace the database, repeat the command with --apply\./);
    should((await readdir(folder, { recursive: true })).sort()).deepEqual(before);
  });

  it('is named by the refusal of a start', async () => {
    await removeDatabase();
    const { status, errors } = await runProgram(['serve', '--port', '0', '--data', folder]);
    should(status).equal(5);
    errors.should.containEql(`model-processing recover --data ${folder}`);
  });

  it('exits with 3 while a service is running', async () => {
    const service = await startServe(folder);
    should((await recover(['--apply'])).status).equal(3);
    await stopProgram(service);
  });

  it('exits with 2 for a folder that is no data folder, and creates nothing', async () => {
    const empty = await createFolder();
    const { status, errors } = await runProgram(['recover', '--apply', '--data', empty]);
    should(status).equal(2);
    errors.should.match(/No data folder at /);
    should(await readdir(empty)).be.empty();
    await removeFolder(empty);
  });

  it('leaves the old or the new state when it is killed, and can be repeated', async () => {
    await damagePages(8, 7);
    const damaged = await createFolder();
    await cp(folder, damaged, { recursive: true });
    const findings = ({ text }: { text: string }): string[] => text.split('\n').slice(1, 5);
    const expected = findings(await recover());
    let status: unknown = 'SIGKILL';
    for (let call = 1; status === 'SIGKILL'; call++) {
      await removeFolder(folder);
      await cp(damaged, folder, { recursive: true });
      const killed = await recover(['--apply'], { NODE_OPTIONS: `--import=${KILL}`, KILL_AT_CALL: String(call) });
      status = killed.status;
      const users = await runProgram(['user', 'list', '--data', folder]);
      should([0, 5]).containEql(users.status);
      const again = await recover(['--apply']);
      should(again.status).equal(0);
      if (users.status === 5 && !/was interrupted/.test(again.text)) should(findings(again)).deepEqual(expected);
      should((await runProgram(['user', 'list', '--data', folder])).lines).have.length(4);
    }
    should(status).equal(0);
    await removeFolder(damaged);
    await assertServed(folder, withoutOperations());
  });
});
