import { randomUUID } from 'node:crypto';
import { appendFile, copyFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { hashPassword } from '../../src/service/auth/passwords.js';
import type { RunningService, ServeOptions } from '../../src/service/serve.js';
import { createAccounts } from '../../src/service/store/accounts.js';
import { openStore } from '../../src/service/store/database.js';
import { askForToken, type Calls, callsWith, logIn } from './support/account.js';
import { createFolder, removeFolder } from './support/data-folder.js';
import { CUBE, OPEN_CUBE } from './support/models.js';
import { KERNEL_PROGRAM, startService } from './support/running.js';

describe('an operation that was run before', () => {
  let folder: string;
  let service: RunningService;
  let api: Calls;

  const start = async (options: Partial<ServeOptions> = {}): Promise<void> => {
    service = await startService(folder, options);
    api = await logIn(folder);
  };

  const uploaded = async (text: string, filename = 'cube.stl'): Promise<string> =>
    (await api.upload(text, filename)).body.fileId;

  /** How many operations were answered without the kernel, since the start. */
  const recalled = async (): Promise<number> => {
    const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
    return Number(/^model_processing_cache_hits_total (\d+)$/m.exec(text)?.[1]);
  };

  const imported = async (fileId: string, more: object = {}) =>
    (await api.run('import', { fileId, ...more })).result.body;

  beforeEach(async () => {
    folder = await createFolder();
  });

  afterEach(async () => {
    await service.close();
    await removeFolder(folder);
  });

  it('is answered with a result of its own that has the same bytes and the same report', async () => {
    await start();
    const fileId = await uploaded(OPEN_CUBE);
    const whole = async () => {
      const model = await imported(fileId);
      const repaired = (await api.run('repair', { inputId: model.resultId })).result.body;
      const exported = (await api.run('export', { inputId: repaired.resultId, exportToFormat: 'stl' })).result.body;
      const reports = [model.report, repaired.report];
      return { reports, id: exported.fileId, bytes: (await api.get(`file/${exported.fileId}`)).body };
    };
    const [first, second] = [await whole(), await whole()];
    second.bytes.should.equal(first.bytes);
    should(second.reports).deepEqual(first.reports);
    second.id.should.not.equal(first.id);
    should(await recalled()).equal(3); // the models that repair and export start from are shared too
  });

  it('is known by its bytes, whichever upload they came with', async () => {
    await start();
    const model = await imported(await uploaded(CUBE));
    const again = await imported(await uploaded(CUBE));
    again.resultId.should.not.equal(model.resultId);
    should(await recalled()).equal(1);
  });

  it('is another one under another name, with other parameters, or of other bytes', async () => {
    await start();
    await imported(await uploaded(CUBE));
    await imported(await uploaded(CUBE, 'other.stl'));
    await imported(await uploaded(CUBE), { measurementUnits: 'inch' });
    await imported(await uploaded(OPEN_CUBE));
    should(await recalled()).equal(0);
  });

  it('is another one when another user asks', async () => {
    await start();
    await imported(await uploaded(CUBE));
    await service.close();
    const store = await openStore(path.join(folder, 'service.db'));
    const password_hash = await hashPassword('p');
    await createAccounts(store).addUser({ id: randomUUID(), username: 'ann', password_hash, created_at: 0 });
    await store.destroy();
    await start();
    const form = { grant_type: 'password', username: 'ann', password: 'p' };
    api = callsWith(service.baseUrl, (await askForToken(folder, form)).body.access_token);
    await imported(await uploaded(CUBE));
    should(await recalled()).equal(0);
  });

  it('measures without a kernel the second time', async () => {
    await start();
    const { resultId } = await imported(await uploaded(CUBE));
    const measures = async () => {
      const { operationId: _, ...measured } = (await api.run('analyze', { inputId: resultId })).result.body;
      return measured;
    };
    should(await measures()).deepEqual(await measures());
    should(await recalled()).equal(1);
  });

  it('is run again when it failed', async () => {
    await start();
    const fileId = await uploaded('no STL');
    for (let count = 0; count < 2; count++) {
      (await api.run('import', { fileId })).status.body.isSuccessful.should.be.false();
    }
    should(await recalled()).equal(0);
  });

  it('is run again when what it made was deleted, which leaves alone what was made of it', async () => {
    let now = Date.now();
    const limits = { retentionMs: 24 * 3_600_000, sweepIntervalMs: 10, accessTokenMs: 1e12 };
    await start({ now: () => now, limits });
    const first = await imported(await uploaded(CUBE));
    now += 20 * 3_600_000;
    const fileId = await uploaded(CUBE);
    const second = await imported(fileId);
    should(await recalled()).equal(1);
    now += 10 * 3_600_000; // the first is too old now, the second is not
    await service.close();
    await start({ now: () => now, limits });
    (await api.post('repair', { inputId: first.resultId })).status.should.equal(410);
    (await api.run('repair', { inputId: second.resultId })).status.body.isSuccessful.should.be.true();
    now += 20 * 3_600_000;
    await service.close();
    await start({ now: () => now, limits });
    await imported(await uploaded(CUBE));
    should(await recalled()).equal(0);
  });

  it('is run again by another version of the kernel', async () => {
    await start();
    const fileId = await uploaded(CUBE);
    await imported(fileId);
    await service.close();
    const program = path.join(path.dirname(KERNEL_PROGRAM), 'kernel-process-of-the-test.js');
    await copyFile(KERNEL_PROGRAM, program);
    try {
      await appendFile(program, '\n// another one\n');
      await start({ kernelProgram: program });
      await imported(fileId);
      should(await recalled()).equal(0);
    } finally {
      await removeFolder(program);
    }
  });

  it('is run again where that is wanted', async () => {
    await start({ usesResultCache: false });
    const fileId = await uploaded(CUBE);
    await imported(fileId);
    await imported(fileId);
    should(await recalled()).equal(0);
  });
});
