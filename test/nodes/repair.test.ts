import { randomUUID } from 'node:crypto';
import 'should';
import should from 'should';
import { replyWith, replyWithError } from '../helpers/fake-replies.js';
import type { FakeService } from '../helpers/fake-service.js';
import { ANALYSIS, OPEN_ANALYSIS } from '../helpers/minimal-results.js';
import type { FlowBench, FlowItem } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

describe('the repair node', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));
  const inputId = randomUUID();

  const flow = (settings: Record<string, unknown>): FlowItem[] => [
    ...withService({ type: 'model-processing-repair', send: 'finished', ...settings, wires: [['out'], ['out2']] }),
    { id: 'out2', z: 'tab', x: 100, y: 100, type: 'helper', wires: [] },
  ];
  const start = (settings: Record<string, unknown> = {}) => open(flow(settings));
  const send = (properties: Record<string, unknown> = {}) =>
    bench.send({ payload: { resultId: inputId, filename: 'part.stl' }, ...properties });
  const findBodies = (operation: string) =>
    service.requests
      .filter(({ path }) => path === `/web-api/operation/${operation}`)
      .map(({ body }) => JSON.parse(body) as { inputId: string });
  /** Sets the results of the next analyses, in order. Later analyses return those of a solid cube. */
  const setAnalysisResults = (...results: object[]) => {
    const original = service.addOperation.bind(service);
    service.addOperation = (operation, options = {}) => {
      const operationId = original(operation, options);
      const record = service.operations.get(operationId);
      const result = operation === 'analyze' ? results.shift() : undefined;
      if (record && result) record.result = { operationId, ...result };
      return operationId;
    };
  };

  it('sends the same message as a wait node with Send "when finished"', async () => {
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

  it('sends the operation and parameters of its settings, except defaults of the service', async () => {
    await start({ operation: 'shrinkwrap-repair', parameters: { accuracy: { value: 'Detailed', type: 'str' } } });
    send();
    const { payload } = await bench.next();
    payload.operation.should.equal('shrinkwrap-repair');
    findBodies('shrinkwrap-repair').should.deepEqual([{ inputId, accuracy: 'Detailed' }]);
    await bench.close();
    await start({ parameters: { innerShells: { value: 'auto', type: 'str' } } });
    send();
    await bench.next();
    findBodies('repair').should.deepEqual([{ inputId }]);
    await bench.close();
    await start({ parameters: { innerShells: { value: 'void', type: 'str' } } });
    send();
    await bench.next();
    findBodies('repair')[1]?.should.deepEqual({ inputId, innerShells: 'void' });
  });

  it('unites parts as before if it was saved without the setting, at a service that may know it', async () => {
    const repairWith = async (settings: Record<string, unknown>) => {
      await start(settings);
      send();
      await bench.next();
      await bench.close();
      return findBodies('repair').at(-1);
    };
    const kept = { parts: { value: 'keep', type: 'str' } };
    should(await repairWith({ parameters: {} })).deepEqual({ inputId });
    service.fault('GET', /^\/formats$/, replyWith(200, { operations: ['import', 'repair'] }), 99);
    should(await repairWith({ parameters: {} })).deepEqual({ inputId, parts: 'unite' });
    should(await repairWith({})).deepEqual({ inputId, parts: 'unite' });
    should(await repairWith({ parameters: kept })).deepEqual({ inputId });
    should(await repairWith({ parameters: { parts: { value: 'unite', type: 'str' } } })).deepEqual({
      ...{ inputId, parts: 'unite' },
    });
  });

  describe('with a service that returns no verdict', () => {
    it('derives verdict and report from analyses before and after', async () => {
      setAnalysisResults(OPEN_ANALYSIS, { ...ANALYSIS, volumeMm3: 1010 });
      await start();
      send();
      const { model } = await bench.next();
      model.verdict.should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
      model.report.should.containDeep({ before: OPEN_ANALYSIS, after: ANALYSIS && { volumeMm3: 1010 } });
      model.report.should.containDeep({ volumeChangeMm3: 10, areaChangeMm2: 0, verdict: model.verdict });
      findBodies('analyze')
        .map((body) => body.inputId)
        .should.deepEqual([inputId, model.resultId]);
      model.operations.length.should.equal(1);
      should(bench.status()).deepEqual({ fill: 'green', shape: 'dot', text: 'solid' });
    });

    it('does not repeat an earlier analysis of the input', async () => {
      setAnalysisResults(ANALYSIS);
      await start();
      const analysisEntry = { operation: 'analyze', operationId: randomUUID(), inputId, result: { ...OPEN_ANALYSIS } };
      send({ model: { resultId: inputId, operations: [analysisEntry] } });
      const { model } = await bench.next();
      model.report.before.badEdges.should.equal(4);
      findBodies('analyze').length.should.equal(1);
    });

    it('shows the level of a model that is not solid with a yellow ring', async () => {
      setAnalysisResults(OPEN_ANALYSIS, OPEN_ANALYSIS);
      await start();
      send();
      const { model } = await bench.next();
      const reasons = ['4 boundary edges', '1 hole'];
      model.verdict.should.deepEqual({ level: 'open', needsRepair: true, reasons });
      should(bench.status()).deepEqual({ fill: 'yellow', shape: 'ring', text: 'open' });
    });

    it('does not call a model open that has bad edges but no boundary edges', async () => {
      setAnalysisResults(ANALYSIS, { ...ANALYSIS, badEdges: 2, boundaryEdges: 0 });
      await start();
      send();
      const { verdict } = (await bench.next()).model;
      verdict.should.deepEqual({ level: 'watertight', needsRepair: true, reasons: ['2 bad edges'] });
    });

    for (const [defect, analysis] of [
      ['intersecting triangles', { ...ANALYSIS, qualityParams: { intersectingTriangles: 2 } }],
      ['overlapping triangles', { ...ANALYSIS, qualityParams: { overlappingTriangles: 2 } }],
      ['no volume', { ...ANALYSIS, volumeMm3: -5 }],
    ] as const)
      it(`derives the level manifold for a closed model with ${defect}`, async () => {
        setAnalysisResults(ANALYSIS, analysis);
        await start();
        send();
        const { verdict } = (await bench.next()).model;
        verdict.should.containEql({ level: 'manifold', needsRepair: true });
        verdict.reasons.length.should.equal(1);
      });

    it('sends a repaired model that cannot be analyzed, with a warning and without the old verdict', async () => {
      service.fault('POST', /analyze/, replyWithError(404, 'There is no such operation.'), 9);
      await start();
      send({ model: { resultId: inputId, verdict: { level: 'open', needsRepair: true, reasons: [] } } });
      const { model } = await bench.next();
      should(model.verdict).be.undefined();
      model.warnings[0].code.should.equal('VERDICT_UNKNOWN');
      model.warnings[0].message.should.match(/Could not analyze the repaired model: .*There is no such operation/);
      should(bench.status()?.text).equal('repair.status.finished');
    });
  });

  describe('with "only if needed"', () => {
    it('passes a solid model through after an analysis', async () => {
      await start({ onlyWhenNeeded: true });
      send();
      const { payload, model } = await bench.next();
      const completion = { operation: 'repair', isCompleted: true, isSuccessful: true };
      payload.should.deepEqual({ ...completion, resultId: inputId, changed: false, filename: 'part.stl' });
      model.should.containDeep({ resultId: inputId, analysis: { triangles: 12 }, verdict: { level: 'solid' } });
      service.count('POST', /repair/).should.equal(0);
    });

    it('passes a solid of an incomplete file through, to the second output', async () => {
      const reasons = ['incomplete file'];
      setAnalysisResults({ ...ANALYSIS, verdict: { level: 'solid', needsRepair: true, reasons } });
      await start({ onlyWhenNeeded: true, outputs: 2 });
      send();
      await bench.until(() => bench.countUnread('out2') === 1);
      service.count('POST', /repair/).should.equal(0);
      should(bench.status()).have.properties({ fill: 'yellow', shape: 'ring' });
    });

    it('repairs a model that is not solid, with the parameters from the message', async () => {
      setAnalysisResults(OPEN_ANALYSIS, ANALYSIS);
      await start({
        onlyWhenNeeded: true,
        operation: 'shrinkwrap-repair',
        parameters: { accuracy: { value: 'payload.accuracy', type: 'msg' } },
      });
      bench.send({ payload: { resultId: inputId, accuracy: 'Rough', filename: 'part.stl' } });
      const { payload, model } = await bench.next();
      payload.should.containDeep({ operation: 'shrinkwrap-repair', filename: 'part.stl' });
      should(payload.changed).be.undefined();
      findBodies('shrinkwrap-repair').should.deepEqual([{ inputId, accuracy: 'Rough' }]);
      model.verdict.level.should.equal('solid');
    });

    it('repairs a model without a valid analysis, regardless of msg.model.verdict', async () => {
      setAnalysisResults({ text: 'no analysis' });
      await start({ onlyWhenNeeded: true });
      send({ model: { verdict: { level: 'solid', needsRepair: false, reasons: [] } } });
      await bench.next();
      findBodies('repair').length.should.equal(1);
    });

    it('continues after a redeploy during the analysis', async () => {
      service.pollsNeeded = 1e9;
      setAnalysisResults(OPEN_ANALYSIS);
      await start({ onlyWhenNeeded: true, parameters: { innerShells: { value: 'payload.shells', type: 'msg' } } });
      bench.send({ payload: { resultId: inputId, shells: 'merge', filename: 'part.stl' } });
      await bench.until(() => service.count('GET', /status$/) > 1);
      await bench.deploy(flow({ onlyWhenNeeded: true, name: 'changed' }));
      service.pollsNeeded = 1;
      for (const each of service.operations.values()) each.pollsLeft = 1;
      (await bench.next()).payload.should.containDeep({ operation: 'repair', filename: 'part.stl' });
      findBodies('repair').should.deepEqual([{ inputId, innerShells: 'merge' }]);
    });

    it('skips the analysis with Send "when started"', async () => {
      await start({ onlyWhenNeeded: true, send: 'started' });
      send();
      (await bench.next()).payload.operation.should.equal('repair');
      service.count('POST', /analyze/).should.equal(0);
    });
  });

  describe('with a second output', () => {
    it('sends a model that is not solid to the second output', async () => {
      setAnalysisResults(OPEN_ANALYSIS, OPEN_ANALYSIS);
      await start({ outputs: 2 });
      send();
      await bench.until(() => bench.countUnread('out2') === 1);
      bench.countUnread('out').should.equal(0);
    });

    it('sends a repaired model that is not what its file meant to the second output', async () => {
      const verdict = { level: 'solid', needsRepair: true, reasons: ['incomplete file: 4 % of the triangles'] };
      setAnalysisResults(OPEN_ANALYSIS, { ...ANALYSIS, verdict });
      await start({ outputs: 2 });
      send();
      await bench.until(() => bench.countUnread('out2') === 1);
      bench.countUnread('out').should.equal(0);
      should(bench.status()).have.properties({ fill: 'yellow', shape: 'ring' });
    });

    it('sends a solid model to the first output', async () => {
      await start({ outputs: 2 });
      send();
      await bench.next();
      bench.countUnread('out2').should.equal(0);
    });
  });
});
