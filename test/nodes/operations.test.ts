import { randomUUID } from 'node:crypto';
import 'should';
import should from 'should';
import { replyWith } from '../helpers/fake-replies.js';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

describe('the nodes for operations', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

  const start = (node: { type: string; [setting: string]: unknown }) => open(withService(node));
  const findStartBody = (operation: string) => {
    const request = service.requests.find(({ path }) => path === `/web-api/operation/${operation}`);
    return JSON.parse(request?.body ?? '{}');
  };

  describe('import', () => {
    it('starts an import of msg.payload.fileId, in mm', async () => {
      await start({ type: 'model-processing-import' });
      const fileId = randomUUID();
      bench.send({ topic: 'kept', payload: { fileId, filename: 'part.stl' } });
      const msg = await bench.next();
      const { operationId } = msg.payload;
      msg.payload.should.deepEqual({ operationId, operation: 'import', filename: 'part.stl' });
      findStartBody('import').should.deepEqual({ fileId, measurementUnits: 'mm' });
      msg.topic?.should.equal('kept');
      msg.model.operations.should.deepEqual([
        { operation: 'import', operationId, parameters: { fileId, measurementUnits: 'mm' } },
      ]);
      should(bench.status()).deepEqual({ fill: 'green', shape: 'dot', text: 'import.status.started' });
    });

    it('reads the unit from the message if the setting selects it', async () => {
      await start({ type: 'model-processing-import', measurementUnits: 'unit', measurementUnitsType: 'msg' });
      bench.send({ unit: 'inch', payload: { fileId: randomUUID() } });
      await bench.next();
      findStartBody('import').measurementUnits.should.equal('inch');
    });

    it('sends the name of a model in a ZIP if it is set, and continues with its name', async () => {
      await start({ type: 'model-processing-import', entry: 'part', entryType: 'msg' });
      const fileId = randomUUID();
      bench.send({ payload: { fileId, filename: 'kit.zip' }, part: ' files\\lid.stl ' });
      (await bench.next()).payload.filename.should.equal('lid.stl');
      findStartBody('import').should.deepEqual({ fileId, measurementUnits: 'mm', entry: 'files\\lid.stl' });
      for (const part of [undefined, null, '', ' ']) {
        bench.send({ payload: { fileId, filename: 'kit.zip' }, part });
        const { payload, model } = await bench.next();
        payload.filename.should.equal('kit.zip');
        should(model.operations[0].parameters).not.have.property('entry');
      }
      bench.send({ payload: { fileId }, part: 7 });
      (await bench.next('errors')).error.code.should.equal('INPUT_INVALID');
    });

    it('sends accuracyMm and maxAngle if they are set', async () => {
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
      findStartBody('import').should.deepEqual({ fileId, measurementUnits: 'mm', accuracyMm: 0.05, maxAngle: 12 });
      bench.send({ payload: { fileId }, angle: 'fine' });
      (await bench.next('errors')).error.message.should.match(/Invalid maxAngle: expected a number/);
    });

    it('sends the handling of helper bodies unless it is the default', async () => {
      await start({ type: 'model-processing-import', helpers: 'handling', helpersType: 'msg' });
      const fileId = randomUUID();
      bench.send({ payload: { fileId }, handling: 'keep' });
      await bench.next();
      findStartBody('import').should.deepEqual({ fileId, measurementUnits: 'mm', helpers: 'keep' });
    });

    for (const [plate, sent] of [
      ['2', { plate: 2 }],
      [3, { plate: 3 }],
      ['All', {}],
      ['', {}],
    ] as const)
      it(`sends the plate unless it is all: ${JSON.stringify(plate)}`, async () => {
        await start({ type: 'model-processing-import', plate: 'plate', plateType: 'msg' });
        const fileId = randomUUID();
        bench.send({ payload: { fileId }, plate });
        await bench.next();
        findStartBody('import').should.deepEqual({ fileId, measurementUnits: 'mm', ...sent });
      });

    it('accepts the id as the payload', async () => {
      await start({ type: 'model-processing-import' });
      const fileId = randomUUID();
      bench.send({ payload: fileId });
      await bench.next();
      findStartBody('import').fileId.should.equal(fileId);
    });

    it('uses msg.model.fileId if the payload has no id', async () => {
      await start({ type: 'model-processing-import' });
      const fileId = randomUUID();
      bench.send({ payload: Buffer.from('picture'), model: { fileId, filename: 'part.obj' } });
      (await bench.next()).payload.filename.should.equal('part.obj');
      findStartBody('import').fileId.should.equal(fileId);
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
      findStartBody('repair').should.deepEqual({ inputId });
    });

    it('raises INPUT_MISSING for an operation that has not completed', async () => {
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

    it('raises an error with the name of the property that has no id', async () => {
      await start({ type: 'model-processing-repair', inputId: 'my.id', inputIdType: 'msg' });
      bench.send({ payload: { resultId: randomUUID() } });
      const { error } = await bench.next('errors');
      error.should.containDeep({
        code: 'INPUT_MISSING',
        message: "No resultId in msg.my.id. Check the message or the node's properties.",
      });
    });
  });

  describe('export', () => {
    it('starts an export to STL and changes the extension of the filename', async () => {
      await start({ type: 'model-processing-export' });
      const inputId = randomUUID();
      bench.send({ payload: { resultId: inputId, filename: 'part.obj' } });
      const { payload } = await bench.next();
      const { operationId } = payload;
      const rest = { operation: 'export', inputId, exportToFormat: 'stl', filename: 'part.stl' };
      payload.should.deepEqual({ operationId, ...rest });
      findStartBody('export').should.deepEqual({ inputId, exportToFormat: 'stl' });
    });

    it('sends any format to the service, and raises its error', async () => {
      const message = 'exportToFormat must be one of stl, obj.';
      service.fault('POST', /export/, replyWith(400, { errors: [{ code: 40007, message }] }));
      await start({ type: 'model-processing-export', exportToFormat: 'docx' });
      bench.send({ payload: { resultId: randomUUID() } });
      const msg = await bench.next('errors');
      msg.error.code.should.equal('REFUSED');
      msg.error.message.should.match(/must be one of stl, obj/);
      msg.statusCode.should.equal(400);
    });
  });

  describe('analyze → wait → repair', () => {
    it('works without a Change node', async () => {
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
