import { randomUUID } from 'node:crypto';
import 'should';
import should from 'should';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

describe('a thumbnail', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));
  const model = { resultId: randomUUID(), fileId: randomUUID(), filename: 'part.stl', operations: [] };

  const start = () =>
    open(withService({ type: 'model-processing-operation', operation: 'thumbnail', send: 'finished' }));

  it('is downloaded to msg.model.thumbnail, and the model file stays unchanged', async () => {
    await start();
    bench.send({ payload: {}, model: { ...model } });
    const msg = await bench.next();
    msg.model.thumbnail.should.deepEqual(Buffer.from('a thumbnail'));
    msg.model.should.containDeep({ fileId: model.fileId, resultId: model.resultId });
    msg.payload.fileId.should.equal(msg.model.operations[0].result.fileId);
  });

  it('is not downloaded if it is larger than 4 MiB, and a warning is added', async () => {
    const original = service.addFile.bind(service);
    service.addFile = () => original(Buffer.alloc((4 << 20) + 1));
    await start();
    bench.send({ payload: {}, model: { ...model } });
    const msg = await bench.next();
    should(msg.model.thumbnail).be.undefined();
    msg.model.warnings[0].code.should.equal('THUMBNAIL_TOO_LARGE');
    msg.payload.fileId.should.be.a.String();
  });
});
