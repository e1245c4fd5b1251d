import path from 'node:path';
import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { eventually, findDescendants } from '../helpers/processes.js';
import type { Calls } from './support/account.js';
import { withServiceOfEachTest } from './support/with-service.js';

const KERNEL = path.resolve('test/service/support/kernels/by-filename.mjs');

function kernelProcesses() {
  return findDescendants(process.pid).filter(({ command }) => command.includes('by-filename.mjs'));
}

describe('an operation', () => {
  let service: RunningService;
  let api: Calls;

  const start = withServiceOfEachTest((bench) => ({ service, api } = bench), {
    kernelProgram: KERNEL,
    plan: { workers: 1, jobMemoryBytes: 256 * 1024 ** 2 },
  });

  const startImport = async (filename: string): Promise<string> => {
    const { body } = await api.upload('bytes', filename);
    return (await api.post('import', { fileId: body.fileId })).body.operationId;
  };

  afterEach(async () => {
    kernelProcesses().should.deepEqual([]);
  });

  it('is queued while others run, and its result is 409 until it has completed', async () => {
    await start();
    const running = await startImport('hang.stl');
    const queued = await startImport('fine.stl');
    await eventually('the first one runs', async () => (await api.get(`${running}/status`)).body.startedAt);
    (await api.get(`${queued}/status`)).body.should.match({ isCompleted: false, isSuccessful: false });
    for (const id of [running, queued]) {
      const reply = await api.get(`${id}/import/result`);
      reply.status.should.equal(409);
      reply.body.errors[0].code.should.equal(40900);
    }
  });

  it('runs in parallel with others, up to the number of workers', async () => {
    await start({ plan: { workers: 2, jobMemoryBytes: 256 * 1024 ** 2 } });
    await startImport('hang.stl');
    await api.untilCompleted(await startImport('fine.stl'));
    kernelProcesses().should.have.length(1);
  });

  const FAILURES = [
    { filename: 'hang.stl', code: 42206, what: 'times out', limits: { operationTimeoutMs: 5000 } },
    { filename: 'crash.stl', code: 42207, what: 'crashes its process', limits: {} },
    { filename: 'allocate.stl', code: 42205, what: 'exceeds the memory limit', limits: {} },
  ];
  for (const { filename, code, what, limits } of FAILURES) {
    it(`fails with ${code} if it ${what}, and the next one runs`, async () => {
      await start({ limits });
      const [bad, good] = [await startImport(filename), await startImport('fine.stl')];
      (await api.untilCompleted(bad)).body.should.match({ isSuccessful: false, error: { code } });
      const result = await api.get(`${bad}/import/result`);
      result.status.should.equal(422);
      result.body.errors[0].code.should.equal(code);
      (await api.untilCompleted(good)).body.isSuccessful.should.be.true();
    });
  }

  it('is requeued when the service stops, and runs after the next start', async () => {
    await start();
    const id = await startImport('hang.stl');
    await eventually('it runs', () => kernelProcesses()[0]);
    await service.close();
    kernelProcesses().should.deepEqual([]);
    await start({ limits: { operationTimeoutMs: 300 } });
    (await api.untilCompleted(id)).body.should.match({ error: { code: 42206 } });
  });

  it('fails with 50701 if its output exceeds the quota', async () => {
    await start({ quotaBytes: 500 });
    (await api.untilCompleted(await startImport('fine.stl'))).body.should.match({ error: { code: 50701 } });
  });

  describe('after the retention time of files', () => {
    const week = 7 * 24 * 60 * 60 * 1000;
    let now: number;

    const restartAfterWeek = async (): Promise<void> => {
      now += week + 1;
      await service.close();
      await startWithClock();
    };

    const startWithClock = (): Promise<void> =>
      start({ now: () => now, monotonicNow: () => now, limits: { retentionMs: week, accessTokenMs: 2 * week } });

    beforeEach(async () => {
      now = Date.now();
      await startWithClock();
    });

    it('replies with 410 for its input, output and result, and with 200 for its status', async () => {
      const { fileId } = (await api.upload('bytes', 'fine.stl')).body;
      const { operationId, result } = await api.run('import', { fileId });
      await restartAfterWeek();
      const replies = [
        await api.get(`file/${fileId}`),
        await api.post('import', { fileId }),
        await api.post('repair', { inputId: result.body.resultId }),
        await api.get(`${operationId}/import/result`),
      ];
      should(replies.map(({ status }) => status)).deepEqual([410, 410, 410, 410]);
      should(replies.map(({ body }) => body.errors[0].code)).deepEqual([41000, 41000, 41000, 41000]);
      (await api.get(`${operationId}/status`)).status.should.equal(200);
    });

    it('keeps its input until it has completed', async () => {
      const { fileId } = (await api.upload('bytes', 'hang.stl')).body;
      await api.post('import', { fileId });
      await restartAfterWeek();
      (await api.get(`file/${fileId}`)).status.should.equal(200);
    });
  });
});
