import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import type { Calls } from './support/account.js';
import { CUBE, OPEN_CUBE } from './support/models.js';
import { performHere } from './support/run-jobs.js';
import { KERNEL_PROGRAM } from './support/running.js';
import { addSignedInUser } from './support/users.js';
import { withServiceOfEachTest } from './support/with-service.js';

describe('the result cache', () => {
  let folder: string;
  let service: RunningService;
  let api: Calls;

  const start = withServiceOfEachTest((bench) => ({ folder, service, api } = bench));

  const upload = async (text: string, filename = 'cube.stl'): Promise<string> =>
    (await api.upload(text, filename)).body.fileId;

  /** Reads the number of cache hits since the start. */
  const countCacheHits = async (): Promise<number> => {
    const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
    return Number(/^model_processing_cache_hits_total (\d+)$/m.exec(text)?.[1]);
  };

  const importModel = async (fileId: string, more: object = {}) =>
    (await api.run('import', { fileId, ...more })).result.body;

  it('returns a new result with the same bytes and the same report', async () => {
    await start();
    const fileId = await upload(OPEN_CUBE);
    const runAll = async () => {
      const model = await importModel(fileId);
      const repaired = (await api.run('repair', { inputId: model.resultId })).result.body;
      const exported = (await api.run('export', { inputId: repaired.resultId, exportToFormat: 'stl' })).result.body;
      const reports = [model.report, repaired.report];
      return { reports, id: exported.fileId, bytes: (await api.get(`file/${exported.fileId}`)).body };
    };
    const [first, second] = [await runAll(), await runAll()];
    second.bytes.should.equal(first.bytes);
    should(second.reports).deepEqual(first.reports);
    second.id.should.not.equal(first.id);
    should(await countCacheHits()).equal(3); // repair and export start from equal models
  });

  it('hits for the same bytes from another upload', async () => {
    await start();
    const model = await importModel(await upload(CUBE));
    const again = await importModel(await upload(CUBE));
    again.resultId.should.not.equal(model.resultId);
    should(await countCacheHits()).equal(1);
  });

  it('misses for another filename, other parameters or other bytes', async () => {
    await start();
    await importModel(await upload(CUBE));
    await importModel(await upload(CUBE, 'other.stl'));
    await importModel(await upload(CUBE), { measurementUnits: 'inch' });
    await importModel(await upload(OPEN_CUBE));
    should(await countCacheHits()).equal(0);
  });

  it('misses for another user', async () => {
    await start();
    await importModel(await upload(CUBE));
    api = await addSignedInUser(folder, 'ann');
    await importModel(await upload(CUBE));
    should(await countCacheHits()).equal(0);
  });

  it('hits for an analysis', async () => {
    await start();
    const { resultId } = await importModel(await upload(CUBE));
    const measures = async () => {
      const { operationId: _, ...measured } = (await api.run('analyze', { inputId: resultId })).result.body;
      return measured;
    };
    should(await measures()).deepEqual(await measures());
    should(await countCacheHits()).equal(1);
  });

  it('misses after a failure', async () => {
    await start();
    const fileId = await upload('no STL');
    for (let count = 0; count < 2; count++) {
      (await api.run('import', { fileId })).status.body.isSuccessful.should.be.false();
    }
    should(await countCacheHits()).equal(0);
  });

  it('misses once the output was deleted, and keeps newer outputs', async () => {
    let now = Date.now();
    const limits = { retentionMs: 24 * 3_600_000, sweepIntervalMs: 10, accessTokenMs: 1e12 };
    await start({ now: () => now, monotonicNow: () => now, limits });
    const first = await importModel(await upload(CUBE));
    now += 20 * 3_600_000;
    const fileId = await upload(CUBE);
    const second = await importModel(fileId);
    should(await countCacheHits()).equal(1);
    now += 10 * 3_600_000; // the first has expired, the second has not
    await service.close();
    await start({ now: () => now, monotonicNow: () => now, limits });
    (await api.post('repair', { inputId: first.resultId })).status.should.equal(410);
    (await api.run('repair', { inputId: second.resultId })).status.body.isSuccessful.should.be.true();
    now += 20 * 3_600_000;
    await service.close();
    await start({ now: () => now, monotonicNow: () => now, limits });
    await importModel(await upload(CUBE));
    should(await countCacheHits()).equal(0);
  });

  it('misses for another version of the kernel', async () => {
    await start();
    const fileId = await upload(CUBE);
    await importModel(fileId);
    await service.close();
    const kernelProgram = path.join(folder, 'changed-kernel.js');
    await writeFile(kernelProgram, `${await readFile(KERNEL_PROGRAM, 'utf8')}\n// changed\n`);
    await start({ kernelProgram, runJob: performHere });
    await importModel(fileId);
    should(await countCacheHits()).equal(0);
  });

  it('is off with usesResultCache: false', async () => {
    await start({ usesResultCache: false });
    const fileId = await upload(CUBE);
    await importModel(fileId);
    await importModel(fileId);
    should(await countCacheHits()).equal(0);
  });
});
