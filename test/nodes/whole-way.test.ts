import 'should';
import should from 'should';
import { FakeService } from '../helpers/fake-service.js';
import { FlowBench, type FlowItem, type Message, remoteService } from './support/flow-bench.js';

const ON_TAB = { z: 'tab', x: 100, y: 100 };
const LOCAL = { id: 'service', type: 'model-processing-service', service: 'local', pollMin: 0.05, pollMax: 0.05 };

type Link = [node: string, settings?: Record<string, unknown>];

/** What is known of a model at the end of the way, whatever the service. */
const KNOWN = new Set([
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

/** Nodes in a row, the first with the id `node`, the last wired to `out`. */
function chainOf(links: Link[], service: FlowItem): FlowItem[] {
  const idOf = (index: number) => (index === 0 ? 'node' : index === links.length ? 'out' : `node${index}`);
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    service,
    ...links.map(([name, settings], index) => ({
      ...{ id: idOf(index), ...ON_TAB, type: `model-processing-${name}`, service: service.id },
      ...{ wires: [[idOf(index + 1)]], ...settings },
    })),
    { id: 'out', ...ON_TAB, type: 'helper', wires: [] },
    { id: 'catcher', ...ON_TAB, type: 'catch', wires: [['errors']] },
    { id: 'errors', ...ON_TAB, type: 'helper', wires: [] },
  ];
}

const SAMPLE: Link = ['upload', { source: 'bracket.stl', sourceType: 'sample' }];
const WHOLE_WAY: Link[] = [
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

describe('a flow with no Change node in it', function () {
  this.timeout(60_000);
  let bench: FlowBench | undefined;
  let bare: FakeService;

  const run = async (links: Link[], config: FlowItem, id: 'out' | 'errors' = 'out'): Promise<Message> => {
    bench = await FlowBench.start(chainOf(links, config), { credentials: { service: bare.account } });
    bench.send({});
    const message = await bench.next(id);
    await bench.close();
    bench = undefined;
    return message;
  };
  const services = () => [LOCAL, remoteService(bare.account)];

  beforeEach(async () => {
    bare = await FakeService.start();
  });
  afterEach(async () => {
    await bench?.close();
    await bare.stop();
  });

  it('goes from analyze over thumbnail and repair to export, at the local service and at a bare one, and knows the same of its model', async () => {
    for (const config of services()) {
      const { payload, model } = await run(WHOLE_WAY, config);
      payload.should.containEql({ operation: 'export', filename: 'bracket.stl', inputId: model.resultId });
      model.operations
        .map(({ operation }: { operation: string }) => operation)
        .should.deepEqual(['import', 'analyze', 'thumbnail', 'repair', 'export']);
      model.operations[3].inputId.should.equal(model.operations[0].result.resultId);
      model.verdict.should.containEql({ level: 'solid', needsRepair: false });
      model.thumbnail.should.be.instanceof(Buffer);
      should(model.report.before).have.property('badEdges');
      should(model.report.after).have.property('badEdges', 0);
      new Set(Object.keys(model)).should.deepEqual(KNOWN);
    }
  });

  it('may be one process node, which knows the same', async () => {
    const { payload, filename, model } = await run(IN_ONE_NODE, LOCAL);
    new Set(Object.keys(model)).should.deepEqual(KNOWN);
    should(filename).equal('bracket.stl');
    payload.readUInt32LE(80).should.equal(model.report.after.triangles);
  });

  it('ends in INPUT_MISSING where the wait before the export was forgotten, not in the unrepaired model', async () => {
    for (const config of services()) {
      const { error } = await run(WITHOUT_WAIT, config, 'errors');
      error.code.should.equal('INPUT_MISSING');
      error.message.should.match(/Operation .* has not completed. Add a model wait node before this one/);
    }
    bare.count('POST', /export/).should.equal(0);
  });
});
