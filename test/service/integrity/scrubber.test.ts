import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { openBlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { startScrubbing } from '../../../src/service/integrity/scrubber.js';
import { createLogger } from '../../../src/service/logger.js';
import type { RunningService } from '../../../src/service/serve.js';
import { eventually } from '../../helpers/processes.js';
import { type Calls, logIn } from '../support/account.js';
import { useFolder } from '../support/data-folder.js';
import { startService } from '../support/running.js';

describe('the scrub', () => {
  let folder: string;
  let service: RunningService;
  let api: Calls;
  let damagedIds: string[];

  const start = async (scrubPassMs: number, scrubStartMs = 1): Promise<void> => {
    const write = (line: string): void => {
      for (const { id } of JSON.parse(line).files ?? []) damagedIds.push(id);
    };
    const logger = createLogger('warn', { write });
    service = await startService(folder, { logger, limits: { scrubPassMs, scrubStartMs, scrubBlockPauseMs: 1 } });
    api = await logIn(folder);
  };

  const upload = async (): Promise<string> => (await api.upload('0123456789', 'a.stl')).body.fileId;

  const damage = async (id: string): Promise<void> => {
    const file = path.join(folder, 'blobs', id.slice(0, 2), id);
    await writeFile(file, (await readFile(file, 'utf8')).replace('5', '4'));
  };

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    damagedIds = [];
  });

  afterEach(() => service.close());

  it('goes on after an error of the database', async () => {
    await start(0);
    let calls = 0;
    const findNextStored = async () => {
      calls += 1;
      if (calls < 3) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
      return undefined;
    };
    const stop = startScrubbing({
      files: {
        findNextStored,
        countStored: async () => 0,
        findStored: async () => undefined,
        setDamaged: async () => false,
      },
      blobs: await openBlobFolder(folder),
      damage: { record: async () => undefined },
      scrubPosition: { find: async () => '', replace: async () => undefined },
      limits: { scrubPassMs: 1, scrubStartMs: 1, scrubBlockPauseMs: 1, storeRetryMs: 1 },
      logger: createLogger('silent'),
    });
    await eventually('a later pass', () => calls > 3);
    await stop();
  });

  it('finds every damaged file, and goes on with the next pass', async () => {
    await start(10);
    const ids = [await upload(), await upload(), await upload()];
    for (const id of [ids[0] ?? '', ids[2] ?? '']) await damage(id);
    await eventually('two files were found', async () => damagedIds.length === 2);
    should(new Set(damagedIds)).deepEqual(new Set([ids[0], ids[2]]));
    (await api.get(`file/${ids[1]}`)).status.should.equal(200);
    await damage(ids[1] ?? '');
    await eventually('the third file was found', async () => damagedIds.length === 3);
    for (const id of ids) (await api.get(`file/${id}`)).status.should.equal(410);
  });

  it('delivers a file again that was restored', async () => {
    await start(10);
    const id = await upload();
    await damage(id);
    await eventually('the file was found', async () => (await api.get(`file/${id}`)).status === 410);
    await writeFile(path.join(folder, 'blobs', id.slice(0, 2), id), '0123456789');
    await eventually('the file is sound', async () => (await api.get(`file/${id}`)).status === 200);
  });

  it('goes on after a restart where it was', async () => {
    await start(0);
    const ids = [await upload(), await upload(), await upload()].sort();
    for (const id of ids) await damage(id);
    for (const id of ids) {
      await service.close();
      await start(100_000_000);
      await eventually(`${id} was found`, async () => damagedIds.includes(id));
    }
    should(damagedIds).deepEqual(ids);
  });
});
