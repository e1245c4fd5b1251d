import { randomUUID } from 'node:crypto';
import 'should';
import should from 'should';
import { FakeService, refusal } from '../helpers/fake-service.js';
import { ANALYSIS, OPEN_ANALYSIS } from '../helpers/minimal-results.js';
import { FlowBench, type FlowItem, flowOf, remoteService } from './support/flow-bench.js';

describe('repair', () => {
  let service: FakeService;
  let bench: FlowBench;
  const inputId = randomUUID();

  const flow = (settings: Record<string, unknown>): FlowItem[] => [
    ...flowOf(
      { type: 'model-processing-repair', send: 'finished', ...settings, wires: [['out'], ['out2']] },
      remoteService(service.account),
    ),
    { id: 'out2', z: 'tab', x: 100, y: 100, type: 'helper', wires: [] },
  ];
  const start = async (settings: Record<string, unknown> = {}) => {
    bench = await FlowBench.start(flow(settings), { credentials: { service: service.account } });
  };
  const send = (more: Record<string, unknown> = {}) =>
    bench.send({ payload: { resultId: inputId, filename: 'part.stl' }, ...more });
  const bodiesOf = (operation: string) =>
    service.requests
      .filter(({ path }) => path === `/web-api/operation/${operation}`)
      .map(({ body }) => JSON.parse(body) as { inputId: string });
  /** What the next analyses say, one after the other; a cube that is solid after these. */
  const analysesSay = (...results: object[]) => {
    const original = service.addOperation.bind(service);
    service.addOperation = (operation, more = {}) => {
      const operationId = original(operation, more);
      const made = service.operations.get(operationId);
      const result = operation === 'analyze' ? results.shift() : undefined;
      if (made && result) made.result = { operationId, ...result };
      return operationId;
    };
  };

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  it('sends what a wait node would, when told to wait itself', async () => {
    await start();
    send();
    const { payload, model } = await bench.next();
    const { operationId, resultId } = payload;
    payload.should.containDeep({
      operation: 'repair',
      isCompleted: true,
      isSuccessful: true,
      filename: 'part.stl',
      operationId,
      resultId,
    });
    model.resultId.should.equal(resultId);
  });

  it('repairs as its settings say; what the service does anyway is not sent', async () => {
    await start({ operation: 'shrinkwrap-repair', parameters: { accuracy: { value: 'Detailed', type: 'str' } } });
    send();
    const { payload } = await bench.next();
    payload.operation.should.equal('shrinkwrap-repair');
    bodiesOf('shrinkwrap-repair').should.deepEqual([{ inputId, accuracy: 'Detailed' }]);
    await bench.close();
    await start({ parameters: { innerShells: { value: 'auto', type: 'str' } } });
    send();
    await bench.next();
    bodiesOf('repair').should.deepEqual([{ inputId }]);
    await bench.close();
    await start({ parameters: { innerShells: { value: 'void', type: 'str' } } });
    send();
    await bench.next();
    bodiesOf('repair')[1]?.should.deepEqual({ inputId, innerShells: 'void' });
  });

  describe('at a service that judges nothing', () => {
    it('judges the model itself, by analyses before and after', async () => {
      analysesSay(OPEN_ANALYSIS, { ...ANALYSIS, volumeMm3: 1010 });
      await start();
      send();
      const { model } = await bench.next();
      model.verdict.should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
      model.report.should.containDeep({ before: OPEN_ANALYSIS, after: ANALYSIS && { volumeMm3: 1010 } });
      model.report.should.containDeep({ volumeChangeMm3: 10, areaChangeMm2: 0, verdict: model.verdict });
      bodiesOf('analyze')
        .map((body) => body.inputId)
        .should.deepEqual([inputId, model.resultId]);
      model.operations.length.should.equal(1);
      should(bench.status()).deepEqual({ fill: 'green', shape: 'dot', text: 'solid' });
    });

    it('does not analyze the model before a second time', async () => {
      analysesSay(ANALYSIS);
      await start();
      const analyzed = { operation: 'analyze', operationId: randomUUID(), inputId, result: { ...OPEN_ANALYSIS } };
      send({ model: { resultId: inputId, operations: [analyzed] } });
      const { model } = await bench.next();
      model.report.before.badEdges.should.equal(4);
      bodiesOf('analyze').length.should.equal(1);
    });

    it('shows what stays below solid in yellow, and its level', async () => {
      analysesSay(OPEN_ANALYSIS, OPEN_ANALYSIS);
      await start();
      send();
      const { model } = await bench.next();
      const reasons = ['4 bad edges', '1 bad contour'];
      model.verdict.should.deepEqual({ level: 'open', needsRepair: true, reasons });
      should(bench.status()).deepEqual({ fill: 'yellow', shape: 'ring', text: 'open' });
    });

    for (const [what, analysis] of [
      ['triangles that cross', { ...ANALYSIS, qualityParams: { intersectingTriangles: 2 } }],
      ['triangles that lie on each other', { ...ANALYSIS, qualityParams: { overlappingTriangles: 2 } }],
      ['no volume', { ...ANALYSIS, volumeMm3: -5 }],
    ] as const)
      it(`calls a closed model with ${what} manifold`, async () => {
        analysesSay(ANALYSIS, analysis);
        await start();
        send();
        const { verdict } = (await bench.next()).model;
        verdict.should.containEql({ level: 'manifold', needsRepair: true });
        verdict.reasons.length.should.equal(1);
      });

    it('sends the repaired model all the same where it cannot be analyzed, with a warning and no old verdict', async () => {
      service.fault('POST', /analyze/, refusal(404, 'There is no such operation.'), 9);
      await start();
      send({ model: { resultId: inputId, verdict: { level: 'open', needsRepair: true, reasons: [] } } });
      const { model } = await bench.next();
      should(model.verdict).be.undefined();
      model.warnings[0].code.should.equal('VERDICT_UNKNOWN');
      model.warnings[0].message.should.match(/Could not analyze the repaired model: .*There is no such operation/);
      should(bench.status()?.text).equal('repair.status.finished');
    });
  });

  describe('only when needed', () => {
    it('passes a solid model on as it is, after an analysis', async () => {
      await start({ onlyWhenNeeded: true });
      send();
      const { payload, model } = await bench.next();
      const done = { operation: 'repair', isCompleted: true, isSuccessful: true };
      payload.should.deepEqual({ ...done, resultId: inputId, changed: false, filename: 'part.stl' });
      model.should.containDeep({ resultId: inputId, analysis: { triangles: 12 }, verdict: { level: 'solid' } });
      service.count('POST', /repair/).should.equal(0);
    });

    it('repairs a model that is not solid, by the parameters that came with the message', async () => {
      analysesSay(OPEN_ANALYSIS, ANALYSIS);
      await start({
        onlyWhenNeeded: true,
        operation: 'shrinkwrap-repair',
        parameters: { accuracy: { value: 'payload.accuracy', type: 'msg' } },
      });
      bench.send({ payload: { resultId: inputId, accuracy: 'Rough', filename: 'part.stl' } });
      const { payload, model } = await bench.next();
      payload.should.containDeep({ operation: 'shrinkwrap-repair', filename: 'part.stl' });
      should(payload.changed).be.undefined();
      bodiesOf('shrinkwrap-repair').should.deepEqual([{ inputId, accuracy: 'Rough' }]);
      model.verdict.level.should.equal('solid');
    });

    it('repairs a model of which nobody knows, whatever the flow says of it', async () => {
      analysesSay({ text: 'no analysis' });
      await start({ onlyWhenNeeded: true });
      send({ model: { verdict: { level: 'solid', needsRepair: false, reasons: [] } } });
      await bench.next();
      bodiesOf('repair').length.should.equal(1);
    });

    it('goes on after a redeploy that came in the middle of the analysis', async () => {
      service.pollsNeeded = 1e9;
      analysesSay(OPEN_ANALYSIS);
      await start({ onlyWhenNeeded: true, parameters: { innerShells: { value: 'payload.shells', type: 'msg' } } });
      bench.send({ payload: { resultId: inputId, shells: 'merge', filename: 'part.stl' } });
      await bench.until(() => service.count('GET', /status$/) > 1);
      await bench.deploy(flow({ onlyWhenNeeded: true, name: 'changed' }));
      service.pollsNeeded = 1;
      for (const each of service.operations.values()) each.pollsLeft = 1;
      (await bench.next()).payload.should.containDeep({ operation: 'repair', filename: 'part.stl' });
      bodiesOf('repair').should.deepEqual([{ inputId, innerShells: 'merge' }]);
    });

    it('is left aside by a node that does not wait itself', async () => {
      await start({ onlyWhenNeeded: true, send: 'started' });
      send();
      (await bench.next()).payload.operation.should.equal('repair');
      service.count('POST', /analyze/).should.equal(0);
    });
  });

  describe('with a second output', () => {
    it('sends what stays below solid there', async () => {
      analysesSay(OPEN_ANALYSIS, OPEN_ANALYSIS);
      await start({ outputs: 2 });
      send();
      await bench.until(() => bench.left('out2') === 1);
      bench.left('out').should.equal(0);
    });

    it('sends a solid model by the first', async () => {
      await start({ outputs: 2 });
      send();
      await bench.next();
      bench.left('out2').should.equal(0);
    });
  });
});

describe('a thumbnail', () => {
  let service: FakeService;
  let bench: FlowBench;
  const model = { resultId: randomUUID(), fileId: randomUUID(), filename: 'part.stl', operations: [] };

  const start = async () => {
    const node = { type: 'model-processing-operation', operation: 'thumbnail', send: 'finished' };
    bench = await FlowBench.start(flowOf(node, remoteService(service.account)), {
      credentials: { service: service.account },
    });
  };

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  it('is downloaded into msg.model.thumbnail; the model file stays what it was', async () => {
    await start();
    bench.send({ payload: {}, model: { ...model } });
    const msg = await bench.next();
    msg.model.thumbnail.should.deepEqual(Buffer.from('a thumbnail'));
    msg.model.should.containDeep({ fileId: model.fileId, resultId: model.resultId });
    msg.payload.fileId.should.equal(msg.model.operations[0].result.fileId);
  });

  it('is left at the service where it is larger than 4 MiB, with a warning', async () => {
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
