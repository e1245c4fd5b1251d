import { randomUUID } from 'node:crypto';
import should from 'should';
import { FakeService } from '../../helpers/fake-service.js';
import { createFlow, createRemoteService, type FlowBench } from '../support/flow-bench.js';
import { registerFaultyFlow } from './support/faulty-flow.js';

describe('faults in a flow', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, openFlow } = registerFaultyFlow((opened) => ({ service, bench } = opened));

  describe('a service node', () => {
    for (const [description, change] of [
      ['is missing', undefined],
      ['is disabled', { d: true }],
      ['is of another type', { type: 'helper' }],
    ] as const) {
      it(`that ${description} raises NOT_CONFIGURED for each message`, async () => {
        const config = change && { ...createRemoteService(service.account), ...change };
        const node = { type: 'model-processing-repair', service: 'service' };
        await openFlow(config ? createFlow(node, config) : createFlow(node), { credentials: {} });
        for (let i = 0; i < 3; i += 1) {
          bench.send({ payload: { resultId: randomUUID() } });
          (await bench.next('errors')).error.code.should.equal('NOT_CONFIGURED');
        }
        should(bench.completed.get('node')).equal(3);
        service.requests.should.be.empty();
      });
    }

    it('that is deployed with another address sends the next message there', async () => {
      const other = await FakeService.start();
      try {
        const node = { type: 'model-processing-repair' };
        await open(node);
        bench.send({ payload: { resultId: randomUUID() } });
        await bench.next();
        await bench.deploy(createFlow(node, createRemoteService(other.account)), 'nodes');
        bench.send({ payload: { resultId: randomUUID() } });
        await bench.next();
        service.operations.size.should.equal(1);
        other.operations.size.should.equal(1);
      } finally {
        await other.stop();
      }
    });
  });
});
