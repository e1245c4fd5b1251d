import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import { eventually, findDescendants, isRunning, type RunningProcess } from '../helpers/processes.js';
import { createFlow, FlowBench, type FlowItem } from './support/flow-bench.js';

const CUBE = `solid cube\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n`;
const LOCAL: FlowItem = { id: 'service', type: 'model-processing-service', service: 'local' };

describe('the local service', () => {
  let bench: FlowBench;
  let dataDir: string;

  const settings = () => ({ modelProcessing: { dataDir } });
  const findServices = (): RunningProcess[] =>
    findDescendants(process.pid).filter(({ command }) => command.includes('cli.js serve') && command.includes(dataDir));
  const findOnlyService = (): RunningProcess => {
    const [first, ...others] = findServices();
    others.should.be.empty();
    if (!first) throw new Error('No service is running.');
    return first;
  };
  const upload = async (id = 'node') => {
    bench.send({ payload: Buffer.from(CUBE), filename: 'cube.stl' }, id);
    return (await bench.next()).payload.fileId;
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'local-service-'));
  });
  afterEach(async () => {
    await bench.close();
    await eventually('the service has stopped', () => findServices().length === 0);
    await rm(dataDir, { recursive: true, force: true });
  });

  it('starts on the first message, not on a deploy, and stops after its last config node was deleted', async () => {
    bench = await FlowBench.start(createFlow({ type: 'model-processing-upload' }, LOCAL), { settings: settings() });
    findServices().should.be.empty();
    should(await upload()).be.a.String();
    const { pid } = findOnlyService();
    let isKept = false;
    await bench.deploy([{ id: 'tab', type: 'tab', label: 'test' }], 'full', () => {
      isKept = isRunning(pid);
    });
    isKept.should.be.true('keeps running for a moment, in case of a redeploy');
    await eventually('the service has stopped', () => !isRunning(pid));
  });

  it('runs once for two config nodes', async () => {
    const flow = [
      ...createFlow({ type: 'model-processing-upload' }, LOCAL),
      { ...LOCAL, id: 'service2' },
      { id: 'node2', z: 'tab', x: 1, y: 1, type: 'model-processing-upload', service: 'service2', wires: [['out']] },
    ];
    bench = await FlowBench.start(flow, { settings: settings() });
    await upload('node');
    await upload('node2');
    findOnlyService();
  });

  it('keeps running over three redeploys', async () => {
    const flow = createFlow({ type: 'model-processing-upload' }, LOCAL);
    bench = await FlowBench.start(flow, { settings: settings() });
    await upload();
    const { pid } = findOnlyService();
    for (let i = 0; i < 3; i += 1) await bench.deploy(flow);
    await upload();
    findOnlyService().pid.should.equal(pid);
  });

  it('restarts after a crash, and the nodes show it', async () => {
    bench = await FlowBench.start(createFlow({ type: 'model-processing-upload' }, LOCAL), { settings: settings() });
    await upload();
    const { pid } = findOnlyService();
    process.kill(pid, 'SIGKILL');
    await bench.until(() => bench.status()?.text === 'upload.status.restarting');
    should(bench.status()).containEql({ fill: 'yellow', shape: 'ring' });
    should(await upload()).be.a.String();
    findOnlyService().pid.should.not.equal(pid);
    should(bench.status()?.fill).equal('green');
  });

  describe('when the data folder is in use', () => {
    let other: ChildProcess;

    beforeEach(async () => {
      const args = ['dist/src/cli.js', 'serve', '--port', '0', '--data', dataDir];
      other = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
      if (other.stdout) await once(other.stdout, 'data');
    });
    afterEach(async () => {
      if (other.exitCode !== null || other.signalCode !== null) return;
      const exit = once(other, 'exit');
      other.kill('SIGCONT');
      other.kill('SIGTERM');
      await exit;
    });

    it('uses the service that runs there, and does not stop it', async () => {
      bench = await FlowBench.start(createFlow({ type: 'model-processing-upload' }, LOCAL), { settings: settings() });
      await upload();
      findOnlyService().pid.should.equal(other.pid);
      await bench.deploy([{ id: 'tab', type: 'tab', label: 'test' }]);
      should(other.exitCode).be.null();
    });

    it('starts a service when the other one has stopped', async () => {
      bench = await FlowBench.start(createFlow({ type: 'model-processing-upload' }, LOCAL), { settings: settings() });
      await upload();
      other.kill('SIGTERM');
      await once(other, 'exit');
      should(await upload()).be.a.String();
      findOnlyService().pid.should.not.equal(other.pid);
    });

    it('raises SERVICE_LOCKED while the other service does not reply, and works when it does', async () => {
      other.kill('SIGSTOP');
      bench = await FlowBench.start(createFlow({ type: 'model-processing-upload' }, LOCAL), { settings: settings() });
      bench.send({ payload: Buffer.from(CUBE), filename: 'cube.stl' });
      (await bench.next('errors')).error.code.should.equal('SERVICE_LOCKED');
      should(bench.status()).deepEqual({ fill: 'yellow', shape: 'ring', text: 'upload.status.locked' });
      other.kill('SIGCONT');
      await bench.until(() => bench.status()?.text !== 'upload.status.locked');
      should(await upload()).be.a.String();
    });
  });
});
