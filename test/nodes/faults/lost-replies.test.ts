import 'should';
import { countOf } from '../../helpers/counts.js';
import type { Fault } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { loseReply } from '../../helpers/socket-faults.js';
import type { FlowBench } from '../support/flow-bench.js';
import { registerFaultyFlow } from './support/faulty-flow.js';

const MESSAGE_COUNT = countOf('messages whose replies are lost');
const CHAIN = ['upload', 'import', 'repair', 'export', 'download'];

describe('a flow whose replies are lost', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { flow, openFlow } = registerFaultyFlow((opened) => ({ service, bench } = opened));

  const openChain = () => {
    const nodes = CHAIN.map((type, index) => ({
      id: type,
      z: 'tab',
      x: 1,
      y: 1,
      type: `model-processing-${type}`,
      service: 'service',
      send: 'finished',
      wires: [[CHAIN[index + 1] ?? 'out']],
    }));
    return openFlow([...flow({ type: 'model-processing-wait' }), ...nodes]);
  };
  const countOf = (operation: string) =>
    [...service.operations.values()].filter((each) => each.operation === operation).length;

  it(`repeats the uploads and starts of ${MESSAGE_COUNT} messages with the same keys: no duplicate`, async () => {
    service.features = ['idempotency-key'];
    const lost = new Set<unknown>();
    const loseFirst: Fault = (request, reply) => {
      const key = `${request.url} ${request.headers['idempotency-key']}`;
      if (lost.has(key)) return false;
      lost.add(key);
      return loseReply(request, reply);
    };
    service.fault('POST', /^\/web-api/, loseFirst, 1e9);
    await openChain();
    for (let count = 0; count < MESSAGE_COUNT; count += 1)
      bench.send({ payload: Buffer.from('solid'), filename: `part-${count}.stl` }, 'upload');
    await bench.until(() => bench.countUnread('out') + bench.countUnread('errors') === MESSAGE_COUNT);
    bench.countUnread('errors').should.equal(0);
    lost.size.should.equal(service.operations.size + MESSAGE_COUNT);
    for (const operation of ['import', 'repair', 'export']) countOf(operation).should.equal(MESSAGE_COUNT, operation);
    // One uploaded and one exported file for each message.
    service.files.size.should.equal(2 * MESSAGE_COUNT);
  });

  it('raises OUTCOME_UNKNOWN at a service without keys, which receives no key', async () => {
    service.fault('POST', /import$/, loseReply);
    await openChain();
    bench.send({ payload: Buffer.from('solid'), filename: 'part.stl' }, 'upload');
    (await bench.next('errors')).error.code.should.equal('OUTCOME_UNKNOWN');
    for (const { headers } of service.requests) headers.should.not.have.property('idempotency-key');
  });
});
