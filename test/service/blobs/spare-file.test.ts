import { stat } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { openSpareFile, type SpareFile } from '../../../src/service/blobs/spare-file.js';
import { MIN_FREE_DISK_BYTES, SPARE_BYTES } from '../../../src/service/defaults.js';
import { createLogger } from '../../../src/service/logger.js';
import { useFolder } from '../support/data-folder.js';

describe('openSpareFile', () => {
  let folder: string;
  let free: number;
  let spare: SpareFile;

  const openSpare = (): Promise<SpareFile> =>
    openSpareFile({ folder, logger: createLogger('silent'), freeSpace: async () => free });

  const sizeOnDisk = async (): Promise<number> =>
    (await stat(path.join(folder, 'spare')).catch(() => ({ size: 0 }))).size;

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    free = 10 * SPARE_BYTES;
    spare = await openSpare();
  });

  it('creates the file at the first update, and keeps it', async () => {
    should([await sizeOnDisk(), spare.missingBytes()]).deepEqual([0, SPARE_BYTES]);
    await spare.update();
    should([await sizeOnDisk(), spare.missingBytes()]).deepEqual([SPARE_BYTES, 0]);
    should((await openSpare()).missingBytes()).equal(0);
  });

  it('creates no file that would take the space of the database', async () => {
    free = MIN_FREE_DISK_BYTES + SPARE_BYTES - 1;
    await spare.update();
    should(await sizeOnDisk()).equal(0);
    should([await spare.isFull(), await spare.isUsed()]).deepEqual([true, false]);
  });

  it('deletes the file on a full disk, and creates it again once there is space', async () => {
    await spare.update();
    free = 0;
    await spare.update();
    should([await sizeOnDisk(), spare.missingBytes(), await spare.isUsed()]).deepEqual([0, SPARE_BYTES, true]);
    free = SPARE_BYTES; // what the file gave up
    await spare.update();
    should([await sizeOnDisk(), await spare.isUsed(), await spare.isFull()]).deepEqual([0, true, true]);
    free = MIN_FREE_DISK_BYTES + SPARE_BYTES;
    await spare.update();
    should([await sizeOnDisk(), await spare.isUsed()]).deepEqual([SPARE_BYTES, false]);
  });

  it('releases the file before it is used', async () => {
    await spare.update();
    free = 0;
    spare = await openSpare();
    await spare.release();
    should(await sizeOnDisk()).equal(0);
  });
});
