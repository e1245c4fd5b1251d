import { randomUUID } from 'node:crypto';
import 'should';
import should from 'should';
import { answer, FakeService, refusal } from '../helpers/fake-service.js';
import { FlowBench, flowOf, remoteService } from './support/flow-bench.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

describe('the nodes that start operations, and wait', () => {
  let service: FakeService;
  let bench: FlowBench;

  const start = async (node: { type: string; [setting: string]: unknown }) => {
    bench = await FlowBench.start(flowOf(node, remoteService(service.account)), {
      credentials: { service: service.account },
    });
  };
  const startedBody = (operation: string) => {
    const request = service.requests.find(({ path }) => path === `/web-api/operation/${operation}`);
    return JSON.parse(request?.body ?? '{}');
  };

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  describe('import', () => {
    it('starts an import of msg.payload.fileId, in mm', async () => {
      await start({ type: 'model-processing-import' });
      const fileId = randomUUID();
      bench.send({ topic: 'kept', payload: { fileId, filename: 'part.stl' } });
      const msg = await bench.next();
      const { operationId } = msg.payload;
      msg.payload.should.deepEqual({ operationId, operation: 'import', filename: 'part.stl' });
      startedBody('import').should.deepEqual({ fileId, measurementUnits: 'mm' });
      msg.topic?.should.equal('kept');
      msg.model.operations.should.deepEqual([
        { operation: 'import', operationId, parameters: { fileId, measurementUnits: 'mm' } },
      ]);
      should(bench.status()).deepEqual({ fill: 'green', shape: 'dot', text: 'import.status.started' });
    });

    it('takes the unit from the message where the setting says so', async () => {
      await start({ type: 'model-processing-import', measurementUnits: 'unit', measurementUnitsType: 'msg' });
      bench.send({ unit: 'inch', payload: { fileId: randomUUID() } });
      await bench.next();
      startedBody('import').measurementUnits.should.equal('inch');
    });

    it('says how finely curved surfaces are meshed, where that is set', async () => {
      await start({
        type: 'model-processing-import',
        accuracyMm: '0.05',
        accuracyMmType: 'num',
        maxAngle: 'angle',
        maxAngleType: 'msg',
      });
      const fileId = randomUUID();
      bench.send({ payload: { fileId }, angle: '12' });
      await bench.next();
      startedBody('import').should.deepEqual({ fileId, measurementUnits: 'mm', accuracyMm: 0.05, maxAngle: 12 });
      bench.send({ payload: { fileId }, angle: 'fine' });
      (await bench.next('errors')).error.message.should.match(/INPUT_INVALID: Invalid maxAngle: expected a number/);
    });

    it('takes a payload that is the id itself', async () => {
      await start({ type: 'model-processing-import' });
      const fileId = randomUUID();
      bench.send({ payload: fileId });
      await bench.next();
      startedBody('import').fileId.should.equal(fileId);
    });

    it('takes msg.model.fileId where the payload holds none', async () => {
      await start({ type: 'model-processing-import' });
      const fileId = randomUUID();
      bench.send({ payload: Buffer.from('picture'), model: { fileId, filename: 'part.obj' } });
      (await bench.next()).payload.filename.should.equal('part.obj');
      startedBody('import').fileId.should.equal(fileId);
    });
  });

  describe('repair', () => {
    it('starts a repair of msg.payload.resultId', async () => {
      await start({ type: 'model-processing-repair' });
      const inputId = randomUUID();
      bench.send({ payload: { resultId: inputId, filename: 'part.stl' } });
      const { payload } = await bench.next();
      payload.should.deepEqual({
        operationId: payload.operationId,
        operation: 'repair',
        inputId,
        filename: 'part.stl',
      });
      startedBody('repair').should.deepEqual({ inputId });
    });

    it('refuses an operation that was not waited for, rather than take the model before it', async () => {
      await start({ type: 'model-processing-repair' });
      bench.send({
        payload: { operationId: UNKNOWN_ID, operation: 'import' },
        model: { resultId: randomUUID(), operations: [] },
      });
      const { error } = await bench.next('errors');
      error.code.should.equal('INPUT_MISSING');
      error.message.should.match(/has not completed. Add a model wait node before this one/);
      service.requests.should.be.empty();
    });

    it('says which place holds no id', async () => {
      await start({ type: 'model-processing-repair', inputId: 'my.id', inputIdType: 'msg' });
      bench.send({ payload: { resultId: randomUUID() } });
      const { error } = await bench.next('errors');
      error.should.containDeep({
        code: 'INPUT_MISSING',
        message: "INPUT_MISSING: No resultId in msg.my.id. Check the message or the node's properties.",
      });
    });
  });

  describe('export', () => {
    it('starts an export to STL and gives the file that name', async () => {
      await start({ type: 'model-processing-export' });
      const inputId = randomUUID();
      bench.send({ payload: { resultId: inputId, filename: 'part.obj' } });
      const { payload } = await bench.next();
      const { operationId } = payload;
      const rest = { operation: 'export', inputId, exportToFormat: 'stl', filename: 'part.stl' };
      payload.should.deepEqual({ operationId, ...rest });
      startedBody('export').should.deepEqual({ inputId, exportToFormat: 'stl' });
    });

    it('has the service judge the format, and tells its reason', async () => {
      const message = 'exportToFormat must be one of stl, obj.';
      service.fault('POST', /export/, answer(400, { errors: [{ code: 40007, message }] }));
      await start({ type: 'model-processing-export', exportToFormat: 'docx' });
      bench.send({ payload: { resultId: randomUUID() } });
      const msg = await bench.next('errors');
      msg.error.code.should.equal('REFUSED');
      msg.error.message.should.match(/must be one of stl, obj/);
      msg.statusCode.should.equal(400);
    });
  });

  describe('wait', () => {
    it('sends the result of the operation, and writes it into msg.model', async () => {
      service.pollsNeeded = 3;
      await start({ type: 'model-processing-wait' });
      const operationId = service.addOperation('import');
      bench.send({ payload: { operationId, operation: 'import', filename: 'part.stl' } });
      const { payload, model } = await bench.next();
      const { resultId } = payload;
      const done = { operation: 'import', isCompleted: true, isSuccessful: true };
      payload.should.deepEqual({ ...done, filename: 'part.stl', operationId, resultId });
      model.resultId.should.equal(resultId);
      model.operations[0].should.containDeep({ operationId, isSuccessful: true, result: { operationId, resultId } });
      model.operations[0].durationMs.should.be.a.Number();
    });

    it('knows a file that was exported by its new name', async () => {
      await start({ type: 'model-processing-wait' });
      const operationId = service.addOperation('export');
      bench.send({
        payload: { operationId, operation: 'export', filename: 'part.obj' },
        model: { filename: 'part.stl' },
      });
      const { payload, model } = await bench.next();
      model.should.containEql({ fileId: payload.fileId, filename: 'part.obj' });
    });

    it('passes a message on unchanged that was waited for already', async () => {
      await start({ type: 'model-processing-wait' });
      const payload = { operationId: UNKNOWN_ID, isCompleted: true, isSuccessful: true, resultId: UNKNOWN_ID };
      bench.send({ payload });
      (await bench.next()).payload.should.deepEqual(payload);
      service.requests.should.be.empty();
    });

    it('takes the kind of operation from msg.model where the payload is the id itself', async () => {
      await start({ type: 'model-processing-wait' });
      const operationId = service.addOperation('repair');
      bench.send({ payload: operationId, model: { operations: [{ operation: 'repair', operationId }] } });
      (await bench.next()).payload.operation.should.equal('repair');
    });

    it('takes the kind of operation from its own setting where nobody else says it', async () => {
      await start({ type: 'model-processing-wait', operation: 'repair' });
      bench.send({ payload: service.addOperation('repair') });
      (await bench.next()).payload.operation.should.equal('repair');
    });

    it('waits through an outage also while nobody has said yet what kind of operation it is', async () => {
      await start({ type: 'model-processing-wait', operation: 'repair' });
      service.fault('GET', /status$/, refusal(403, 'maintenance'), 20);
      bench.send({ payload: service.addOperation('repair') });
      (await bench.next()).payload.operation.should.equal('repair');
    });

    it('fails where nobody says what kind of operation it is', async () => {
      await start({ type: 'model-processing-wait' });
      bench.send({ payload: service.addOperation('repair') });
      (await bench.next('errors')).error.code.should.equal('OPERATION_UNKNOWN');
    });

    it("fails with the service's reason where the operation failed", async () => {
      await start({ type: 'model-processing-wait' });
      const error = { code: 42201, message: 'The file ends in the middle of a triangle.' };
      const operationId = service.addOperation('import', { isSuccessful: false, error });
      bench.send({ payload: { operationId, operation: 'import' } });
      const msg = await bench.next('errors');
      msg.error.code.should.equal('OPERATION_FAILED');
      msg.error.message.should.match(/ends in the middle of a triangle/);
      msg.model.operations[0].isSuccessful.should.be.false();
    });

    it('writes the report of a failed operation into msg.model: it says how far the repair came', async () => {
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
      // It made no model that could be judged.
      should(model.verdict).be.undefined();
    });

    it('sends its message on whatever the flow wrote into msg.model.verdict', async () => {
      await start({ type: 'model-processing-wait' });
      const operationId = service.addOperation('thumbnail', { result: {} });
      for (const operation of service.operations.values()) operation.result = { operationId };
      bench.send({ payload: { operationId, operation: 'thumbnail' }, model: { verdict: 'fine' } });
      (await bench.next()).model.verdict.should.equal('fine');
    });

    it('fails when the operation takes longer than the service node allows', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
      const config = { ...remoteService(service.account), timeout: 1 };
      bench = await FlowBench.start(flowOf({ type: 'model-processing-wait' }, config), {
        credentials: { service: service.account },
      });
      bench.send({ payload: { operationId, operation: 'repair' } });
      const { error } = await bench.next('errors');
      error.code.should.equal('WAIT_TIMEOUT');
      error.message.should.containEql(operationId);
    });

    it('sends what failed or took too long on by a second output, where it has one, and nothing else', async () => {
      const config = { ...remoteService(service.account), timeout: 1 };
      const node = { type: 'model-processing-wait', outputs: '2', wires: [['errors'], ['out']] };
      bench = await FlowBench.start(flowOf(node, config), { credentials: { service: service.account } });
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
        message: `part.stl: The repair ${failed} failed: No triangle.`,
      });
      should(bench.status()).deepEqual({ fill: 'red', shape: 'ring', text: 'OPERATION_FAILED' });
      const endless = service.addOperation('repair', { pollsLeft: 1e9 });
      bench.send({ payload: { operationId: endless, operation: 'repair' } });
      const late = await bench.next();
      late.error.code.should.equal('WAIT_TIMEOUT');
      late.payload.should.containEql({ operationId: endless, isCompleted: false, isSuccessful: false });
      should(bench.completed.get('node')).equal(2);
      bench.send({ payload: {} });
      await bench.until(() => bench.left('errors') === 1);
      (await bench.next('errors')).error.code.should.equal('INPUT_MISSING');
    });

    it('shows a yellow ring with the size where that makes the unit of an import doubtful', async () => {
      await start({ type: 'model-processing-wait' });
      const after = { dimensionXMm: 0.4, dimensionYMm: 0.2, dimensionZMm: 0.1 };
      const report = { after, warnings: [], verdict: { level: 'solid', needsRepair: false, reasons: [] } };
      const operationId = service.addOperation('import');
      Object.assign(service.operations.get(operationId)?.result ?? {}, { report });
      bench.send({ payload: { operationId, operation: 'import' } });
      (await bench.next()).model.warnings.should.containDeep([{ code: 'UNITS_DOUBTFUL' }]);
      should(bench.status()).deepEqual({ fill: 'yellow', shape: 'ring', text: '0.4 mm?' });
    });

    it('fails with NOT_FOUND and the status code for an unknown operation', async () => {
      await start({ type: 'model-processing-wait' });
      bench.send({ payload: { operationId: UNKNOWN_ID, operation: 'import' } });
      const msg = await bench.next('errors');
      msg.error.code.should.equal('NOT_FOUND');
      msg.statusCode.should.equal(404);
    });
  });

  describe('analyze → wait → repair', () => {
    it('needs no Change node between', async () => {
      await start({ type: 'model-processing-repair' });
      const resultId = randomUUID();
      const payload = {
        operationId: UNKNOWN_ID,
        operation: 'analyze',
        isCompleted: true,
        isSuccessful: true,
        badEdges: 3,
      };
      bench.send({ payload, model: { resultId, operations: [] } });
      (await bench.next()).payload.inputId.should.equal(resultId);
    });
  });
});
