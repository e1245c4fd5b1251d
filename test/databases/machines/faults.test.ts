import { DeleteObjectCommand, S3Client } from '@aws-sdk/client-s3';
import should from 'should';
import { type CutProxy, startCutProxy } from '../../helpers/cut-proxy.js';
import { eventually, findDescendants, isRunning } from '../../helpers/processes.js';
import type { Calls, Reply } from '../../service/support/account.js';
import { CUBE } from '../../service/support/models.js';
import type { StartedProgram } from '../../service/support/program.js';
import { Machines } from './support/machines.js';

const ATTEMPTS_USED_UP = 42208;
const FILE_DAMAGED = 41001;

/** The rows of the table of faults in docs/operating/many-machines.md that need whole processes. */
describe('faults of a service on many machines', function () {
  this.timeout(300_000);
  let machines: Machines;
  let api: StartedProgram;
  let calls: Calls;

  before(async () => {
    machines = await Machines.start();
  });

  after(() => machines.stop());

  beforeEach(async () => {
    await machines.reset();
    api = await machines.startApi();
    calls = await machines.logIn(api.baseUrl);
  });

  afterEach(() => machines.end());

  /** Uploads a file of this name and starts an import of it. Resolves with the id of the operation. */
  const start = async (filename: string): Promise<string> => {
    const { body } = await calls.upload(CUBE, filename);
    return (await calls.post('import', { fileId: body.fileId })).body.operationId;
  };

  const findKernels = ({ pid }: StartedProgram): number[] =>
    findDescendants(pid).flatMap((child) => (child.command.includes('sleeping-kernel') ? [child.pid] : []));

  const untilKernelsRun = (worker: StartedProgram, count = 1): Promise<number[]> =>
    eventually('its kernel runs', () => {
      const kernels = findKernels(worker);
      return kernels.length === count ? kernels : undefined;
    });

  const expectUnavailable = ({ status, headers }: Reply): void => {
    should(status).equal(503);
    should(Number(headers.get('retry-after'))).be.above(0);
  };

  describe('a suspended worker that continues', () => {
    it('cannot complete its operation, which another worker runs', async () => {
      const suspended = await machines.startSleeper();
      const id = await start('12000.stl');
      await machines.untilRunning(id);
      const kernels = await untilKernelsRun(suspended);
      suspended.child.kill('SIGSTOP'); // its kernel succeeds meanwhile
      await eventually('its kernel has ended', () => !kernels.some(isRunning));
      await machines.startSleeper();
      await machines.untilRunning(id, 2);
      const { lease } = await machines.readOperation(id);
      suspended.child.kill('SIGCONT');
      (await calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
      await eventually('the first run ends', () => suspended.errors().includes(id));
      should(await machines.readOperation(id)).match({ lease, attempts: 2 });
      const outputs = await machines.query("select blob_key from file where kind = 'model'");
      should(outputs).have.length(1);
      should(outputs[0]?.blob_key).endWith(`/${lease}`);
    });

    it('ends its kernel process', async () => {
      const suspended = await machines.startSleeper();
      const id = await start('3600000.stl');
      await machines.untilRunning(id);
      const kernels = await untilKernelsRun(suspended);
      suspended.child.kill('SIGSTOP');
      await machines.startSleeper();
      await machines.untilRunning(id, 2);
      should(kernels.filter(isRunning)).have.length(1);
      suspended.child.kill('SIGCONT');
      await eventually('its kernel has ended', () => !kernels.some(isRunning));
      should(await machines.readOperation(id)).match({ state: 'running', attempts: 2 });
    });
  });

  describe('a worker that is cut off from the database', () => {
    let proxy: CutProxy;

    beforeEach(async () => {
      proxy = await startCutProxy(machines.server.port);
    });

    afterEach(() => proxy.close());

    it('ends its kernel processes, and another worker runs their operations', async () => {
      const alone = await machines.startSleeper({ port: proxy.port });
      const id = await start('3600000.stl');
      await machines.untilRunning(id);
      await untilKernelsRun(alone);
      proxy.cut();
      await machines.startSleeper();
      await eventually('its kernel has ended', () => findKernels(alone).length === 0);
      should(alone.child.exitCode).be.null();
      await machines.untilRunning(id, 2);
    });
  });

  it('fails the operation that kills its workers after ten of them, alone after three', async () => {
    const poisonous = await start('kill.stl');
    const others = await Promise.all(Array.from({ length: 6 }, () => start('1000.stl')));
    let deaths = 0;
    for (;;) {
      const worker = await machines.startSleeper();
      const isCompleted = async (): Promise<boolean> => (await machines.readOperation(poisonous)).state === 'completed';
      const hasEnded = (): boolean => worker.child.signalCode !== null;
      await eventually('the operation fails, or its worker ends', async () => hasEnded() || isCompleted());
      if (!hasEnded()) break;
      deaths += 1;
      // Otherwise each attempt would wait for 10 s.
      await machines.query(
        "update pgboss.job set heartbeat_on = heartbeat_on - interval '10 s' where state = 'active'",
      );
    }
    should(deaths).equal(10);
    (await calls.untilCompleted(poisonous)).body.should.match({ error: { code: ATTEMPTS_USED_UP } });
    for (const id of others) (await calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
    const [row] = await machines.query(
      `select sum(attempts - 1)::int as interrupted from operation where id <> '${poisonous}'`,
    );
    should(row?.interrupted).be.within(1, 3); // one in the other slot of each of the first three workers
  });

  it('goes on with running operations while the database restarts, and replies 503 meanwhile', async () => {
    const worker = await machines.startSleeper();
    const [short, long] = [await start('1000.stl'), await start('8000.stl')];
    await machines.untilRunning(short);
    await untilKernelsRun(worker, 2);
    await machines.server.halt('SIGQUIT');
    expectUnavailable(await calls.get(`${long}/status`));
    expectUnavailable(await calls.upload(CUBE, 'cube.stl'));
    await eventually('the short operation has ended', () => findKernels(worker).length <= 1);
    await machines.server.resume();
    for (const id of [short, long]) {
      (await calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
      should(await machines.readOperation(id)).match({ attempts: 1 });
    }
    for (const { child } of [api, worker]) should(child.exitCode).be.null();
  });

  it('keeps operations waiting while the bucket is away, and counts no attempt', async () => {
    await machines.startSleeper();
    const { body } = await calls.upload(CUBE, '100.stl');
    const id = await start('3000.stl');
    await machines.untilRunning(id);
    await machines.swift.halt('SIGKILL');
    expectUnavailable(await calls.upload(CUBE, 'cube.stl'));
    expectUnavailable(await calls.get(`file/${body.fileId}`));
    const waiting = (await calls.post('import', { fileId: body.fileId })).body.operationId;
    await machines.untilRunning(waiting);
    await machines.swift.resume();
    for (const each of [id, waiting]) {
      (await calls.untilCompleted(each)).body.should.match({ isSuccessful: true });
      should(await machines.readOperation(each)).match({ attempts: 1 });
    }
  });

  it('says that a file is damaged whose object is missing', async () => {
    await machines.startWorker(['--workers', '1']);
    const { body } = await calls.upload(CUBE, 'cube.stl');
    const [row] = await machines.query(`select blob_key from file where id = '${body.fileId}'`);
    const { endpoint } = machines.swift;
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    await client.send(new DeleteObjectCommand({ Bucket: machines.name, Key: String(row?.blob_key) }));
    client.destroy();
    const { operationId } = (await calls.post('import', { fileId: body.fileId })).body;
    (await calls.untilCompleted(operationId)).body.should.match({ isSuccessful: false, error: { code: FILE_DAMAGED } });
    const download = await calls.get(`file/${body.fileId}`);
    should([download.status, download.body.errors[0].code]).eql([410, FILE_DAMAGED]);
  });

  it('runs each operation once on workers whose clocks differ by two minutes', async () => {
    const before = Date.now();
    await Promise.all([-60_000, 60_000].map((clockOffsetMs) => machines.startSleeper({ clockOffsetMs })));
    const ids = await Promise.all(Array.from({ length: 8 }, () => start('3000.stl')));
    for (const id of ids) (await calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
    for (const row of await Promise.all(ids.map((id) => machines.readOperation(id)))) {
      should(row.attempts).equal(1);
      should(row.started_at).be.within(before, Number(row.finished_at));
      should(row.finished_at).be.within(before, Date.now());
    }
  });

  it('becomes ready in six processes that start at the same time on an empty database', async () => {
    machines.name = `${machines.name}-empty`;
    await machines.server.createDatabase(machines.name);
    const args = ['--s3-bucket', machines.bucket.bucket, '--s3-prefix', 'other/'];
    const starts = [1, 2, 3].flatMap(() => [
      machines.startApi({ args }),
      machines.startWorker([...args, '--workers', '1']),
    ]);
    for (const { baseUrl } of await Promise.all(starts)) {
      (await fetch(`${baseUrl}/readyz`)).status.should.equal(200);
    }
  });
});
