import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Database from 'libsql';
import should from 'should';
import { askForToken, callsWith, logIn } from '../service/support/account.js';
import { useFolder } from '../service/support/data-folder.js';
import { runProgram, stopProgram, useServe } from '../service/support/program.js';
import { copyTemplate } from '../service/support/template-folder.js';
import { addUserWithPassword } from '../service/support/users.js';

describe('model-processing backup and restore', () => {
  let parent: string;
  let data: string;
  let backup: string;
  const start = useServe();

  const run = (command: string, folder = data) => runProgram([command, backup, '--data', folder]);

  const blobIds = async (folder: string): Promise<string[]> =>
    (await readdir(path.join(folder, 'blobs'), { recursive: true })).map((name) => path.basename(name));

  useFolder((created) => (parent = created));

  beforeEach(async () => {
    data = path.join(parent, 'data');
    backup = path.join(parent, 'backup');
    await copyTemplate(data);
  });

  it('copy everything of a running service, under the same ids, for the same users', async () => {
    const { baseUrl } = await start(data);
    await addUserWithPassword(data, 'ann', 'secret of ann');
    const signIn = async (folder: string) =>
      (await askForToken(folder, { grant_type: 'password', username: 'ann', password: 'secret of ann' })).body
        .access_token;
    const owner = await logIn(data);
    const ann = callsWith(baseUrl, await signIn(data));
    const bytes = await readFile('samples/bracket.stl');
    const { fileId } = (await owner.upload(bytes, 'bracket.stl')).body;
    const { operationId, result } = await owner.run('import', { fileId });
    const { resultId } = result.body;
    const other = (await ann.upload('of ann', 'b.stl')).body.fileId;

    const { status, lines } = await run('backup');
    should(status).equal(0);
    lines.join('\n').should.match(/^Copied 3 files and models \(\d+ bytes\) to .*backup\.$/);
    should((await stat(path.join(backup, 'service.db'))).mode & 0o777).equal(0o600);
    const restored = path.join(parent, 'restored');
    should((await run('restore', restored)).status).equal(0);

    const service = await start(restored);
    const calls = await logIn(restored);
    should((await calls.get(`file/${fileId}`)).body).equal(bytes.toString());
    should((await calls.get(`${operationId}/import/result`)).body.resultId).equal(resultId);
    const exported = await calls.run('export', { inputId: resultId, exportToFormat: 'obj' });
    should(exported.status.body.isSuccessful).equal(true);
    should((await calls.get(`file/${other}`)).status).equal(404);
    const annAgain = callsWith(service.baseUrl, await signIn(restored));
    should((await annAgain.get(`file/${other}`)).body).equal('of ann');
  });

  it('say how many files are damaged', async () => {
    const service = await start(data);
    const api = await logIn(data);
    const ids: string[] = [];
    for (const text of ['sound', 'missing', 'short']) ids.push((await api.upload(text, 'a.stl')).body.fileId);
    const [sound = '', missing = '', short = ''] = ids;
    await rm(path.join(data, 'blobs', missing.slice(0, 2), missing));
    await writeFile(path.join(data, 'blobs', short.slice(0, 2), short), 'sho');
    const { status, lines } = await run('backup');
    should(status).equal(1);
    lines.join('\n').should.match(/^Copied 1 files and models \(5 bytes\).*\. 2 are damaged/);
    await stopProgram(service);
    const store = new Database(path.join(backup, 'service.db'), { readonly: true });
    const rows = store.prepare('select id from file where damaged_at is not null').raw().all();
    store.close();
    should(rows).deepEqual([[missing]]);
    (await blobIds(backup)).should.containEql(sound);
  });

  it('restart the age of every file', async () => {
    const service = await start(data);
    const { fileId } = (await (await logIn(data)).upload('bytes', 'a.stl')).body;
    await stopProgram(service);
    const original = new Database(path.join(data, 'service.db'));
    original.prepare('update file set retained_from = 1, read_at = 1').run();
    original.close();
    should((await run('backup')).status).equal(0);
    const copy = path.join(parent, 'restored');
    should((await run('restore', copy)).status).equal(0);
    await start(copy);
    should((await (await logIn(copy)).get(`file/${fileId}`)).body).equal('bytes');
  });

  it('refuse a folder with content, and one without a store, and change nothing', async () => {
    await mkdir(backup);
    await writeFile(path.join(backup, 'notes.txt'), 'mine');
    const refused = await run('backup');
    should(refused.status).equal(1);
    refused.errors.should.match(/backup: it is not empty/);
    should(await readdir(backup)).deepEqual(['notes.txt']);
    const missing = await run('restore', path.join(parent, 'new'));
    should(missing.status).equal(5);
    missing.errors.should.match(/backup has no service\.db/);
    const existing = await runProgram(['restore', backup, '--data', data]);
    existing.errors.should.match(/data: it is not empty/);
    (await runProgram(['backup', path.join(parent, 'x'), '--data', path.join(parent, 'typo')])).status?.should.equal(5);
    should(await readdir(parent)).not.containEql('typo');
  });

  it('accept ~ for the home folder, and refuse a URL', async () => {
    const home = { HOME: path.dirname(backup), USERPROFILE: path.dirname(backup) };
    const missing = await runProgram(['backup', `~/${path.basename(backup)}`, '--data=~/none'], home);
    missing.errors.should.containEql(`${path.join(path.dirname(backup), 'none')} has no service.db.`);
    const { status, errors } = await runProgram(['backup', 's3://bucket/copy']);
    should(status).equal(2);
    errors.should.match(/Invalid folder of the backup "s3:\/\/bucket\/copy": expected a path, not a URL\./);
  });

  for (const [name, count] of [
    ['files', 1],
    ['users only', 0],
  ] as const) {
    it(`leave an unfinished copy of ${name} that every command refuses`, async () => {
      const service = await start(data);
      const api = await logIn(data);
      if (count > 0) await api.upload('bytes', 'a.stl');
      should((await run('backup')).status).equal(0);
      await stopProgram(service);
      // As after a kill: the database gets its name last.
      const database = path.join(backup, 'service.db');
      await rename(database, `${database}.part`);
      const restored = await run('restore', path.join(parent, 'new'));
      const before = await readdir(backup);
      for (const args of [['serve', '--port', '0'], ['verify'], ['user', 'list']]) {
        const { status, errors } = await runProgram([...args, '--data', backup]);
        should(status).equal(5);
        errors.should.match(/backup is an unfinished copy/);
      }
      should(restored.status).equal(5);
      restored.errors.should.match(/backup is an unfinished copy/);
      should((await readdir(backup)).filter((file) => !before.includes(file))).deepEqual(['lock.db']);
    });
  }

  it('copy a data folder in which the database of an unfinished copy was left', async () => {
    await writeFile(path.join(data, 'service.db.part'), '');
    should((await run('backup')).status).equal(0);
  });

  /** Returns the contents of all files in a folder by their names; `undefined` for folders. */
  const readAll = async (folder: string) => {
    const names = (await readdir(folder, { recursive: true })).sort((a, b) => a.localeCompare(b));
    const read = async (name: string) => [name, await readFile(path.join(folder, name)).catch(() => undefined)];
    return Promise.all(names.map(read));
  };

  it('restore from a backup without writing to it', async () => {
    const service = await start(data);
    const api = await logIn(data);
    const [kept = '', lost = ''] = [
      (await api.upload('kept', 'a.stl')).body.fileId,
      (await api.upload('lost', 'a.stl')).body.fileId,
    ];
    should((await run('backup')).status).equal(0);
    await stopProgram(service);
    const restored = path.join(parent, 'restored');
    await rm(path.join(backup, 'temp'), { recursive: true });
    await rm(path.join(backup, 'blobs', lost.slice(0, 2), lost));
    const before = await readAll(backup);
    const { status, lines } = await run('restore', restored);
    should(status).equal(1);
    lines.join('\n').should.match(/^Copied 1 files and models \(4 bytes\).*\. 1 are damaged/);
    should(await readAll(backup)).deepEqual(before);
    should((await readdir(restored)).filter((name) => name.startsWith('service.db'))).deepEqual(['service.db']);
    await start(restored);
    should((await (await logIn(restored)).get(`file/${kept}`)).body).equal('kept');
  });

  it('refuse to restore a damaged backup or one in use, and leave both folders as they are', async () => {
    should((await run('backup')).status).equal(0);
    const database = path.join(backup, 'service.db');
    const sound = await readFile(database);
    const restored = path.join(parent, 'restored');
    await writeFile(database, Buffer.concat([sound.subarray(0, 4096), Buffer.alloc(sound.length - 4096, 0xa5)]));
    const before = await readAll(backup);
    const damaged = await run('restore', restored);
    should(damaged.status).equal(5);
    damaged.errors.should.match(/backup.service\.db is damaged/);
    should(await readAll(backup)).deepEqual(before);
    await writeFile(database, sound);
    const service = await start(backup);
    const used = await run('restore', restored);
    should(used.status).equal(3);
    used.errors.should.match(/A service is using the data folder .*backup\. Stop it/);
    should(await readdir(restored)).deepEqual(['lock.db']);
    await stopProgram(service);
    should((await run('restore', restored)).status).equal(0);
  });

  it('restore a folder of a killed service, with its write-ahead log', async () => {
    await rm(data, { recursive: true });
    const service = await start(backup);
    const { fileId } = (await (await logIn(backup)).upload('bytes', 'a.stl')).body;
    await stopProgram(service, 'SIGKILL');
    const before = await readAll(backup);
    should(before.map(([name]) => name)).containEql('service.db-wal');
    should((await run('restore')).status).equal(0);
    should(await readAll(backup)).deepEqual(before);
    await start(data);
    should((await (await logIn(data)).get(`file/${fileId}`)).body).equal('bytes');
  });

  it('copy the users and clients also to accounts.json', async () => {
    const service = await start(data);
    should((await runProgram(['client', 'add', 'shop', '--data', data])).status).equal(0);
    should((await run('backup')).status).equal(0);
    await stopProgram(service);
    const read = (folder: string) => readFile(path.join(folder, 'accounts.json'), 'utf8');
    should(await read(backup)).equal(await read(data));
  });
});
