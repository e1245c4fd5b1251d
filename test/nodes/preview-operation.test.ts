import { randomUUID } from 'node:crypto';
import should from 'should';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

describe('a preview, started by its name', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));
  const model = { resultId: randomUUID(), fileId: randomUUID(), filename: 'part.stl', operations: [], warnings: [] };

  it('is in the payload and in the operations, and the model file stays unchanged', async () => {
    const own = { ownOperation: 'preview', ownParameters: '{ "triangles": 5000, "priority": "low" }' };
    await open(withService({ type: 'model-processing-operation', operation: 'other', ...own, send: 'finished' }));
    bench.send({ payload: {}, model: { ...model } });
    const msg = await bench.next();
    const start = service.requests.find(({ path }) => path === '/web-api/operation/preview');
    should(JSON.parse(start?.body ?? '{}')).match({ inputId: model.resultId, triangles: 5000, priority: 'low' });
    msg.payload.fileId.should.equal(msg.model.operations[0].result.fileId);
    msg.payload.fileId.should.not.equal(model.fileId);
    msg.model.should.containDeep({ fileId: model.fileId, resultId: model.resultId, filename: 'part.stl' });
    should(msg.model.thumbnail).be.undefined();
  });
});
