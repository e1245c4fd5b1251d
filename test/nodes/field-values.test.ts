import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import should from 'should';
import { FIELD_VALUES } from '../helpers/field-values.js';
import { type FieldValue, MESSAGE, PLACEHOLDERS, VARIABLES } from '../helpers/list-field-values.js';
import { FlowBench, type FlowItem, type Message } from './support/flow-bench.js';

const ON_TAB = { z: 'tab', x: 100, y: 100 };
const LOCAL = { id: 'service', type: 'model-processing-service', service: 'local', pollMin: 0.05, pollMax: 0.05 };

// A small model: the operations of the table run after their start was accepted.
const TETRAHEDRON = `OFF
4 4 6
0 0 0
9 0 0
0 9 0
0 0 9
3 0 2 1
3 0 1 3
3 1 2 3
3 0 3 2
`;

function createFlow(values: readonly FieldValue[]): FlowItem[] {
  const toNode = (id: string, type: string, settings: object) => {
    // The format of an uploaded file is checked at the latest when its import starts.
    const target = type === 'upload' && id !== 'upload' ? 'importUpload' : 'out';
    return { ...ON_TAB, id, type: `model-processing-${type}`, service: LOCAL.id, wires: [[target]], ...settings };
  };
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    LOCAL,
    toNode('upload', 'upload', {}),
    toNode('import', 'import', { send: 'finished' }),
    toNode('importUpload', 'import', {}),
    toNode('analyze', 'operation', { operation: 'analyze' }),
    ...values.map(({ type, settings }, index) => toNode(`value${index}`, type, settings)),
    { id: 'out', ...ON_TAB, type: 'helper', wires: [] },
    { id: 'catcher', ...ON_TAB, type: 'catch', wires: [['errors']] },
    { id: 'errors', ...ON_TAB, type: 'helper', wires: [] },
  ];
}

/** Replaces the placeholders of a table in all settings. */
function replacePlaceholders(values: readonly FieldValue[], actual: Record<string, string>): FieldValue[] {
  let text = JSON.stringify(values);
  for (const [name, placeholder] of Object.entries(PLACEHOLDERS)) {
    const replacement = JSON.stringify(actual[name]).slice(1, -1);
    text = text.replaceAll(placeholder, replacement).replaceAll(placeholder.toUpperCase(), replacement.toUpperCase());
  }
  return JSON.parse(text);
}

describe('the values of the table of fields', () => {
  let bench: FlowBench;

  before(async () => {
    Object.assign(process.env, VARIABLES);
    bench = await FlowBench.start(createFlow([]));
  });

  after(async () => {
    for (const name of Object.keys(VARIABLES)) delete process.env[name];
    await bench?.close();
  });

  const send = async (msg: Message, id: string): Promise<Message> => {
    bench.send(msg, id);
    await bench.until(() => bench.countUnread('out') + bench.countUnread('errors') > 0);
    return bench.next(bench.countUnread('out') > 0 ? 'out' : 'errors');
  };

  it('are accepted and refused by the nodes and the local service as the table says', async () => {
    const model = path.join(bench.userDir, 'model.off');
    await writeFile(model, TETRAHEDRON);
    const uploaded = (await send({ payload: model }, 'upload')).payload;
    const imported = (await send({ payload: uploaded }, 'import')).payload;
    const started = (await send({ payload: imported }, 'analyze')).payload;
    const { fileId } = uploaded;
    const { resultId } = imported;
    const { operationId } = started;
    const actual = { fileId, resultId, operationId, path: model, folder: `${bench.userDir}/` };
    const values = replacePlaceholders(FIELD_VALUES, actual);
    await bench.deploy(createFlow(values));
    for (const [row, { type }] of values.entries()) {
      const ids = type === 'wait' ? { operationId, operation: 'analyze' } : { fileId, resultId };
      bench.send({ ...structuredClone(MESSAGE), payload: type === 'process' ? model : ids, row }, `value${row}`);
    }
    await bench.until(() => bench.countUnread('out') + bench.countUnread('errors') === values.length);
    const errors = new Map<number, string>();
    while (bench.countUnread('out') > 0) await bench.next('out');
    while (bench.countUnread('errors') > 0) {
      const { row, error } = await bench.next('errors');
      errors.set(row, error.message);
    }
    const wrong = values.flatMap(({ name, isValid }, row) =>
      isValid === errors.has(row) ? [`${name}: ${errors.get(row) ?? 'accepted'}`] : [],
    );
    should(wrong).deepEqual([]);
  });
});
