import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import should from 'should';
import { eventually, findKernelProcesses } from '../../helpers/processes.js';
import { callsWith } from '../../service/support/account.js';
import { CUBE, OPEN_CUBE } from '../../service/support/models.js';
import { startProgram } from '../../service/support/program.js';
import { registerMachinesBench } from './support/machines-bench.js';

describe('a service on many machines', function () {
  this.timeout(120_000);
  const bench = registerMachinesBench();

  /** Starts an operation that takes so long. Resolves with its id. */
  const startSleeping = (ms: number): Promise<string> => bench.startImport(`${ms}.stl`);

  it('processes models by the commands, which hide their secrets', async () => {
    const worker = await bench.machines.startWorker([
      '--workers',
      '1',
      '--database-url',
      bench.machines.server.url(bench.machines.name),
    ]);
    const { body } = await bench.calls.upload(OPEN_CUBE, 'cube.stl');
    const imported = await bench.calls.run('import', { fileId: body.fileId });
    const repaired = await bench.calls.run('repair', { inputId: imported.result.body.resultId });
    const exported = await bench.calls.run('export', { inputId: repaired.result.body.resultId, exportToFormat: 'stl' });
    const download = await bench.calls.get(`file/${exported.result.body.fileId}`);
    download.headers.get('content-length')?.should.equal(String(84 + 12 * 50));
    for (const { pid, errors, baseUrl } of [bench.api, worker]) {
      (await readFile(`/proc/${pid}/cmdline`, 'utf8')).should.not.containEql('postgres://');
      errors().should.not.containEql('postgres://').and.not.containEql('testing');
      (await fetch(`${baseUrl}/metrics`)).status.should.equal(200);
    }
    (await fetch(`${worker.baseUrl}/formats`)).status.should.equal(404);
    worker.child.kill('SIGTERM');
    should(await worker.ended).equal(0);
  });

  it('shows no secret in its logs, in the process list, and to its kernel processes', async () => {
    const folder = await bench.machines.createScratch();
    const secrets = { password: 'database-hunter2', token: 'metrics-hunter2-metrics', callback: randomBytes(32) };
    const callbackFile = path.join(folder, 'callback');
    await writeFile(callbackFile, `whsec_${secrets.callback.toString('base64')}`);
    const url = bench.machines.server.url(bench.machines.name).replace('postgres@', `postgres:${secrets.password}@`);
    const args = ['--database-url', url, '--metrics-token', secrets.token, '--log-level', 'debug'];
    const other = await bench.machines.startApi({ args });
    // A sandbox would hide more than the service keeps from its kernel processes.
    const ofWorker = ['--callback-secret-file', callbackFile, '--sandbox', 'off'];
    const worker = await bench.machines.startWorker([...args, ...ofWorker]);
    const { body } = await bench.calls.upload(CUBE, 'cube.stl');
    await bench.calls.run('import', { fileId: body.fileId });
    const [kernel] = findKernelProcesses(worker.pid); // kept ready for the next operation
    if (!kernel) throw new Error('Expected a kernel process.');
    const texts = [
      ...(await Promise.all(
        [other.pid, worker.pid, kernel.pid].map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')),
      )),
      ...[other.errors(), worker.errors()],
      await readFile(`/proc/${kernel.pid}/environ`, 'utf8'),
    ];
    const hidden = [secrets.password, secrets.token, secrets.callback.toString('base64'), 'postgres://', 'hunter2'];
    for (const text of texts) for (const secret of hidden) text.should.not.containEql(secret);
    should(texts.at(-1))
      .match(/^PATH=|\0PATH=/)
      .and.not.match(/AWS_|MODEL_PROCESSING_|testing/);
  });

  it('gives files and operations ids that begin with the time of the database, and keys that do not', async () => {
    await startSleeping(1);
    const rows = await bench.machines.query(`select id, created_at::float, null as key from operation
      union all select id, created_at::float, blob_key from file`);
    should(rows).have.length(2);
    for (const { id, created_at, key } of rows) {
      String(id).should.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      should(parseInt(String(id).replace('-', '').slice(0, 12), 16)).be.approximately(Number(created_at), 60_000);
      if (key !== null) should(key).equal(`${String(id).slice(-2)}/${id}/upload`);
    }
  });

  it('gives each operation to one of two workers', async () => {
    await Promise.all([bench.machines.startSleeper(), bench.machines.startSleeper()]);
    const ids = await Promise.all(Array.from({ length: 24 }, () => startSleeping(50)));
    for (const id of ids) (await bench.calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
    const [row] = await bench.machines.query(`select count(*)::int as count, sum(attempts)::int as attempts,
      (select count(*)::int from file where kind = 'model') as outputs,
      (select count(*)::int from pgboss.job where state < 'completed' and name = 'operation') as jobs from operation`);
    should(row).eql({ count: 24, attempts: 24, outputs: 24, jobs: 0 });
  });

  it('runs the operation of a worker that was killed on another one', async () => {
    const killed = await bench.machines.startSleeper();
    const id = await startSleeping(60_000);
    await bench.machines.untilRunning(id);
    await bench.machines.startSleeper();
    killed.child.kill('SIGKILL');
    await bench.machines.untilRunning(id, 2);
  });

  it('refuses what a worker writes that was suspended while another one ran its operation', async () => {
    const suspended = await bench.machines.startSleeper();
    const id = await startSleeping(4000);
    await bench.machines.untilRunning(id);
    suspended.child.kill('SIGSTOP');
    await bench.machines.startSleeper();
    (await bench.calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
    const row = await bench.machines.readOperation(id);
    suspended.child.kill('SIGCONT');
    await eventually('the suspended worker ends its run', () => /"Claim lost/.test(suspended.errors()));
    suspended.errors().should.not.match(/"Cancelled"/);
    should(await bench.machines.readOperation(id)).eql(row);
    should(row.attempts).equal(2);
    should(await bench.machines.query("select count(*)::int as count from file where kind = 'model'")).eql([
      { count: 1 },
    ]);
  });

  it('tells a worker that its operation was cancelled', async () => {
    const worker = await bench.machines.startSleeper();
    const id = await startSleeping(60_000);
    await bench.machines.untilRunning(id);
    (await bench.calls.remove(id)).status.should.equal(200);
    await eventually('the worker ends the run', () => /"Cancelled"/.test(worker.errors()));
  });

  it('adds a start completely or not at all if its process is killed', async () => {
    const { body } = await bench.calls.upload(CUBE, '1.stl');
    const starts = Array.from({ length: 40 }, () =>
      bench.calls.post('import', { fileId: body.fileId }).catch(() => undefined),
    );
    await Promise.race(starts);
    bench.api.child.kill('SIGKILL');
    const replies = (await Promise.all(starts)).flatMap((reply) =>
      reply?.status === 200 ? [reply.body.operationId] : [],
    );
    const rows = await bench.machines.query(`select operation.id, job.id::text as job from operation
      full join pgboss.job on job.id::text = operation.id and job.name = 'operation'`);
    const complete = rows.filter((row) => row.id === row.job).map((row) => row.id);
    should(complete.length).equal(rows.filter((row) => row.id !== null || row.job !== null).length);
    for (const id of replies) complete.should.containEql(id);
  });

  // Has each transaction with a job wait at its commit.
  const WAIT_AT_COMMIT = `
    create function wait_for_test() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
    create constraint trigger waits after insert on pgboss.job_common deferrable initially deferred
      for each row execute function wait_for_test()`;

  for (const { moment, prepare = 'select', lock } of [
    { moment: 'the row is written', lock: 'lock table operation in exclusive mode' },
    { moment: 'the job is written', lock: 'lock table pgboss.job in exclusive mode' },
    { moment: 'the commit', prepare: WAIT_AT_COMMIT, lock: 'select pg_advisory_xact_lock(1)' },
  ]) {
    it(`adds nothing of a start whose process is killed before ${moment}`, async () => {
      const { body } = await bench.calls.upload(CUBE, '1.stl');
      await bench.machines.query(prepare);
      await bench.machines.server.lockWhile(lock, bench.machines.name, async () => {
        const starts = Array.from({ length: 4 }, () =>
          bench.calls.post('import', { fileId: body.fileId }).catch(() => undefined),
        );
        await bench.machines.server.untilWaiting(); // all statements before were sent
        bench.api.child.kill('SIGKILL');
        await Promise.all([bench.api.ended, ...starts]);
        const waiting =
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'model-processing'";
        await bench.machines.query(waiting); // the end of the connection is not noticed while it waits
      });
      await eventually('the connections of the process have ended', async () => {
        const connected = "select 1 from pg_stat_activity where application_name = 'model-processing'";
        return (await bench.machines.query(connected)).length === 0;
      });
      const [row] = await bench.machines.query(`select (select count(*)::int from operation) as operations,
        (select count(*)::int from pgboss.job where name = 'operation') as jobs,
        (select coalesce(sum(waiting), 0)::int from user_queue) as waiting`);
      should(row).eql({ operations: 0, jobs: 0, waiting: 0 });
    });
  }

  it('stops a worker by a signal: it finishes what is short, and gives the rest to another one at once', async () => {
    const stopping = await bench.machines.startSleeper();
    const long = await startSleeping(60_000);
    await bench.machines.untilRunning(long);
    const short = await startSleeping(2000);
    await bench.machines.untilRunning(short);
    stopping.child.kill('SIGTERM');
    should(await stopping.ended).equal(0);
    should(await bench.machines.readOperation(short)).match({ is_successful: 1 });
    should(await bench.machines.readOperation(long)).match({ state: 'queued', attempts: 0 });
    await bench.machines.startSleeper();
    await bench.machines.untilRunning(long);
  });

  for (const command of ['serve', 'worker'] as const) {
    it(`ends ${command} by a signal while it waits to mark its part of the bucket`, async () => {
      const s3 = bench.machines.createS3Client();
      const { bucket } = bench.machines.bucket;
      // As of another store, which marks the same part of the bucket.
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'other/store-candidates/foreign/1', Body: 'foreign' }));
      const scratch = command === 'worker' ? ['--scratch', await bench.machines.createScratch()] : [];
      const args = [command, '--port', '0', ...scratch, ...bench.machines.bucketArguments, '--s3-prefix', 'other/'];
      const program = startProgram(args, bench.machines.environment);
      await eventually('it waits', async () => {
        const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'other/' }));
        return Contents.length > 1;
      });
      program.child.kill('SIGTERM');
      should(await program.ended).equal(0);
      should(program.errors()).not.match(/belongs to another database/);
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'other/' }));
      should(Contents).have.length(1);
      s3.destroy();
    });
  }

  it('stops an API process by a signal: it is not ready, but serves requests for a while', async () => {
    const { child, baseUrl, ended } = await bench.machines.startApi({ drainDelayS: 5 });
    child.kill('SIGTERM');
    await eventually('it is not ready', async () => (await fetch(`${baseUrl}/readyz`)).status === 503);
    (await callsWith(baseUrl, bench.calls.token).upload(CUBE, 'cube.stl')).status.should.equal(200);
    should(await ended).equal(0);
  });

  it('fails an operation that has killed ten workers, and runs the others', async () => {
    const [poisonous, other] = [await startSleeping(1), await startSleeping(1)];
    await bench.machines.query(`update operation set attempts = 10 where id = '${poisonous}'`);
    await bench.machines.startSleeper();
    (await bench.calls.untilCompleted(poisonous)).body.should.match({ isSuccessful: false, error: { code: 42208 } });
    (await bench.calls.untilCompleted(other)).body.should.match({ isSuccessful: true });
  });
});
