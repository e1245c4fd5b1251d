import { randomUUID } from 'node:crypto';
import 'should';
import should from 'should';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

describe('the operation node', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));
  const inputId = randomUUID();

  const start = (settings: Record<string, unknown>) =>
    open(withService({ type: 'model-processing-operation', ...settings }));
  const findStartBody = (operation: string) => {
    const request = service.requests.find(({ path }) => path === `/web-api/operation/${operation}`);
    return JSON.parse(request?.body ?? '{}');
  };

  it('starts an analysis of msg.payload.resultId by default', async () => {
    await start({});
    bench.send({ payload: { resultId: inputId, filename: 'part.stl' } });
    const { payload, model } = await bench.next();
    const { operationId } = payload;
    payload.should.deepEqual({ operationId, operation: 'analyze', inputId, filename: 'part.stl' });
    model.operations.should.deepEqual([{ operation: 'analyze', operationId, inputId, parameters: {} }]);
    findStartBody('analyze').should.deepEqual({ inputId });
  });

  it('sends all parameters: numeric strings as numbers, and defaults for those that are not set', async () => {
    await start({
      operation: 'thumbnail',
      parameters: { width: { value: '640', type: 'num' }, height: { value: 'tall', type: 'msg' } },
    });
    bench.send({ payload: inputId, tall: '480' });
    await bench.next();
    const camera = { cameraAngleX: 25, cameraAngleY: 0, cameraAngleZ: -35 };
    findStartBody('thumbnail').should.deepEqual({ inputId, width: 640, height: 480, ...camera });
  });

  it('raises an error with the name of a missing or invalid parameter', async () => {
    await start({ operation: 'scale', parameters: { scaleToSizeMm: { value: 'size', type: 'msg' } } });
    bench.send({ payload: inputId });
    (await bench.next('errors')).error.should.containDeep({
      code: 'INPUT_MISSING',
      message: "No value for scaleToSizeMm. Enter one in the node's properties.",
    });
    bench.send({ payload: inputId, size: 'large' });
    (await bench.next('errors')).error.should.containDeep({
      code: 'INPUT_INVALID',
      message: 'Invalid scaleToSizeMm: expected a number, not a value of type string.',
    });
    service.count('POST', /scale/).should.equal(0);
  });

  it('starts a custom operation with JSON parameters', async () => {
    await start({ operation: 'other', ownOperation: 'smooth', ownParameters: '{ "strength": 3 }' });
    bench.send({ payload: inputId });
    (await bench.next()).payload.operation.should.equal('smooth');
    findStartBody('smooth').should.deepEqual({ inputId, strength: 3 });
  });

  it('raises an error if it does not have the saved operation, and starts no other one', async () => {
    await start({ operation: 'preview' });
    bench.send({ payload: inputId });
    (await bench.next('errors')).error.should
      .containDeep({ code: 'INPUT_INVALID' })
      .and.have.property('message')
      .which.match(
        /^Invalid operation "preview": expected one of analyze, .*, other\. Select one in the node's properties\.$/,
      );
    service.count('POST', /operation/).should.equal(0);
  });

  it('raises an error for a custom operation without a name or with parameters that are not an object', async () => {
    await start({
      operation: 'other',
      ownOperation: 'smooth',
      ownParameters: 'parameters',
      ownParametersType: 'msg',
    });
    bench.send({ payload: inputId, parameters: [3] });
    const { error } = await bench.next('errors');
    error.message.should.equal('Invalid parameters of smooth: expected a JSON object.');
    await bench.close();
    await start({ operation: 'other' });
    bench.send({ payload: inputId });
    (await bench.next('errors')).error.code.should.equal('INPUT_MISSING');
  });

  it('waits for the analysis with Send "when finished", and records it in msg.model', async () => {
    await start({ send: 'finished' });
    bench.send({ payload: inputId, model: { resultId: inputId, operations: [] } });
    const { payload, model } = await bench.next();
    payload.should.containDeep({ operation: 'analyze', isCompleted: true, volumeMm3: 1000 });
    model.analysis.should.containDeep({ volumeMm3: 1000, triangles: 12 });
    should(model.resultId).equal(inputId);
  });
});
