import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import should from 'should';
import { type CutProxy, startCutProxy } from '../../helpers/cut-proxy.js';
import { eventually, findDescendants, isRunning } from '../../helpers/processes.js';
import type { Reply } from '../../service/support/account.js';
import { CUBE } from '../../service/support/models.js';
import type { StartedProgram } from '../../service/support/program.js';
import { registerMachinesBench } from './support/machines-bench.js';

const ATTEMPTS_USED_UP = 42208;
const FILE_DAMAGED = 41001;

/** The rows of the table of faults in docs/operating/many-machines.md that need whole processes. */
describe('faults of a service on many machines', function () {
  this.timeout(300_000);
  const bench = registerMachinesBench();

  const findKernels = ({ pid }: StartedProgram, title = 'sleeping-kernel'): number[] =>
    findDescendants(pid).flatMap((child) => (child.command.includes(title) ? [child.pid] : []));

  const findBusyKernels = (worker: StartedProgram): number[] => findKernels(worker, 'sleeping-kernel: busy');

  const untilKernelsRun = (worker: StartedProgram, count = 1): Promise<number[]> =>
    eventually('its kernel runs', () => {
      const kernels = findBusyKernels(worker);
      return kernels.length === count ? kernels : undefined;
    });

  const expectUnavailable = ({ status, headers }: Reply): void => {
    should(status).equal(503);
    should(Number(headers.get('retry-after'))).be.above(0);
  };

  describe('a suspended worker that continues', () => {
    it('cannot complete its operation, which another worker runs', async () => {
      const suspended = await bench.machines.startSleeper();
      const id = await bench.startImport('12000.stl');
      await bench.machines.untilRunning(id);
      await untilKernelsRun(suspended);
      suspended.child.kill('SIGSTOP'); // its kernel succeeds meanwhile
      await eventually('its kernel has succeeded', () => findBusyKernels(suspended).length === 0);
      await bench.machines.startSleeper();
      await bench.machines.untilRunning(id, 2);
      const { lease } = await bench.machines.readOperation(id);
      suspended.child.kill('SIGCONT');
      (await bench.calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
      await eventually('the first run ends', () => suspended.errors().includes(id));
      should(await bench.machines.readOperation(id)).match({ lease, attempts: 2 });
      const outputs = await bench.machines.query("select blob_key from file where kind = 'model'");
      should(outputs).have.length(1);
      should(outputs[0]?.blob_key).endWith(`/${lease}`);
    });

    it('ends its kernel process', async () => {
      const suspended = await bench.machines.startSleeper();
      const id = await bench.startImport('3600000.stl');
      await bench.machines.untilRunning(id);
      const kernels = await untilKernelsRun(suspended);
      suspended.child.kill('SIGSTOP');
      await bench.machines.startSleeper();
      await bench.machines.untilRunning(id, 2);
      should(kernels.filter(isRunning)).have.length(1);
      suspended.child.kill('SIGCONT');
      await eventually('its kernel has ended', () => !kernels.some(isRunning));
      should(await bench.machines.readOperation(id)).match({ state: 'running', attempts: 2 });
    });
  });

  describe('a worker that is cut off from the database', () => {
    let proxy: CutProxy;

    beforeEach(async () => {
      proxy = await startCutProxy(bench.machines.server.port);
    });

    afterEach(() => proxy.close());

    it('ends its kernel processes, and another worker runs their operations', async () => {
      const alone = await bench.machines.startSleeper({ port: proxy.port });
      const id = await bench.startImport('3600000.stl');
      await bench.machines.untilRunning(id);
      await untilKernelsRun(alone);
      proxy.cut();
      await bench.machines.startSleeper();
      await eventually('its kernel has ended', () => findKernels(alone).length === 0);
      should(alone.child.exitCode).be.null();
      await bench.machines.untilRunning(id, 2);
    });
  });

  it('fails the operation that kills its workers after ten of them, alone after three', async () => {
    const poisonous = await bench.startImport('kill.stl');
    const others = await Promise.all(Array.from({ length: 6 }, () => bench.startImport('1000.stl')));
    let deaths = 0;
    for (;;) {
      const worker = await bench.machines.startSleeper();
      const isCompleted = async (): Promise<boolean> =>
        (await bench.machines.readOperation(poisonous)).state === 'completed';
      const hasEnded = (): boolean => worker.child.signalCode !== null;
      await eventually('the operation fails, or its worker ends', async () => hasEnded() || isCompleted());
      if (!hasEnded()) break;
      deaths += 1;
      // Otherwise each attempt would wait for 10 s.
      await bench.machines.query(
        "update pgboss.job set heartbeat_on = heartbeat_on - interval '10 s' where state = 'active'",
      );
    }
    should(deaths).equal(10);
    (await bench.calls.untilCompleted(poisonous)).body.should.match({ error: { code: ATTEMPTS_USED_UP } });
    for (const id of others) (await bench.calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
    const [row] = await bench.machines.query(
      `select sum(attempts - 1)::int as interrupted from operation where id <> '${poisonous}'`,
    );
    // Of each of the first three workers: the one in the other slot, and up to two whose outputs were being stored.
    should(row?.interrupted).be.within(1, 9);
  });

  it('goes on with running operations while the database restarts, and replies 503 meanwhile', async () => {
    const worker = await bench.machines.startSleeper();
    const ids = [await bench.startImport('wait.stl'), await bench.startImport('wait.stl')];
    const [first = 0, second = 0] = await untilKernelsRun(worker, 2);
    await bench.machines.server.halt('SIGQUIT');
    expectUnavailable(await bench.calls.get(`${ids[0]}/status`));
    expectUnavailable(await bench.calls.upload(CUBE, 'cube.stl'));
    process.kill(first, 'SIGUSR2');
    await eventually('one of them has ended', () => findBusyKernels(worker).length === 1);
    await bench.machines.server.resume();
    process.kill(second, 'SIGUSR2');
    for (const id of ids) {
      (await bench.calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
      should(await bench.machines.readOperation(id)).match({ attempts: 1 });
    }
    for (const { child } of [bench.api, worker]) should(child.exitCode).be.null();
  });

  it('keeps operations waiting while the bucket is away, and counts no attempt', async () => {
    await bench.machines.startSleeper();
    const { body } = await bench.calls.upload(CUBE, '100.stl');
    const id = await bench.startImport('3000.stl');
    await bench.machines.untilRunning(id);
    await bench.machines.swift.halt('SIGKILL');
    expectUnavailable(await bench.calls.upload(CUBE, 'cube.stl'));
    expectUnavailable(await bench.calls.get(`file/${body.fileId}`));
    const waiting = (await bench.calls.post('import', { fileId: body.fileId })).body.operationId;
    await bench.machines.untilRunning(waiting);
    await bench.machines.swift.resume();
    for (const each of [id, waiting]) {
      (await bench.calls.untilCompleted(each)).body.should.match({ isSuccessful: true });
      should(await bench.machines.readOperation(each)).match({ attempts: 1 });
    }
  });

  it('says that a file is damaged whose object is missing', async () => {
    await bench.machines.startWorker(['--workers', '1']);
    const { body } = await bench.calls.upload(CUBE, 'cube.stl');
    const [row] = await bench.machines.query(`select blob_key from file where id = '${body.fileId}'`);
    const client = bench.machines.createS3Client();
    await client.send(new DeleteObjectCommand({ Bucket: bench.machines.name, Key: String(row?.blob_key) }));
    client.destroy();
    const { operationId } = (await bench.calls.post('import', { fileId: body.fileId })).body;
    (await bench.calls.untilCompleted(operationId)).body.should.match({
      isSuccessful: false,
      error: { code: FILE_DAMAGED },
    });
    const download = await bench.calls.get(`file/${body.fileId}`);
    should([download.status, download.body.errors[0].code]).eql([410, FILE_DAMAGED]);
  });

  it('runs each operation once on workers whose clocks differ by two minutes', async () => {
    const before = Date.now();
    await Promise.all([-60_000, 60_000].map((clockOffsetMs) => bench.machines.startSleeper({ clockOffsetMs })));
    const ids = await Promise.all(Array.from({ length: 8 }, () => bench.startImport('3000.stl')));
    for (const id of ids) (await bench.calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
    for (const row of await Promise.all(ids.map((id) => bench.machines.readOperation(id)))) {
      should(row.attempts).equal(1);
      should(row.started_at).be.within(before, Number(row.finished_at));
      should(row.finished_at).be.within(before, Date.now());
    }
  });

  it('becomes ready in six processes that start at the same time on an empty database', async () => {
    bench.machines.name = `${bench.machines.name}-empty`;
    await bench.machines.server.createDatabase(bench.machines.name);
    const args = ['--s3-bucket', bench.machines.bucket.bucket, '--s3-prefix', 'other/'];
    const starts = [1, 2, 3].flatMap(() => [
      bench.machines.startApi({ args }),
      bench.machines.startWorker([...args, '--workers', '1']),
    ]);
    for (const { baseUrl } of await Promise.all(starts)) {
      (await fetch(`${baseUrl}/readyz`)).status.should.equal(200);
    }
  });
});
