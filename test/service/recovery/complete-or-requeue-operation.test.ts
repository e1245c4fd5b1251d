import should from 'should';
import { completeOrRequeueOperation } from '../../../src/service/recovery/complete-or-requeue-operation.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import type { FileRow, OperationRow } from '../../../src/service/store/schema.js';
import { recordOf } from '../support/records.js';
import { OPERATION } from './support/operation-row.js';

const NOW = 1000;

const UNFINISHED: OperationRow = {
  ...OPERATION,
  state: 'running',
  is_successful: null,
  result: null,
  report: null,
  finished_at: null,
  callback_state: 'waiting',
};

describe('completeOrRequeueOperation', () => {
  let files: Map<string, FileRow>;

  const resultFor = (operation: OperationRow) => completeOrRequeueOperation(operation, files, NOW);

  beforeEach(() => {
    files = new Map([['output', createFileRow(recordOf('output', 'bytes', { createdAt: 7 }), NOW)]]);
  });

  it('keeps a completed operation, its delivered callback and its output', () => {
    should(resultFor(OPERATION)).deepEqual({ ...OPERATION, retained_from: NOW });
    should([...files.keys()]).deepEqual(['output']);
  });

  it('gives up a callback that was due', () => {
    const operation = resultFor({ ...OPERATION, callback_state: 'due', callback_next_at: 5 });
    should(operation).match({ callback_state: 'given-up', callback_next_at: null });
  });

  it('completes an unfinished operation whose output was stored', () => {
    should(resultFor(UNFINISHED)).match({
      state: 'completed',
      is_successful: 1,
      result: '{}',
      finished_at: 7,
      retained_from: NOW,
      callback_state: 'given-up',
    });
    should([...files.keys()]).deepEqual(['output']);
  });

  it('lets an unfinished operation run again that has no output', () => {
    files.clear();
    should(resultFor(UNFINISHED)).deepEqual(UNFINISHED);
  });

  it('lets it run again if its output is damaged, or its result was in the database', () => {
    const [id, output] = ['output', createFileRow(recordOf('output', 'bytes'), NOW)] as const;
    files.set(id, { ...output, damaged_at: NOW });
    should(resultFor(UNFINISHED)).deepEqual(UNFINISHED);
    should(files.size).equal(0);
    files.set(id, output);
    const analysis = { ...UNFINISHED, kind: 'wall-thickness-analysis' };
    should(resultFor(analysis)).deepEqual(analysis);
    should(files.size).equal(0);
  });

  it('drops the output of a failed operation', () => {
    resultFor({ ...OPERATION, is_successful: 0, error: '{}' });
    should(files.size).equal(0);
  });
});
