import helper from 'node-red-node-test-helper';
import 'should';
import { answer, dropConnection, FakeService } from '../helpers/fake-service.js';
import { FlowBench, type FlowItem, remoteService } from './support/flow-bench.js';

const TAB = { id: 'tab', type: 'tab', label: 'test' };
const NOTHING = { exportFormats: [], measurementUnits: [] };

describe('what dialogs offer of a service', () => {
  let service: FakeService;
  let bench: FlowBench;

  const open = async (config: FlowItem) => {
    bench = await FlowBench.start([TAB, config], { credentials: { service: service.account } });
  };
  const ask = async (id = 'service') => {
    const reply = await helper.request().get(`/model-processing/formats/${id}`);
    reply.status.should.equal(200);
    return reply.body;
  };

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  it('is what it says of itself', async () => {
    const formats = { export: [{ id: 'stl' }, { id: 'step' }], measurementUnits: ['mm', 'parsec', '<b>', 3] };
    service.fault('GET', /^\/formats$/, answer(200, formats));
    await open(remoteService(service.account));
    (await ask()).should.deepEqual({ exportFormats: ['stl', 'step'], measurementUnits: ['mm', 'parsec'] });
  });

  it('is nothing where it says nothing, cannot be reached, or is not deployed', async () => {
    await open(remoteService(service.account));
    (await ask()).should.deepEqual(NOTHING);
    (await ask('unknown')).should.deepEqual(NOTHING);
    service.fault('GET', /^\/formats$/, dropConnection, 99);
    (await ask()).should.deepEqual(NOTHING);
  });

  it('is nothing for a local service that nobody has started, which is left alone', async () => {
    await open({ id: 'service', type: 'model-processing-service', service: 'local' });
    (await ask()).should.deepEqual(NOTHING);
    bench.logged(/local service|listening/i).should.be.empty();
  });
});

describe('modelProcessing in settings.js', () => {
  let bench: FlowBench;
  afterEach(() => bench.close());

  it('is warned of in the log where it holds a name that is none', async () => {
    const settings = { modelProcessing: { keepDays: 3, disQuota: '5GiB' } };
    bench = await FlowBench.start([TAB], { settings });
    const [line] = bench.logged(/modelProcessing/);
    `${line}`.should.match(
      /unknown setting disQuota; supported settings: dataDir, keepDays, diskQuota, workers, memory/,
    );
  });

  it('is not warned of where all names are right', async () => {
    bench = await FlowBench.start([TAB], { settings: { modelProcessing: { dataDir: '/nowhere', memory: '1GiB' } } });
    bench.logged(/modelProcessing/).should.be.empty();
  });
});
