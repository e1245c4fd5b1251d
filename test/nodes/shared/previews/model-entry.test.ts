import should from 'should';
import { ModelEntries } from '../../../../nodes/shared/previews/model-entries.js';
import { summarizeModel } from '../../../../nodes/shared/previews/model-entry.js';
import { ModelNotifier } from '../../../../nodes/shared/previews/model-notifier.js';

const LONG = '\u0001'.repeat(100_000);

/** A message as a flow may have written it: with texts and names of any length. */
function createEntry() {
  const analysis = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}${LONG}`, i]));
  const places = Array.from({ length: 1000 }, () => ({ defect: LONG, x: 1, y: 2, z: 3, sizeMm: 4 }));
  const texts = Array.from({ length: 100 }, () => ({ code: LONG, message: LONG, name: LONG, changed: 1 }));
  const verdict = { level: LONG, needsRepair: true, reasons: texts.map(({ name }) => name) };
  const report = {
    before: analysis,
    after: { ...analysis, triangles: 7, volumeMm3: Number.NaN },
    steps: texts,
    warnings: texts,
    places,
    verdict,
  };
  const result = { operationId: 'operation', resultId: 'model', report };
  const operations = [{ operation: 'repair', operationId: 'operation', parameters: {}, isSuccessful: true, result }];
  const summary = summarizeModel({ operations, warnings: [] } as never, 'model', LONG);
  return new ModelEntries(() => new Set(['node'])).add({
    path: 'node',
    name: LONG,
    service: 'service',
    modelId: 'model',
    summary,
  });
}

describe('an entry of a model, whatever its message contains', () => {
  it('has at most 15 KiB as JSON, and keeps the numbers of the analysis', () => {
    const entry = createEntry();
    Buffer.byteLength(JSON.stringify(entry)).should.be.belowOrEqual(15 << 10);
    should(entry.summary.analysis).deepEqual({ triangles: 7 });
  });

  it('contains the first places only, and reads no more of them than fit', () => {
    const places = Array.from({ length: 100_000 }, (_, x) => ({ defect: 'boundaryEdge', x, y: 0, z: 0, sizeMm: 1 }));
    Object.defineProperty(places, 1000, { get: () => should.fail(undefined, undefined, 'read') });
    const result = { operationId: 'operation', resultId: 'model', report: { places } };
    const operations = [{ operation: 'repair', operationId: 'operation', parameters: {}, isSuccessful: true, result }];
    const summary = summarizeModel({ operations, warnings: [] } as never, 'model', 'part.stl');
    should(summary.places[0]).match({ defect: 'boundaryEdge', x: 0 });
    should(summary.places.at(-1)?.x).equal(summary.places.length - 1);
  });

  it('is announced to the editors with at most 300 bytes', () => {
    const messages: string[] = [];
    const comms = { publish: (topic: string, data: object) => messages.push(JSON.stringify([{ topic, data }])) };
    const notifier = new ModelNotifier({ comms } as never, '0123456789abcdef', () => () => undefined);
    notifier.notify(createEntry());
    notifier.close();
    for (const message of messages) Buffer.byteLength(message).should.be.belowOrEqual(300);
  });
});
