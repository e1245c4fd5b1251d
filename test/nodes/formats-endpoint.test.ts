import helper from 'node-red-node-test-helper';
import 'should';
import { dropConnection, replyWith } from '../helpers/fake-replies.js';
import { FakeService } from '../helpers/fake-service.js';
import { createRemoteService, FlowBench, type FlowItem } from './support/flow-bench.js';

const TAB = { id: 'tab', type: 'tab', label: 'test' };
const NOTHING = { exportFormats: [], measurementUnits: [] };

describe('the formats endpoint', () => {
  let service: FakeService;
  let bench: FlowBench;

  const open = async (config: FlowItem) => {
    bench = await FlowBench.start([TAB, config], { credentials: { service: service.account } });
  };
  const requestFormats = async (id = 'service') => {
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

  it('returns the formats and units of the service', async () => {
    const formats = { export: [{ id: 'stl' }, { id: 'step' }], measurementUnits: ['mm', 'parsec', '<b>', 3] };
    service.fault('GET', /^\/formats$/, replyWith(200, formats));
    await open(createRemoteService(service.account));
    (await requestFormats()).should.deepEqual({ exportFormats: ['stl', 'step'], measurementUnits: ['mm', 'parsec'] });
  });

  it('returns empty lists if the service has no formats, cannot be reached or is not deployed', async () => {
    await open(createRemoteService(service.account));
    (await requestFormats()).should.deepEqual(NOTHING);
    (await requestFormats('unknown')).should.deepEqual(NOTHING);
    service.fault('GET', /^\/formats$/, dropConnection, 99);
    (await requestFormats()).should.deepEqual(NOTHING);
  });

  it('returns empty lists for a local service that is not running, and does not start it', async () => {
    await open({ id: 'service', type: 'model-processing-service', service: 'local' });
    (await requestFormats()).should.deepEqual(NOTHING);
    bench.findLogLines(/local service|listening/i).should.be.empty();
  });
});

describe('modelProcessing in settings.js', () => {
  let bench: FlowBench;
  afterEach(() => bench.close());

  it('logs a warning for an unknown setting', async () => {
    const settings = { modelProcessing: { keepDays: 3, disQuota: '5GiB' } };
    bench = await FlowBench.start([TAB], { settings });
    const [line] = bench.findLogLines(/modelProcessing/);
    `${line}`.should.match(
      /unknown setting disQuota; supported settings: dataDir, keepDays, diskQuota, workers, memory/,
    );
  });

  it('logs no warning if all settings are known', async () => {
    bench = await FlowBench.start([TAB], { settings: { modelProcessing: { dataDir: '/nowhere', memory: '1GiB' } } });
    bench.findLogLines(/modelProcessing/).should.be.empty();
  });
});
