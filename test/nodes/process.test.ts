import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import should from 'should';
import { replyWith, replyWithError } from '../helpers/fake-replies.js';
import { FakeService } from '../helpers/fake-service.js';
import { createFlow, createRemoteService, FlowBench } from './support/flow-bench.js';

const CUBE = Buffer.from('solid cube\nendsolid cube\n');

function createStep(operation: string, settings: Record<string, unknown> = {}) {
  return { operation, parameters: {}, ...settings };
}

describe('the process node', () => {
  let service: FakeService;
  let bench: FlowBench;

  const flow = (settings: Record<string, unknown>) =>
    createFlow({ type: 'model-processing-process', ...settings }, createRemoteService(service.account));
  const start = async (settings: Record<string, unknown> = {}) => {
    bench = await FlowBench.start(flow(settings), { credentials: { service: service.account } });
  };
  const findStarts = () =>
    service.requests
      .filter(({ method, path: requestPath }) => method === 'POST' && requestPath.startsWith('/web-api/operation/'))
      .map(({ path: requestPath }) => requestPath.replace('/web-api/operation/', ''));
  const findBody = (operation: string) =>
    JSON.parse(
      service.requests.find(({ path: requestPath }) => requestPath === `/web-api/operation/${operation}`)?.body ?? '{}',
    );

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  it('repairs a file and sends it as STL by default', async () => {
    await start();
    bench.send({ payload: CUBE, filename: 'cube.obj', topic: 'kept' });
    const msg = await bench.next();
    msg.payload.should.deepEqual(Buffer.from('solid\nendsolid\n'));
    msg.should.containEql({ filename: 'cube.stl', topic: 'kept' });
    findStarts().slice(0, 3).should.deepEqual(['file', 'import', 'repair']);
    findBody('import').measurementUnits.should.equal('mm');
    findBody('export').exportToFormat.should.equal('stl');
    bench.completed.get('node')?.should.equal(1);
  });

  it('imports the chosen model of a ZIP, which names the result', async () => {
    await start({ entry: 'files/lid.stl', exportToFormat: 'obj' });
    bench.send({ payload: CUBE, filename: 'kit.zip' });
    should((await bench.next()).filename).equal('lid.obj');
    findBody('import').entry.should.equal('files/lid.stl');
  });

  it('runs its steps in order, each on the last model that a step created', async () => {
    await start({
      steps: [createStep('analyze'), createStep('scale'), createStep('thumbnail')],
      exportToFormat: '3mf',
    });
    bench.send({ payload: CUBE, filename: 'cube.stl' });
    const { model, filename } = await bench.next();
    findStarts().should.deepEqual(['file', 'import', 'analyze', 'scale', 'thumbnail', 'export']);
    const [importEntry, analysis, scaling, thumbnail, exportEntry] = model.operations;
    should(analysis.inputId).equal(importEntry.result.resultId);
    should(scaling.inputId).equal(importEntry.result.resultId);
    should(thumbnail.inputId).equal(scaling.result.resultId);
    should(exportEntry.inputId).equal(scaling.result.resultId);
    model.analysis.volumeMm3.should.equal(1000);
    model.should.containEql({ fileId: exportEntry.result.fileId, filename: 'cube.3mf' });
    should(filename).equal('cube.3mf');
  });

  it('reads unit, format and parameters from the message if the settings select it', async () => {
    await start({
      measurementUnits: 'unit',
      measurementUnitsType: 'msg',
      helpers: 'handling',
      helpersType: 'msg',
      exportToFormat: 'format',
      exportToFormatType: 'msg',
      steps: [createStep('scale', { parameters: { scaleToSizeMm: { value: 'size', type: 'msg' } } })],
    });
    bench.send({ payload: CUBE, filename: 'cube.stl', unit: 'inch', handling: 'keep', format: 'obj', size: 12 });
    (await bench.next()).filename.should.equal('cube.obj');
    findBody('import').should.containEql({ measurementUnits: 'inch', helpers: 'keep' });
    findBody('scale').should.containEql({ axis: 'z', scaleToSizeMm: 12 });
  });

  it('runs a custom operation as a step', async () => {
    await start({ steps: [createStep('other', { ownOperation: 'smooth', ownParameters: '{"strength":3}' })] });
    bench.send({ payload: CUBE, filename: 'cube.stl' });
    await bench.next();
    findBody('smooth').should.containEql({ strength: 3 });
  });

  it('raises an error before the upload if it does not have the operation of a step, and runs no other one', async () => {
    const cases: [steps: unknown, code: string, message: RegExp][] = [
      [
        [createStep('analyze'), createStep('preview')],
        'INPUT_INVALID',
        /^cube\.stl: Step 2: Invalid operation "preview": /,
      ],
      [
        [createStep('import')],
        'INPUT_INVALID',
        /Step 1: Invalid operation "import": expected one of repair, .*, other\./,
      ],
      [[{ parameters: {} }], 'INPUT_MISSING', /Step 1: No operation\. Select one/],
      ['preview', 'INPUT_MISSING', /Step 1: No operation/],
    ];
    await start();
    for (const [steps, code, message] of cases) {
      await bench.deploy(flow({ steps }));
      bench.send({ payload: CUBE, filename: 'cube.stl' });
      const { error } = await bench.next('errors');
      error.code.should.equal(code);
      error.message.should.match(message);
    }
    should(findStarts()).be.empty();
  });

  it('writes the file to disk if the settings select it', async () => {
    await start({ target: 'file', steps: [] });
    bench.send({ payload: CUBE, filename: 'cube.stl' });
    const { payload, filename } = await bench.next();
    should(payload).equal(path.join(bench.userDir, 'model-downloads/cube.stl'));
    should(filename).equal(payload);
    (await readFile(payload)).toString().should.equal('solid\nendsolid\n');
  });

  it('uploads the file of a path', async () => {
    await start({ steps: [] });
    const file = path.join(bench.userDir, 'part.ply');
    await writeFile(file, CUBE);
    bench.send({ payload: file });
    (await bench.next()).filename.should.equal('part.stl');
  });

  it('shows the upload, the steps and the download', async () => {
    await start();
    bench.send({ payload: CUBE, filename: 'cube.stl' });
    await bench.next();
    const texts = (bench.statuses.get('node') ?? []).map(({ text }) => text);
    texts.should.containEql('process.status.uploading').and.containEql('process.status.waiting');
    texts.should.containEql('process.status.downloading');
  });

  it('raises an error with the failed step, and keeps the results of the previous steps', async () => {
    service.fault('POST', /repair/, replyWithError(400, 'The model is too large.'));
    await start({ steps: [createStep('analyze'), createStep('repair')] });
    bench.send({ payload: CUBE, filename: 'cube.stl' });
    const msg = await bench.next('errors');
    msg.error.code.should.equal('REFUSED');
    msg.error.message.should.match(/Step 2 \(repair\): .*The model is too large/);
    msg.statusCode.should.equal(400);
    msg.model.analysis.triangles.should.equal(12);
  });

  it('uploads the next file while the queue of the service is full', async () => {
    const errors = [{ code: 50302, message: 'The queue is full.' }];
    service.fault('POST', /import$/, replyWith(503, { errors }, { 'Retry-After': '60' }), 99);
    const remote = { ...createRemoteService(service.account), concurrency: 1 };
    bench = await FlowBench.start(createFlow({ type: 'model-processing-process' }, remote), {
      credentials: { service: service.account },
    });
    bench.send({ payload: CUBE, filename: 'a.stl' });
    bench.send({ payload: CUBE, filename: 'b.stl' });
    await bench.until(() => findStarts().filter((name) => name === 'import').length === 2);
    service.files.size.should.equal(2);
  });

  it('raises an error of the upload if there is nothing to upload', async () => {
    await start();
    bench.send({});
    const { error } = await bench.next('errors');
    error.should.containDeep({ code: 'INPUT_MISSING' });
    error.message.should.match(/Upload: Nothing to upload: msg.payload is empty/);
  });

  it('refuses a folder, a URL and a file of an unlisted format before it sends a byte', async () => {
    service.fault('GET', /^\/formats$/, replyWith(200, { import: [{ id: 'stl', extensions: ['stl'] }] }), 9);
    await start();
    for (const [msg, code, message] of [
      [{ payload: bench.userDir }, 'FILE_UNREADABLE', /Upload: Could not read .*: it is a folder\./],
      [
        { payload: 'https://host/part.stl' },
        'INPUT_INVALID',
        /Upload: Invalid msg\.payload: expected a path, not a URL/,
      ],
      [
        { payload: Buffer.from('hello'), filename: 'notes.txt' },
        'REFUSED',
        /Could not upload "notes\.txt": .* Use one of stl\./,
      ],
    ] as const) {
      bench.send(msg);
      const { error } = await bench.next('errors');
      error.code.should.equal(code);
      error.message.should.match(message);
    }
    service.count('POST', /^\/web-api/).should.equal(0);
  });

  describe('after a redeploy', () => {
    const steps = [createStep('analyze'), createStep('hollowing')];

    // Redeploys the flow while the hollowing runs. It completes afterwards.
    const redeploy = async (changes: Record<string, unknown>) => {
      service.fault('POST', /hollowing$/, () => {
        service.pollsNeeded = 1e9;
        return false;
      });
      await start({ steps });
      bench.send({ payload: CUBE, filename: 'cube.stl' });
      await bench.until(() => service.count('GET', /status$/) > 4);
      await bench.deploy(flow({ steps, ...changes }));
      service.pollsNeeded = 1;
      for (const each of service.operations.values()) each.pollsLeft = 1;
    };

    it('continues with the interrupted step', async () => {
      await redeploy({ name: 'changed' });
      (await bench.next()).filename.should.equal('cube.stl');
      for (const operation of [/import$/, /analyze$/, /hollowing$/, /export$/])
        service.count('POST', operation).should.equal(1);
    });

    it('raises INPUT_INVALID if the steps have changed', async () => {
      await redeploy({ steps: [createStep('scale'), createStep('scale')] });
      const { error } = await bench.next('errors');
      error.code.should.equal('INPUT_INVALID');
      error.message.should.match(
        /Could not resume after the operation: the steps of this node have changed.*\([0-9a-f-]{36}\)$/,
      );
    });
  });
});
