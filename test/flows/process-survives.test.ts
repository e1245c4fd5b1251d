import path from 'node:path';
import 'should';
import { FakeService } from '../helpers/fake-service.js';
import { eventually } from '../helpers/processes.js';
import { WaitingNodeRed } from '../soak/support/waiting-node-red.js';

function at(id: string, type: string, wires: string[][], more: object) {
  return {
    ...{ id, type, z: 'tab', x: 100, y: 300, wires },
    ...more,
  };
}

/** A message by HTTP to nodes that run several operations one after the other; what comes out is noted with their names. */
function flowOf(node: object): object[] {
  return [
    at('start', 'http in', [['several', 'answer']], { url: '/several', method: 'post' }),
    at('several', '', [['tell']], { service: 'service', ...node }),
    at('tell', 'function', [['note']], {
      func: "msg.payload = { operationId: msg.model.operations.map((entry) => entry.operation).join(' ') }; return msg;",
      outputs: 1,
    }),
  ];
}

describe('a node that runs several operations for a message, when Node-RED is killed', function () {
  this.timeout(60_000);
  let service: FakeService;
  let nodeRed: WaitingNodeRed;

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await nodeRed.remove();
    await service.stop();
  });

  /** Kills Node-RED while this operation runs, which ends meanwhile, and starts it again. */
  const killedAt = async (operation: string, node: object, body: unknown): Promise<void> => {
    nodeRed = new WaitingNodeRed(service, flowOf(node));
    service.fault('POST', new RegExp(`${operation}$`), () => {
      service.looksNeeded = Number.POSITIVE_INFINITY;
      return false;
    });
    await nodeRed.start();
    await nodeRed.post('/several', body);
    const running = () => [...service.operations.values()].find((each) => each.looksLeft > 1e6);
    await eventually(`${operation} is looked at`, () => running()?.operation === operation);
    await eventually('and once more', () => service.count('GET', /status$/) > 6);
    await nodeRed.kill();
    service.looksNeeded = 1;
    for (const each of service.operations.values()) each.looksLeft = 1;
    await nodeRed.start();
    await eventually('the message is out', () => nodeRed.arrivals().length === 1);
  };

  it('goes on with the step it was at: a process', async () => {
    const steps = ['analyze', 'hollowing'].map((operation) => ({ operation, parameters: {} }));
    const node = { type: 'model-processing-process', source: 'payload.path', steps };
    await killedAt('hollowing', node, { path: path.resolve('examples/models/bracket.stl') });
    nodeRed.arrivals().should.deepEqual([{ operationId: 'import analyze hollowing export', isRepeat: false }]);
    service.count('POST', /(file|import|analyze|hollowing|export)$/).should.equal(5);
  });

  it('goes on after the analysis it was at: a repair only when needed', async () => {
    const node = { type: 'model-processing-repair', send: 'finished', onlyWhenNeeded: true };
    await killedAt('analyze', node, { resultId: '00000000-0000-4000-8000-000000000000' });
    nodeRed.arrivals().should.deepEqual([{ operationId: 'analyze', isRepeat: false }]);
  });
});
