import { copyFile, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { logIn } from './support/account.js';
import { createFolder, removeFolder, useFolder } from './support/data-folder.js';
import { type Program, runProgram, stopProgram, useServe } from './support/program.js';
import { copyTemplate } from './support/template-folder.js';

const REFUSED = 5;

describe('the start of a service on an existing folder', () => {
  let folder: string;
  let database: string;
  const serve = useServe();
  const start = () => serve(folder);

  const upload = async (count: number): Promise<string[]> => {
    const api = await logIn(folder);
    const ids: string[] = [];
    for (let index = 0; index < count; index++) ids.push((await api.upload(`bytes ${index}`, 'a.stl')).body.fileId);
    return ids;
  };

  /** Uploads files, then ends the service. Returns their ids. */
  const fillFolder = async (count: number, signal: NodeJS.Signals): Promise<string[]> => {
    const program = await start();
    const ids = await upload(count);
    await stopProgram(program, signal);
    return ids;
  };

  const blobIds = async (): Promise<string[]> => {
    const blobs = path.join(folder, 'blobs');
    const names = await Promise.all((await readdir(blobs)).map((part) => readdir(path.join(blobs, part))));
    return names
      .flat()
      .filter((name) => !name.endsWith('.json'))
      .sort((a, b) => a.localeCompare(b));
  };

  const sorted = (ids: string[]): string[] => [...ids].sort((a, b) => a.localeCompare(b));

  const flipBit = async (file: string, offset: number): Promise<void> => {
    const handle = await open(file, 'r+');
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, offset);
    await handle.write(Buffer.from([Number(buffer[0]) ^ 1]), 0, 1, offset);
    await handle.close();
  };

  /** Reads a file; an empty one, as a read-only connection creates it, is equal to none. */
  const readIfExists = async (file: string): Promise<Buffer | undefined> => {
    const bytes = await readFile(file).catch(() => undefined);
    return bytes?.length === 0 ? undefined : bytes;
  };

  /** Expects that the service refuses to start, naming the database, and leaves it and all blobs as they are. */
  const assertRefused = async (ids: string[], reason: RegExp): Promise<void> => {
    const before = [await readIfExists(database), await readIfExists(`${database}-wal`)];
    for (const args of [
      ['serve', '--port', '0'],
      ['user', 'list'],
    ]) {
      const { status, lines, errors } = await runProgram([...args, '--data', folder]);
      should(status).equal(REFUSED);
      lines.should.be.empty();
      errors.should.match(reason);
      errors.should.containEql(database);
      should([await readIfExists(database), await readIfExists(`${database}-wal`)]).deepEqual(before);
    }
    should(await blobIds()).deepEqual(sorted(ids));
  };

  const warningsOf = (program: Program) =>
    program
      .errors()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 'warn');

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    database = path.join(folder, 'service.db');
    await copyTemplate(folder);
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`is refused without a database after ${signal}`, async () => {
      const ids = await fillFolder(2, signal);
      await rm(database);
      await assertRefused(ids, /is missing or empty/);
    });
  }

  it('is refused with an empty database', async () => {
    const ids = await fillFolder(2, 'SIGKILL');
    await writeFile(database, '');
    await assertRefused(ids, /is missing or empty/);
  });

  it('is refused with a database that is no SQLite file', async () => {
    const ids = await fillFolder(2, 'SIGTERM');
    await writeFile(database, 'x'.repeat(8192));
    await assertRefused(ids, /is damaged/);
  });

  it('is refused with a damaged page in the database', async () => {
    const ids = await fillFolder(2, 'SIGTERM');
    const { size } = await stat(database);
    const handle = await open(database, 'r+');
    for (let page = 4096; page < size; page += 4096) await handle.write(Buffer.alloc(64, 0xa5), 0, 64, page);
    await handle.close();
    await assertRefused(ids, /is damaged/);
  });

  it('is refused with a flipped bit in the write-ahead log', async () => {
    const ids = await fillFolder(4, 'SIGKILL');
    await flipBit(`${database}-wal`, 32 + 24 + 100);
    await assertRefused(ids, /-wal is damaged/);
  });

  it('is refused with the database of an earlier start, and restores newer files once it is accepted', async () => {
    const before = await fillFolder(1, 'SIGTERM');
    const copy = path.join(folder, 'copy.db');
    await copyFile(database, copy);
    const after = await fillFolder(2, 'SIGTERM');
    await copyFile(copy, database);
    await assertRefused([...before, ...after], /is older than its folder/);
    await rm(path.join(folder, 'store.json'));
    await rm(`${database}-wal`, { force: true });
    const program = await start();
    should(warningsOf(program)).match([{ count: 2 }]);
    const api = await logIn(folder);
    for (const id of [...before, ...after]) (await api.get(`file/${id}`)).status.should.equal(200);
  });

  it('is refused with the database of another folder', async () => {
    const ids = await fillFolder(2, 'SIGTERM');
    const other = await createFolder();
    await stopProgram(await serve(other));
    await copyFile(path.join(other, 'service.db'), database);
    await removeFolder(other);
    await assertRefused(ids, /belongs to another data folder/);
  });

  it('is refused if the account was lost with the write-ahead log', async () => {
    await rm(folder, { recursive: true }); // the log has the account of a first start
    const ids = await fillFolder(2, 'SIGKILL');
    await rm(`${database}-wal`);
    await assertRefused(ids, /is older than .*accounts\.json/);
  });

  it('restores files whose rows are lost with the write-ahead log, and quarantines those without a record', async () => {
    await fillFolder(0, 'SIGTERM');
    const [restored = '', unknown = ''] = await fillFolder(2, 'SIGKILL');
    await rm(`${database}-wal`);
    await rm(path.join(folder, 'blobs', unknown.slice(0, 2), `${unknown}.json`));
    const program = await start();
    const quarantine = path.join(folder, 'quarantine');
    should(await readFile(path.join(quarantine, unknown), 'utf8')).equal('bytes 1');
    should(warningsOf(program)).match([{ count: 1 }, { count: 1, folder: quarantine }]);
    should(await blobIds()).deepEqual([restored]);
    await stopProgram(program);
    const next = await start();
    should(await readdir(quarantine)).deepEqual([unknown]);
    should(warningsOf(next)).be.empty();
  });

  it('creates a new database in a folder without files, with the same accounts', async () => {
    await stopProgram(await start());
    const before = await readFile(path.join(folder, 'accounts.json'));
    await rm(database);
    await stopProgram(await start());
    should(await readFile(path.join(folder, 'accounts.json'))).deepEqual(before);
    await rm(path.join(folder, 'accounts.json'));
    await rm(database);
    await start();
    await upload(1);
  });
});
