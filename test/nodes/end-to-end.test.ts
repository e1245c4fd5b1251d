import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { FakeService } from '../helpers/fake-service.js';
import { CUBE, sphere } from '../service/support/models.js';
import { createRemoteService, FlowBench, type FlowItem, type Message } from './support/flow-bench.js';

const ON_TAB = { z: 'tab', x: 100, y: 100 };
const LOCAL = { id: 'service', type: 'model-processing-service', service: 'local', pollMin: 0.05, pollMax: 0.05 };

type Link = [node: string, settings?: Record<string, unknown>];

/** The properties of msg.model at the end of the flow, with any service. */
const MODEL_PROPERTIES = new Set([
  'analysis',
  'fileId',
  'filename',
  'operations',
  'report',
  'resultId',
  'thumbnail',
  'verdict',
  'warnings',
]);

/** Creates a flow with nodes in series: the first has the id `node`, the last is wired to `out`. */
function createChain(links: Link[], service: FlowItem): FlowItem[] {
  const toId = (index: number) => (index === 0 ? 'node' : index === links.length ? 'out' : `node${index}`);
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    service,
    ...links.map(([name, settings], index) => ({
      ...{ id: toId(index), ...ON_TAB, type: `model-processing-${name}`, service: service.id },
      ...{ wires: [[toId(index + 1)]], ...settings },
    })),
    { id: 'out', ...ON_TAB, type: 'helper', wires: [] },
    { id: 'catcher', ...ON_TAB, type: 'catch', wires: [['errors']] },
    { id: 'errors', ...ON_TAB, type: 'helper', wires: [] },
  ];
}

const SAMPLE: Link = ['upload', { source: 'bracket.stl', sourceType: 'sample' }];
const ALL_NODES: Link[] = [
  SAMPLE,
  ['import'],
  ['wait'],
  ['operation', { operation: 'analyze' }],
  ['wait'],
  ['operation', { operation: 'thumbnail' }],
  ['wait'],
  ['repair'],
  ['wait'],
  ['export'],
];
const WITHOUT_WAIT: Link[] = [SAMPLE, ['import', { send: 'finished' }], ['repair'], ['export']];
const IN_ONE_NODE: Link[] = [
  [
    'process',
    {
      ...SAMPLE[1],
      steps: ['analyze', 'thumbnail', 'repair'].map((operation) => ({ operation, parameters: {} })),
    },
  ],
];

describe('a flow without Change nodes', () => {
  let bench: FlowBench | undefined;
  let minimalService: FakeService;
  let folder: string;

  const run = async (links: Link[], config: FlowItem, id: 'out' | 'errors' = 'out'): Promise<Message> => {
    bench = await FlowBench.start(createChain(links, config), { credentials: { service: minimalService.account } });
    bench.send({});
    const message = await bench.next(id);
    await bench.close();
    bench = undefined;
    return message;
  };
  const listServices = () => [LOCAL, createRemoteService(minimalService.account)];

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'end-to-end-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  beforeEach(async () => {
    minimalService = await FakeService.start();
  });
  afterEach(async () => {
    await bench?.close();
    await minimalService.stop();
  });

  it('runs analyze, thumbnail, repair and export at any service, with the same properties in msg.model', async () => {
    for (const config of listServices()) {
      const { payload, model } = await run(ALL_NODES, config);
      payload.should.containEql({ operation: 'export', filename: 'bracket.stl', inputId: model.resultId });
      model.operations
        .map(({ operation }: { operation: string }) => operation)
        .should.deepEqual(['import', 'analyze', 'thumbnail', 'repair', 'export']);
      model.operations[3].inputId.should.equal(model.operations[0].result.resultId);
      model.verdict.should.containEql({ level: 'solid', needsRepair: false });
      model.thumbnail.should.be.instanceof(Buffer);
      should(model.report.before).have.property('badEdges');
      should(model.report.after).have.property('badEdges', 0);
      new Set(Object.keys(model)).should.deepEqual(MODEL_PROPERTIES);
    }
  });

  it('can be replaced by one process node, with the same properties in msg.model', async () => {
    const { payload, filename, model } = await run(IN_ONE_NODE, LOCAL);
    new Set(Object.keys(model)).should.deepEqual(MODEL_PROPERTIES);
    should(filename).equal('bracket.stl');
    payload.readUInt32LE(80).should.equal(model.report.after.triangles);
  });

  it('says of a truncated file that it is incomplete, once, also after its repair', async () => {
    const file = path.join(folder, 'cut.stl');
    await writeFile(file, sphere(20, 20).subarray(0, -50 * 38));
    const finished = { send: 'finished' };
    const upload: Link = ['upload', { source: file, sourceType: 'str' }];
    const { model } = await run([upload, ['import', finished], ['repair', finished], ['export', finished]], LOCAL);
    const reasons = ['incomplete file: 95 % of the triangles'];
    model.verdict.should.deepEqual({ level: 'solid', needsRepair: true, reasons });
    const codes: string[] = model.warnings.map(({ code }: { code: string }) => code);
    codes.filter((code) => code === 'TRUNCATED').length.should.equal(1);
  });

  it('trusts an implausible size in a unit that a node has, and not if it has none', async () => {
    const file = path.join(folder, 'inches.stl');
    await writeFile(file, CUBE.replaceAll('10', '1.5'));
    const upload: Link = ['upload', { source: file, sourceType: 'str' }];
    const cases: [object, boolean][] = [
      [{ measurementUnits: 'mm', measurementUnitsType: 'none' }, true],
      [{ measurementUnits: 'mm', measurementUnitsType: 'str' }, false],
      [{}, false],
    ];
    for (const [settings, needsRepair] of cases) {
      const { model } = await run([upload, ['import', { send: 'finished', ...settings }]], LOCAL);
      model.verdict.should.match({ level: 'solid', needsRepair });
    }
  });

  it('sends mm to a service that announces no operations, if no unit is chosen', async () => {
    await run([SAMPLE, ['import', { measurementUnitsType: 'none' }]], createRemoteService(minimalService.account));
    const { body = '' } = minimalService.requests.find(({ path }) => path === '/web-api/operation/import') ?? {};
    JSON.parse(String(body)).measurementUnits.should.equal('mm');
  });

  it('raises INPUT_MISSING without a wait before the export, instead of exporting the unrepaired model', async () => {
    for (const config of listServices()) {
      const { error } = await run(WITHOUT_WAIT, config, 'errors');
      error.code.should.equal('INPUT_MISSING');
      error.message.should.match(
        /Operation has not completed. Add a model wait node before this one.*\([0-9a-f-]{36}\)$/,
      );
    }
    minimalService.count('POST', /export/).should.equal(0);
  });
});
