import should from 'should';
import { eventually } from '../../helpers/processes.js';
import { type FaultyProxy, startFaultyProxy } from '../blobs/support/faulty-proxy.js';
import { registerMachinesBench } from './support/machines-bench.js';

describe('a worker that is killed while it stores an output and runs the next operation', function () {
  this.timeout(300_000);
  const bench = registerMachinesBench();
  let proxy: FaultyProxy;

  beforeEach(async () => {
    proxy = await startFaultyProxy(bench.machines.swift.endpoint);
  });

  afterEach(() => proxy.close());

  it('leaves both to another one, which completes each once', async () => {
    const [stored, next] = [await bench.startImport('1.stl'), await bench.startImport('10000.stl')];
    const { output_id: outputId } = await bench.machines.readOperation(stored);
    const isUpload = (line: string): boolean => line.startsWith('PUT ') && line.includes(String(outputId));
    proxy.chooseFault = (line) => (isUpload(line) ? 'stall' : undefined);

    const killed = await bench.machines.startSleeper({ slots: 1, endpoint: proxy.endpoint });
    await eventually('the first output is sent', () => proxy.requests.some(isUpload));
    await bench.machines.untilRunning(next);
    await eventually('the worker reports both', async () => {
      const text = await (await fetch(`${killed.baseUrl}/metrics`)).text();
      const lines = ['slots 1', 'storing_operations 1', 'operations{state="running"} 2'];
      return lines.every((line) => text.includes(`\nmodel_processing_${line}\n`));
    });
    killed.child.kill('SIGKILL');
    await killed.ended;
    for (const id of [stored, next]) {
      should(await bench.machines.readOperation(id)).match({ state: 'running', attempts: 1 });
    }

    const other = await bench.machines.startSleeper({ slots: 1 });
    for (const id of [stored, next]) {
      (await bench.calls.untilCompleted(id)).body.should.match({ isSuccessful: true });
      const row = await bench.machines.readOperation(id);
      should(row.attempts).equal(2);
      const outputs = await bench.machines.query(`select blob_key from file where id = '${row.output_id}'`);
      should(outputs).have.length(1);
      should(String(outputs[0]?.blob_key)).endWith(`/${row.lease}`); // the object of the second attempt
    }
    should(killed.errors().match(/"Completed"/g)).be.null();
    await eventually('both are logged', () => other.errors().match(/"Completed"/g)?.length === 2);
    const [row] = await bench.machines.query(`select
      (select count(*)::int from file where kind = 'model') as outputs,
      (select count(*)::int from pgboss.job where state < 'completed' and name = 'operation') as jobs`);
    should(row).eql({ outputs: 2, jobs: 0 });
  });
});
