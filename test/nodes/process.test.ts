import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import should from 'should';
import { FakeService, refusal } from '../helpers/fake-service.js';
import { FlowBench, flowOf, remoteService } from './support/flow-bench.js';

const CUBE = Buffer.from('solid cube\nendsolid cube\n');

function step(operation: string, more: Record<string, unknown> = {}) {
  return { operation, parameters: {}, ...more };
}

describe('process', () => {
  let service: FakeService;
  let bench: FlowBench;

  const flow = (settings: Record<string, unknown>) =>
    flowOf({ type: 'model-processing-process', ...settings }, remoteService(service.account));
  const start = async (settings: Record<string, unknown> = {}) => {
    bench = await FlowBench.start(flow(settings), { credentials: { service: service.account } });
  };
  const started = () =>
    service.requests
      .filter(({ method, path: requested }) => method === 'POST' && requested.startsWith('/web-api/operation/'))
      .map(({ path: requested }) => requested.replace('/web-api/operation/', ''));
  const bodyOf = (operation: string) =>
    JSON.parse(
      service.requests.find(({ path: requested }) => requested === `/web-api/operation/${operation}`)?.body ?? '{}',
    );

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  it('takes a file and sends the repaired one in STL, where nothing else is chosen', async () => {
    await start();
    bench.send({ payload: CUBE, filename: 'cube.obj', topic: 'kept' });
    const msg = await bench.next();
    msg.payload.should.deepEqual(Buffer.from('solid\nendsolid\n'));
    msg.should.containEql({ filename: 'cube.stl', topic: 'kept' });
    started().slice(0, 3).should.deepEqual(['file', 'import', 'repair']);
    bodyOf('import').measurementUnits.should.equal('mm');
    bodyOf('export').exportToFormat.should.equal('stl');
    bench.completed.get('node')?.should.equal(1);
  });

  it('goes through its steps in their order, each on the model of the one before; those that make none branch off', async () => {
    await start({ steps: [step('analyze'), step('scale'), step('thumbnail')], exportToFormat: '3mf' });
    bench.send({ payload: CUBE, filename: 'cube.stl' });
    const { model, filename } = await bench.next();
    started().should.deepEqual(['file', 'import', 'analyze', 'scale', 'thumbnail', 'export']);
    const [imported, analyzed, scaled, pictured, exported] = model.operations;
    should(analyzed.inputId).equal(imported.result.resultId);
    should(scaled.inputId).equal(imported.result.resultId);
    should(pictured.inputId).equal(scaled.result.resultId);
    should(exported.inputId).equal(scaled.result.resultId);
    model.analysis.volumeMm3.should.equal(1000);
    model.should.containEql({ fileId: exported.result.fileId, filename: 'cube.3mf' });
    should(filename).equal('cube.3mf');
  });

  it('takes unit, format and parameters from the message where its settings say so', async () => {
    await start({
      measurementUnits: 'unit',
      measurementUnitsType: 'msg',
      exportToFormat: 'format',
      exportToFormatType: 'msg',
      steps: [step('scale', { parameters: { scaleToSizeMm: { value: 'size', type: 'msg' } } })],
    });
    bench.send({ payload: CUBE, filename: 'cube.stl', unit: 'inch', format: 'obj', size: 12 });
    (await bench.next()).filename.should.equal('cube.obj');
    bodyOf('import').measurementUnits.should.equal('inch');
    bodyOf('scale').should.containEql({ axis: 'z', scaleToSizeMm: 12 });
  });

  it('runs an operation of any name as a step', async () => {
    await start({ steps: [step('other', { ownOperation: 'smooth', ownParameters: '{"strength":3}' })] });
    bench.send({ payload: CUBE, filename: 'cube.stl' });
    await bench.next();
    bodyOf('smooth').should.containEql({ strength: 3 });
  });

  it('writes the file to the disk where its settings say so', async () => {
    await start({ target: 'file', steps: [] });
    bench.send({ payload: CUBE, filename: 'cube.stl' });
    const { payload, filename } = await bench.next();
    should(payload).equal(path.join(bench.userDir, 'model-downloads/cube.stl'));
    should(filename).equal(payload);
    (await readFile(payload)).toString().should.equal('solid\nendsolid\n');
  });

  it('takes the path of a file', async () => {
    await start({ steps: [] });
    const file = path.join(bench.userDir, 'part.ply');
    await writeFile(file, CUBE);
    bench.send({ payload: file });
    (await bench.next()).filename.should.equal('part.stl');
  });

  it('shows the step that runs, of how many, and the operation', async () => {
    await start();
    bench.send({ payload: CUBE, filename: 'cube.stl' });
    await bench.next();
    const texts = (bench.statuses.get('node') ?? []).map(({ text }) => text);
    texts.should.containEql('process.status.uploading').and.containEql('process.status.waiting');
    texts.should.containEql('process.status.downloading');
  });

  it('names the step that failed, and keeps what the steps before gave', async () => {
    service.fault('POST', /repair/, refusal(400, 'The model is too large.'));
    await start({ steps: [step('analyze'), step('repair')] });
    bench.send({ payload: CUBE, filename: 'cube.stl' });
    const msg = await bench.next('errors');
    msg.error.code.should.equal('REFUSED');
    msg.error.message.should.match(/Step 3 \(repair\): .*The model is too large/);
    msg.statusCode.should.equal(400);
    msg.model.analysis.triangles.should.equal(12);
  });

  it('names the upload where there is nothing to upload', async () => {
    await start();
    bench.send({});
    const { error } = await bench.next('errors');
    error.should.containDeep({ code: 'INPUT_MISSING' });
    error.message.should.match(/Upload: Nothing to upload: msg.payload is empty/);
  });

  describe('over a redeploy', () => {
    const steps = [step('analyze'), step('hollowing')];

    // The hollowing runs when the flow is deployed again, and completes thereafter.
    const redeployed = async (after: Record<string, unknown>) => {
      service.fault('POST', /hollowing$/, () => {
        service.pollsNeeded = 1e9;
        return false;
      });
      await start({ steps });
      bench.send({ payload: CUBE, filename: 'cube.stl' });
      await bench.until(() => service.count('GET', /status$/) > 4);
      await bench.deploy(flow({ steps, ...after }));
      service.pollsNeeded = 1;
      for (const each of service.operations.values()) each.pollsLeft = 1;
    };

    it('goes on with the step that ran', async () => {
      await redeployed({ name: 'changed' });
      (await bench.next()).filename.should.equal('cube.stl');
      for (const operation of [/import$/, /analyze$/, /hollowing$/, /export$/])
        service.count('POST', operation).should.equal(1);
    });

    it('ends a message whose steps were changed meanwhile', async () => {
      await redeployed({ steps: [step('scale'), step('scale')] });
      const { error } = await bench.next('errors');
      error.code.should.equal('INPUT_INVALID');
      error.message.should.match(/Could not resume after operation .*: the steps of this node have changed/);
    });
  });
});
