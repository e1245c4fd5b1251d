import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { KyselyPlugin } from 'kysely';
import should from 'should';
import { type BlobFolder, openBlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { copyStore, restoreStore } from '../../../src/service/data-folder/copy-store.js';
import { createLogger } from '../../../src/service/logger.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFiles } from '../../../src/service/store/files.js';
import { MIGRATIONS } from '../../../src/service/store/migrations.js';
import { openStore, vacuumInto } from '../../../src/service/store/sqlite.js';
import { registerFileBench } from '../support/file-bench.js';
import { withForeignFolder } from '../support/foreign-folder.js';
import { recordOf } from '../support/records.js';

describe('copyStore', () => {
  let folder: string;
  let target: string;
  let store: Store;
  let blobs: BlobFolder;

  const { storeFile } = registerFileBench((bench) => {
    ({ folder, store, blobs } = bench);
    target = path.join(folder, 'copy');
  });

  const rowsOfCopy = async () => {
    const copy = await openStore(path.join(target, 'service.db'));
    const rows = await copy.selectFrom('file').select(['id', 'deleted_at']).execute();
    await copy.destroy();
    return new Map(rows.map(({ id, deleted_at }) => [id, deleted_at !== null]));
  };

  it('marks a file as deleted that is deleted after the snapshot', async () => {
    const [kept, deleted] = [await storeFile('kept'), await storeFile('deleted')];
    const other = await openStore(path.join(folder, 'service.db')); // the connection of `store` is in use then
    const deletion: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (result.rows.length === 0) {
          await createFiles(other).setDeleted(deleted, 5);
          await blobs.remove([deleted]);
        }
        return result;
      },
    };
    const counts = await copyStore(store.withPlugin(deletion), folder, target);
    await other.destroy();
    should(counts).deepEqual({ copied: 1, bytes: 4, deleted: 1, damaged: 0 });
    should(await rowsOfCopy()).deepEqual(
      new Map([
        [kept, false],
        [deleted, true],
      ]),
    );
  });

  it('copies credentials.json, and needs none', async () => {
    await writeFile(path.join(folder, 'credentials.json'), '{}');
    await copyStore(store, folder, target);
    should(await readFile(path.join(target, 'credentials.json'), 'utf8')).equal('{}');
    should((await stat(path.join(target, 'credentials.json'))).mode & 0o777).equal(0o600);
    await copyStore(store, path.join(folder, 'temp'), path.join(folder, 'second')).should.be.fulfilled();
  });

  it('copies into a folder of another owner, and warns that others may read the copy', async () => {
    const lines: { level: string; folder: string; err: { code: string } }[] = [];
    const logger = createLogger('info', { write: (line) => lines.push(JSON.parse(line)) });
    const id = await storeFile('bytes');
    const restored = path.join(folder, 'restored');
    for (const name of [target, restored]) {
      await mkdir(name);
      await chmod(name, 0o777); // whatever the umask is
    }
    await withForeignFolder(target, () => copyStore(store, folder, target, logger));
    await withForeignFolder(restored, () => restoreStore(target, restored, logger));
    for (const name of [target, restored]) should(await (await openBlobFolder(name)).readRecord(id)).be.ok();
    const warning = { level: 'warn', err: { code: 'EPERM' } };
    should(lines).match([
      { ...warning, folder: target },
      { ...warning, folder: restored },
    ]);
  });

  it('fails, and leaves no database, if credentials.json cannot be copied', async () => {
    await mkdir(path.join(folder, 'credentials.json'));
    await copyStore(store, folder, target).should.be.rejectedWith({ code: 'EISDIR' });
    await stat(path.join(target, 'service.db')).should.be.rejectedWith({ code: 'ENOENT' });
  });

  it('upgrades the database of a backup of an earlier version in the copy only', async () => {
    const backup = path.join(folder, 'backup');
    for (const name of [backup, target]) await mkdir(name);
    const earlier = await openStore(path.join(folder, 'earlier.db'), MIGRATIONS.slice(0, -1));
    await vacuumInto(earlier, path.join(backup, 'service.db')); // no connection of this process is open to it
    await earlier.destroy();
    const names = await readdir(backup);
    const before = await readFile(path.join(backup, 'service.db'));
    await restoreStore(backup, target);
    should(await readdir(backup)).deepEqual(names);
    should(await readFile(path.join(backup, 'service.db'))).deepEqual(before);
    should((await readdir(target)).filter((name) => name.startsWith('service.db'))).deepEqual(['service.db']);
  });

  it('copies the records, and writes those that are missing', async () => {
    const [sound, unrecorded, old] = [await storeFile('sound'), await storeFile('unrecorded'), await storeFile('old')];
    await writeFile(`${blobs.pathOf(unrecorded)}.json`, '');
    await writeFile(`${blobs.pathOf(old)}.json`, '');
    await store.updateTable('file').set({ sha256: null, block_crcs: null }).where('id', '=', old).execute();
    await copyStore(store, folder, target);
    const copy = await openBlobFolder(target);
    should(await copy.readRecord(sound)).deepEqual(recordOf(sound, 'sound'));
    should(await copy.readRecord(unrecorded)).deepEqual(recordOf(unrecorded, 'unrecorded'));
    should(await copy.readRecord(old)).deepEqual(recordOf(old, 'old'));
  });
});
