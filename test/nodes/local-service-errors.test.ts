import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { FlowBench, type FlowItem, type Message } from './support/flow-bench.js';

const TRIANGLE = 'facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n';
const SHEET = Buffer.from(`solid sheet\n${TRIANGLE}endsolid sheet\n`);
const LOCAL: FlowItem = { id: 'service', type: 'model-processing-service', service: 'local' };
const NODES = ['upload', 'import', 'repair', 'export', 'wait', 'download'];

/** Creates a flow with one node of each type, all with the same service, each wired to `out`. */
function createErrorFlow(service: FlowItem): FlowItem[] {
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    service,
    ...NODES.map((name) => ({
      ...{ id: name, type: `model-processing-${name}`, z: 'tab', x: 1, y: 1, service: 'service', wires: [['out']] },
      ...(name === 'import' && { send: 'finished' }),
      ...(name === 'export' && { exportToFormat: 'format', exportToFormatType: 'msg' }),
    })),
    { id: 'out', type: 'helper', z: 'tab', x: 1, y: 1, wires: [] },
    { id: 'catcher', type: 'catch', z: 'tab', x: 1, y: 1, wires: [['errors']] },
    { id: 'errors', type: 'helper', z: 'tab', x: 1, y: 1, wires: [] },
  ];
}

describe('errors of the local service at a Catch node', () => {
  let bench: FlowBench;
  let dataDir: string;

  /** Sends a message to a node and returns the message that the Catch node receives. */
  const catchError = async (node: string, msg: Record<string, unknown>): Promise<Message> => {
    bench.send(msg, node);
    const message = await bench.next('errors');
    message.error.source.id.should.equal(node);
    return message;
  };
  /** Sends a message to a node and returns the message that the node sends. */
  const processMessage = async (node: string, msg: Record<string, unknown>): Promise<Message> => {
    bench.send(msg, node);
    return bench.next();
  };
  const importSheet = async (filename = 'sheet.stl') =>
    processMessage('import', await processMessage('upload', { payload: SHEET, filename }));

  before(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'local-errors-'));
    bench = await FlowBench.start(createErrorFlow(LOCAL), { settings: { modelProcessing: { dataDir } } });
  });
  after(async () => {
    await bench.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
  });

  it('are INPUT_MISSING for an upload without a filename', async () => {
    (await catchError('upload', { payload: SHEET })).error.code.should.equal('INPUT_MISSING');
  });

  it('are OPERATION_FAILED for a file that is not a model, whatever its extension, with what it is', async () => {
    for (const filename of ['drawing.pdf', 'drawing.stl']) {
      const uploaded = await processMessage('upload', { payload: Buffer.from('%PDF-1.7'), filename });
      const { error } = await catchError('import', uploaded);
      error.code.should.equal('OPERATION_FAILED');
      error.message.should.containEql('it is a PDF, not a model');
    }
  });

  it('are none for a model with another extension: it is read by its content, with a warning', async () => {
    for (const filename of ['sheet.docx', 'sheet.obj']) {
      const { model } = await importSheet(filename);
      model.warnings.should.containEql({
        code: 'EXTENSION_WRONG',
        message: `This is an STL file named ${path.extname(filename)}; it was read by its content.`,
      });
    }
  });

  it('are NOT_FOUND for an unknown file, model or operation', async () => {
    const id = randomUUID();
    const requests: [string, unknown][] = [
      ['import', { fileId: id }],
      ['repair', { resultId: id }],
      ['wait', { operationId: id, operation: 'repair' }],
      ['download', { fileId: id }],
    ];
    for (const [node, payload] of requests) {
      const { error, statusCode } = await catchError(node, { payload });
      error.code.should.equal('NOT_FOUND', node);
      error.message.should.containEql(id);
      statusCode.should.equal(404);
    }
  });

  it('are INPUT_MISSING for a model whose operation has not completed', async () => {
    const model = await importSheet();
    const started = await processMessage('repair', { payload: { resultId: model.payload.resultId } });
    const { error } = await catchError('export', { ...started, format: 'stl' });
    error.code.should.equal('INPUT_MISSING');
    error.message.should.containEql(started.payload.operationId);
    await catchError('wait', started);
  });

  it('are OPERATION_FAILED for a file that is not a model', async () => {
    const msg = await processMessage('upload', { payload: Buffer.from('no model at all'), filename: 'text.stl' });
    const { error, model } = await catchError('import', msg);
    error.code.should.equal('OPERATION_FAILED');
    model.operations[0].isSuccessful.should.be.false();
  });

  it('are OPERATION_FAILED for a model that cannot be closed, with the report in msg.model', async () => {
    const { error, model } = await catchError('wait', await processMessage('repair', await importSheet()));
    error.code.should.equal('OPERATION_FAILED');
    model.report.before.triangles.should.equal(1);
    model.verdict.level.should.equal('open');
  });

  it('are REFUSED for an unsupported export format, with the supported ones', async () => {
    const { payload } = await importSheet();
    const { error, statusCode } = await catchError('export', { payload, format: 'docx' });
    error.code.should.equal('REFUSED');
    error.message.should.match(/stl-ascii/);
    statusCode.should.equal(400);
  });

  it('are BAD_CREDENTIALS for a wrong password, without a secret in the message', async () => {
    const account = JSON.parse(await readFile(path.join(dataDir, 'credentials.json'), 'utf8'));
    const remote = {
      id: 'other-service',
      type: 'model-processing-service',
      service: 'remote',
      baseUrl: account.baseUrl,
    };
    const credentials = { ...account, password: 'a-guessed-password' };
    const node = {
      id: 'other-account',
      type: 'model-processing-download',
      z: 'tab',
      x: 1,
      y: 1,
      service: 'other-service',
      wires: [],
    };
    await bench.deploy([...createErrorFlow(LOCAL), { ...remote, credentials }, node]);
    const msg = await catchError('other-account', { payload: { fileId: randomUUID() } });
    msg.error.code.should.equal('BAD_CREDENTIALS');
    JSON.stringify(msg).should.not.containEql(account.clientSecret).and.not.containEql('a-guessed-password');
  });
});

describe('the remedies of errors of the local service', () => {
  let bench: FlowBench;
  let dataDir: string;

  const start = async (modelProcessing: object) => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'local-errors-'));
    bench = await FlowBench.start(createErrorFlow(LOCAL), {
      settings: { modelProcessing: { dataDir, ...modelProcessing } },
    });
  };
  const upload = async (): Promise<Message> => {
    bench.send({ payload: SHEET, filename: 'sheet.stl' }, 'upload');
    return (await bench.next('errors')).error;
  };

  afterEach(async () => {
    await bench.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
  });

  it('name the property of settings.js for a full quota', async () => {
    await start({ diskQuota: '1M' });
    bench.send({ payload: Buffer.alloc(2 << 20), filename: 'large.stl' }, 'upload');
    const { error } = await bench.next('errors');
    error.code.should.equal('DISK_FULL');
    error.message.should.match(/raise modelProcessing\.diskQuota in settings\.js\.$/);
  });

  it('name the property of settings.js for a folder that cannot be used', async () => {
    await start({});
    const folder = dataDir;
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    const { code, message } = await upload();
    should(code).equal('LOCAL_UNAVAILABLE');
    should(message).containEql(
      `The local service could not start: Could not use the data folder ${folder}: ${folder} is not a folder. Move it, or choose another folder with modelProcessing.dataDir in settings.js.`,
    );
  });
});
