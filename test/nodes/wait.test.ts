import 'should';
import should from 'should';
import { replyWithError } from '../helpers/fake-replies.js';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

describe('the nodes for operations', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

  const start = (node: { type: string; [setting: string]: unknown }) => open(withService(node));

  describe('wait', () => {
    it('sends the result of the operation, and records it in msg.model', async () => {
      service.pollsNeeded = 3;
      await start({ type: 'model-processing-wait' });
      const operationId = service.addOperation('import');
      bench.send({ payload: { operationId, operation: 'import', filename: 'part.stl' } });
      const { payload, model } = await bench.next();
      const { resultId } = payload;
      const completion = { operation: 'import', isCompleted: true, isSuccessful: true };
      payload.should.deepEqual({ ...completion, filename: 'part.stl', operationId, resultId });
      model.resultId.should.equal(resultId);
      model.operations[0].should.containDeep({ operationId, isSuccessful: true, result: { operationId, resultId } });
      model.operations[0].durationMs.should.be.a.Number();
    });

    it('records the new name of an exported file', async () => {
      await start({ type: 'model-processing-wait' });
      const operationId = service.addOperation('export');
      bench.send({
        payload: { operationId, operation: 'export', filename: 'part.obj' },
        model: { filename: 'part.stl' },
      });
      const { payload, model } = await bench.next();
      model.should.containEql({ fileId: payload.fileId, filename: 'part.obj' });
    });

    it('says of an option of the service who can change it', async () => {
      await start({ type: 'model-processing-wait' });
      const error = { code: 42205, message: 'Out of memory. Raise --memory, or reduce the model first.' };
      const operationId = service.addOperation('import', { isSuccessful: false, error });
      bench.send({ payload: { operationId, operation: 'import' } });
      (await bench.next('errors')).error.message.should.containEql(
        'Raise --memory (an option for the operator of the service), or reduce the model first.',
      );
    });

    it('passes a message through unchanged if its operation has completed', async () => {
      await start({ type: 'model-processing-wait' });
      const payload = { operationId: UNKNOWN_ID, isCompleted: true, isSuccessful: true, resultId: UNKNOWN_ID };
      bench.send({ payload });
      (await bench.next()).payload.should.deepEqual(payload);
      service.requests.should.be.empty();
    });

    it('reads the type of operation from msg.model if the payload is the id', async () => {
      await start({ type: 'model-processing-wait' });
      const operationId = service.addOperation('repair');
      bench.send({ payload: operationId, model: { operations: [{ operation: 'repair', operationId }] } });
      (await bench.next()).payload.operation.should.equal('repair');
    });

    it('uses the type of operation in its settings if message and service have none', async () => {
      await start({ type: 'model-processing-wait', operation: 'repair' });
      bench.send({ payload: service.addOperation('repair') });
      (await bench.next()).payload.operation.should.equal('repair');
    });

    it('waits through an outage before the type of operation is known', async () => {
      await start({ type: 'model-processing-wait', operation: 'repair' });
      service.fault('GET', /status$/, replyWithError(403, 'maintenance'), 20);
      bench.send({ payload: service.addOperation('repair') });
      (await bench.next()).payload.operation.should.equal('repair');
    });

    it('raises OPERATION_UNKNOWN if the type of operation is unknown', async () => {
      await start({ type: 'model-processing-wait' });
      bench.send({ payload: service.addOperation('repair') });
      (await bench.next('errors')).error.code.should.equal('OPERATION_UNKNOWN');
    });

    it('raises OPERATION_FAILED with the reason of the service', async () => {
      await start({ type: 'model-processing-wait' });
      const error = { code: 42201, message: 'The file ends in the middle of a triangle.' };
      const operationId = service.addOperation('import', { isSuccessful: false, error });
      bench.send({ payload: { operationId, operation: 'import' } });
      const msg = await bench.next('errors');
      msg.error.code.should.equal('OPERATION_FAILED');
      msg.error.message.should.match(/ends in the middle of a triangle/);
      msg.model.operations[0].isSuccessful.should.be.false();
    });

    it('records the report of a failed operation in msg.model', async () => {
      await start({ type: 'model-processing-wait' });
      const verdict = { level: 'open', needsRepair: true, reasons: ['boundary edges'] };
      const warning = { code: 'HOLE_LEFT', message: 'A hole is left.' };
      const report = {
        steps: [],
        places: [{ defect: 'hole', x: 1, y: 2, z: 3, sizeMm: 4 }],
        warnings: [warning],
        verdict,
      };
      const error = { code: 42204, message: 'The repair could not close the model.' };
      const operationId = service.addOperation('repair', { isSuccessful: false, error, report });
      bench.send({ payload: { operationId, operation: 'repair' } });
      const { model } = await bench.next('errors');
      model.should.containDeep({ report, warnings: [warning] });
      // A failed operation creates no model, so there is no verdict.
      should(model.verdict).be.undefined();
    });

    it('sends a message with an invalid msg.model.verdict', async () => {
      await start({ type: 'model-processing-wait' });
      const operationId = service.addOperation('thumbnail', { result: {} });
      for (const operation of service.operations.values()) operation.result = { operationId };
      bench.send({ payload: { operationId, operation: 'thumbnail' }, model: { verdict: 'fine' } });
      (await bench.next()).model.verdict.should.equal('fine');
    });

    it('raises WAIT_TIMEOUT after the wait timeout of the service node', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
      await open(withService({ type: 'model-processing-wait' }, { timeout: 1 }));
      bench.send({ payload: { operationId, operation: 'repair' } });
      const { error } = await bench.next('errors');
      error.code.should.equal('WAIT_TIMEOUT');
      error.message.should.containEql(operationId);
    });

    it('sends failures and timeouts to the second output, and other errors to the Catch node', async () => {
      const node = { type: 'model-processing-wait', outputs: '2', wires: [['errors'], ['out']] };
      await open(withService(node));
      const failed = service.addOperation('repair', {
        isSuccessful: false,
        error: { code: 42201, message: 'No triangle.' },
      });
      bench.send({ payload: { operationId: failed, operation: 'repair', filename: 'part.stl' } });
      const { payload, error } = await bench.next();
      payload.should.deepEqual({
        operationId: failed,
        operation: 'repair',
        isCompleted: true,
        isSuccessful: false,
        filename: 'part.stl',
      });
      error.should.deepEqual({
        code: 'OPERATION_FAILED',
        message: `part.stl: repair failed: No triangle. (${failed})`,
      });
      should(bench.status()).have.properties({ fill: 'red', shape: 'ring' });
      await bench.deploy(withService(node, { timeout: 1 }));
      const endless = service.addOperation('repair', { pollsLeft: 1e9 });
      bench.send({ payload: { operationId: endless, operation: 'repair' } });
      const late = await bench.next();
      late.error.code.should.equal('WAIT_TIMEOUT');
      late.payload.should.containEql({ operationId: endless, isCompleted: false, isSuccessful: false });
      should(bench.completed.get('node')).equal(2);
      bench.send({ payload: {} });
      await bench.until(() => bench.countUnread('errors') === 1);
      (await bench.next('errors')).error.code.should.equal('INPUT_MISSING');
    });

    it('shows a yellow ring for an implausible size of an import', async () => {
      await start({ type: 'model-processing-wait' });
      const after = { dimensionXMm: 0.4, dimensionYMm: 0.2, dimensionZMm: 0.1 };
      const report = { after, warnings: [], verdict: { level: 'solid', needsRepair: false, reasons: [] } };
      const operationId = service.addOperation('import');
      Object.assign(service.operations.get(operationId)?.result ?? {}, { report });
      bench.send({ payload: { operationId, operation: 'import' } });
      (await bench.next()).model.warnings.should.containDeep([{ code: 'UNITS_DOUBTFUL' }]);
      should(bench.status()).deepEqual({ fill: 'yellow', shape: 'ring', text: 'solid' });
    });

    it('raises NOT_FOUND with the status code for an unknown operation', async () => {
      await start({ type: 'model-processing-wait' });
      bench.send({ payload: { operationId: UNKNOWN_ID, operation: 'import' } });
      const msg = await bench.next('errors');
      msg.error.code.should.equal('NOT_FOUND');
      msg.statusCode.should.equal(404);
    });
  });
});
