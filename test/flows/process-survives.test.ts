import path from 'node:path';
import 'should';
import { FakeService } from '../helpers/fake-service.js';
import { eventually } from '../helpers/processes.js';
import { WaitingNodeRed } from '../soak/support/waiting-node-red.js';

function createNode(id: string, type: string, wires: string[][], more: object) {
  return {
    ...{ id, type, z: 'tab', x: 100, y: 300, wires },
    ...more,
  };
}

/**
 * Returns a flow that passes a message from HTTP to `node`, and records its output with the names of the operations.
 */
function createFlow(node: object): object[] {
  return [
    createNode('start', 'http in', [['several', 'reply']], { url: '/several', method: 'post' }),
    createNode('several', '', [['summarize']], { service: 'service', ...node }),
    createNode('summarize', 'function', [['record']], {
      func: "msg.payload = { operationId: msg.model.operations.map((entry) => entry.operation).join(' ') }; return msg;",
      outputs: 1,
    }),
  ];
}

describe('a node that runs several operations per message, after Node-RED was killed', () => {
  let service: FakeService;
  let nodeRed: WaitingNodeRed;

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await nodeRed.remove();
    await service.stop();
  });

  /** Kills Node-RED while an operation is running, completes the operation, and starts Node-RED again. */
  const killDuring = async (operation: string, node: object, body: unknown): Promise<void> => {
    nodeRed = new WaitingNodeRed(service, createFlow(node));
    service.fault('POST', new RegExp(`${operation}$`), () => {
      service.pollsNeeded = Number.POSITIVE_INFINITY;
      return false;
    });
    await nodeRed.start();
    await nodeRed.post('/several', body);
    const running = () => [...service.operations.values()].find((each) => each.pollsLeft > 1e6);
    await eventually(`${operation} is looked at`, () => running()?.operation === operation);
    await eventually('and once more', () => service.count('GET', /status$/) > 6);
    await nodeRed.kill();
    service.pollsNeeded = 1;
    for (const each of service.operations.values()) each.pollsLeft = 1;
    await nodeRed.start();
    await eventually('the message has been sent', () => nodeRed.arrivals().length === 1);
  };

  it('continues with the interrupted step: a process node', async () => {
    const steps = ['analyze', 'hollowing'].map((operation) => ({ operation, parameters: {} }));
    const node = { type: 'model-processing-process', source: 'payload.path', folder: path.resolve('samples'), steps };
    await killDuring('hollowing', node, { path: path.resolve('samples/bracket.stl') });
    nodeRed.arrivals().should.deepEqual([{ operationId: 'import analyze hollowing export', isRepeat: false }]);
    service.count('POST', /(file|import|analyze|hollowing|export)$/).should.equal(5);
  });

  it('continues with the interrupted analysis: a repair node with "only if needed"', async () => {
    const node = { type: 'model-processing-repair', send: 'finished', onlyWhenNeeded: true };
    await killDuring('analyze', node, { resultId: '00000000-0000-4000-8000-000000000000' });
    nodeRed.arrivals().should.deepEqual([{ operationId: 'analyze', isRepeat: false }]);
  });
});
