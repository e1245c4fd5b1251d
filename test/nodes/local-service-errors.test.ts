import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import { FlowBench, type FlowItem, type Message } from './support/flow-bench.js';

const TRIANGLE = 'facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n';
const SHEET = Buffer.from(`solid sheet\n${TRIANGLE}endsolid sheet\n`);
const LOCAL: FlowItem = { id: 'service', type: 'model-processing-service', service: 'local' };
const NODES = ['upload', 'import', 'repair', 'export', 'wait', 'download'];

/** One node of each kind, all of the same service, each wired to `out`. */
function flow(service: FlowItem): FlowItem[] {
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

describe('at the Catch node of a flow with the local service', function () {
  this.timeout(60_000);
  let bench: FlowBench;
  let dataDir: string;

  /** Sends a message to a node and gives what the Catch node hands on. */
  const caught = async (node: string, msg: Record<string, unknown>): Promise<Message> => {
    bench.send(msg, node);
    const message = await bench.next('errors');
    message.error.source.id.should.equal(node);
    return message;
  };
  const given = async (node: string, msg: Record<string, unknown>): Promise<Message> => {
    bench.send(msg, node);
    return bench.next();
  };
  const imported = async () => given('import', await given('upload', { payload: SHEET, filename: 'sheet.stl' }));

  before(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'local-errors-'));
    bench = await FlowBench.start(flow(LOCAL), { settings: { modelProcessing: { dataDir } } });
  });
  after(async () => {
    await bench.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
  });

  it('an upload without a file name is INPUT_MISSING', async () => {
    (await caught('upload', { payload: SHEET })).error.code.should.equal('INPUT_MISSING');
  });

  it('a file whose extension no format has is REFUSED, with the ones that are known', async () => {
    const msg = await given('upload', { payload: SHEET, filename: 'sheet.docx' });
    const { error, statusCode } = await caught('import', msg);
    error.code.should.equal('REFUSED');
    error.message.should.match(/stl/);
    statusCode.should.equal(400);
  });

  it('an unknown file, model or operation is NOT_FOUND', async () => {
    const id = randomUUID();
    const requested: [string, unknown][] = [
      ['import', { fileId: id }],
      ['repair', { resultId: id }],
      ['wait', { operationId: id, operation: 'repair' }],
      ['download', { fileId: id }],
    ];
    for (const [node, payload] of requested) {
      const { error, statusCode } = await caught(node, { payload });
      error.code.should.equal('NOT_FOUND', node);
      error.message.should.containEql(id);
      statusCode.should.equal(404);
    }
  });

  it('a model whose operation was not waited for is INPUT_MISSING', async () => {
    const model = await imported();
    const started = await given('repair', { payload: { resultId: model.payload.resultId } });
    const { error } = await caught('export', { ...started, format: 'stl' });
    error.code.should.equal('INPUT_MISSING');
    error.message.should.containEql(started.payload.operationId);
    await caught('wait', started);
  });

  it('a file that is no model is OPERATION_FAILED, with the reason', async () => {
    const msg = await given('upload', { payload: Buffer.from('no model at all'), filename: 'text.stl' });
    const { error, model } = await caught('import', msg);
    error.code.should.equal('OPERATION_FAILED');
    model.operations[0].isSuccessful.should.be.false();
  });

  it('a model that cannot be closed is OPERATION_FAILED, with the report in msg.model', async () => {
    const { error, model } = await caught('wait', await given('repair', await imported()));
    error.code.should.equal('OPERATION_FAILED');
    model.report.before.triangles.should.equal(1);
    model.verdict.level.should.equal('open');
  });

  it('an export to a format that nobody knows is REFUSED, with the ones that are known', async () => {
    const { payload } = await imported();
    const { error, statusCode } = await caught('export', { payload, format: 'docx' });
    error.code.should.equal('REFUSED');
    error.message.should.match(/stl-ascii/);
    statusCode.should.equal(400);
  });

  it('a wrong password is BAD_CREDENTIALS, and no secret is told', async () => {
    const account = JSON.parse(await readFile(path.join(dataDir, 'credentials.json'), 'utf8'));
    const remote = { id: 'elsewhere', type: 'model-processing-service', service: 'remote', baseUrl: account.baseUrl };
    const wrong = { ...account, password: 'a-guessed-password' };
    const node = {
      id: 'stranger',
      type: 'model-processing-download',
      z: 'tab',
      x: 1,
      y: 1,
      service: 'elsewhere',
      wires: [],
    };
    await bench.deploy([...flow(LOCAL), { ...remote, credentials: wrong }, node]);
    const msg = await caught('stranger', { payload: { fileId: randomUUID() } });
    msg.error.code.should.equal('BAD_CREDENTIALS');
    JSON.stringify(msg).should.not.containEql(account.clientSecret).and.not.containEql('a-guessed-password');
  });
});
