import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import should from 'should';
import type { FakeService } from '../../helpers/fake-service.js';
import { createFlow, type FlowBench } from '../support/flow-bench.js';
import { registerFaultyFlow } from './support/faulty-flow.js';

describe('faults in a flow', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { flow, open, openFlow } = registerFaultyFlow((opened) => ({ service, bench } = opened));

  describe('a message', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    for (const [description, type, msg, code] of [
      ['without properties', 'upload', {}, 'INPUT_MISSING'],
      ['with a payload of null', 'upload', { payload: null }, 'INPUT_MISSING'],
      ['with a number as payload', 'upload', { payload: 7 }, 'INPUT_INVALID'],
      ['with a cyclic payload', 'upload', { payload: cyclic }, 'INPUT_INVALID'],
      [
        'with file content as a string',
        'upload',
        { payload: 'solid x\nendsolid x\n', filename: 'x.stl' },
        'INPUT_INVALID',
      ],
      ['with the path of a missing file', 'upload', { payload: '/nowhere/part.stl' }, 'FILE_UNREADABLE'],
      ['with an empty Buffer', 'upload', { payload: Buffer.alloc(0), filename: 'x.stl' }, 'FILE_UNREADABLE'],
      [
        'with a stream of objects',
        'upload',
        { payload: () => Readable.from([{ x: 1 }]), filename: 'x.stl' },
        'FILE_UNREADABLE',
      ],
      ['without an id', 'repair', { payload: {} }, 'INPUT_MISSING'],
      ['with an array as id', 'repair', { payload: { resultId: ['x'] } }, 'INPUT_INVALID'],
      ['with a relative path as id', 'download', { payload: { fileId: '../../Token' } }, 'INPUT_INVALID'],
      ['with a string as msg.model', 'repair', { payload: {}, model: 'x' }, 'INPUT_MISSING'],
    ] as [string, string, Record<string, unknown>, string][]) {
      it(`${description} at ${type} raises ${code} in one done and stays unchanged`, async () => {
        await open({ type: `model-processing-${type}` });
        const payload = typeof msg.payload === 'function' ? msg.payload() : msg.payload;
        bench.send({ ...msg, payload, topic: 'mine' });
        const failed = await bench.next('errors');
        failed.error.code.should.equal(code);
        // A Catch node receives a copy, and streams cannot be copied.
        if (!(payload instanceof Readable)) should(failed.payload).deepEqual(payload);
        failed.topic.should.equal('mine');
        should(failed.model).equal(msg.model);
        should(bench.completed.get('node')).equal(1);
        service.count('POST', /^\/web-api/).should.equal(0);
      });
    }

    it('with a failing stream raises NOT_CONFIGURED at a node without a service', async () => {
      await openFlow(createFlow({ type: 'model-processing-upload' }), { credentials: {} });
      const payload = createReadStream('/nowhere/part.stl');
      bench.send({ payload, filename: 'part.stl' });
      (await bench.next('errors')).error.code.should.equal('NOT_CONFIGURED');
      await bench.until(() => payload.closed);
    });

    it('with a getter that throws ends in an error without terminating Node-RED', async () => {
      await open({ type: 'model-processing-repair' });
      const payload = new Proxy(
        {},
        {
          get: () => {
            throw new RangeError('This payload cannot be read.');
          },
        },
      );
      bench.send({ payload });
      // The message for the Catch node is a copy, which cannot be created. So only the status is checked.
      await bench.until(() => bench.status()?.fill === 'red');
    });

    it('of 1,000 concurrent ones ends in one done each, with QUEUE_FULL beyond the queue', async () => {
      await openFlow(flow({ type: 'model-processing-download' }), {
        settings: { nodeMessageBufferMaxLength: 50 },
      });
      const fileId = service.addFile(Buffer.from('x'));
      for (let i = 0; i < 1_000; i += 1) bench.send({ payload: { fileId } });
      await bench.until(() => bench.countUnread('out') + bench.countUnread('errors') === 1_000);
      should(bench.completed.get('node')).equal(1_000);
      bench.countUnread('out').should.be.aboveOrEqual(50);
      (await bench.next('errors')).error.code.should.equal('QUEUE_FULL');
    });
  });
});
