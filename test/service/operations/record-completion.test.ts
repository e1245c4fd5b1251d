import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import should from 'should';
import type { BlobFolder } from '../../../src/service/blobs/blob-folder.js';
import { createLogger } from '../../../src/service/logger.js';
import { type RecordOutcome, recordCompletion } from '../../../src/service/operations/record-completion.js';
import { ServiceError } from '../../../src/service/service-error.js';
import { createCancellations } from '../../../src/service/store/cancellations.js';
import type { Store } from '../../../src/service/store/database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { createJobQueue } from '../../../src/service/store/job-queue.js';
import type { Completion, Operations } from '../../../src/service/store/operations.js';
import { registerFileBench } from '../support/file-bench.js';
import { queuedOperation } from '../support/queued-operation.js';
import { recordOf } from '../support/records.js';

const ID = '00000000-0000-4000-8000-000000000001';
const OUTPUT_ID = 'abababab-0000-4000-8000-000000000002';

const ROW = queuedOperation({ id: ID, owner: 'me', output_id: OUTPUT_ID });

const RECORD = recordOf(OUTPUT_ID, 'bytes', { kind: 'model', operationId: ID });
const OUTPUT = createFileRow(RECORD, 3);

const SUCCESS: Completion = { isSuccessful: true, output: OUTPUT, result: '{}', report: null };

function diskFull(): Error {
  return Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
}

/** How a store fails: before its commit, after it, because it is away, or because the object of the output is gone. */
type Failure = 'before' | 'after' | 'away' | 'object-gone';

const ERROR_BY_FAILURE: Record<Failure, () => Error> = {
  before: diskFull,
  after: diskFull,
  away: () => new ServiceError('DATABASE_UNAVAILABLE', 'The database is not available. Retry later.'),
  'object-gone': () => new ServiceError('STORAGE_UNAVAILABLE', 'The object of the file was deleted meanwhile.'),
};

function diskFailed(): Error {
  return Object.assign(new Error('disk I/O error'), { code: 'EIO' });
}

describe('recordCompletion', () => {
  let store: Store;
  let operations: Operations;
  let blobs: BlobFolder;
  const running = new AbortController().signal;

  registerFileBench((bench) => ({ store, operations, blobs } = bench));

  beforeEach(async () => {
    await operations.add(ROW);
    await createJobQueue(store).claim(2);
    const scratch = blobs.scratchPath();
    await writeFile(scratch, 'bytes');
    await blobs.fromScratch(scratch, RECORD);
  });

  /**
   * Records a completion with a store that fails once per entry of `failures`. Each entry of `more` is called before a
   * state is read back, or an output deleted.
   */
  const record = (
    failures: Failure[],
    signal = running,
    more: { beforeFind?: () => void; beforeRemove?: () => void } = {},
  ): Promise<RecordOutcome> => {
    const complete: Operations['complete'] = async (...completion) => {
      const failure = failures.shift();
      if (failure && failure !== 'after') throw ERROR_BY_FAILURE[failure]();
      const wasCompleted = await operations.complete(...completion);
      if (failure) throw ERROR_BY_FAILURE[failure]();
      return wasCompleted;
    };
    const dependencies = {
      operations: {
        ...operations,
        complete,
        find: async (id: string, owner: string) => {
          more.beforeFind?.();
          return operations.find(id, owner);
        },
      },
      blobs: {
        ...blobs,
        remove: async (ids: string[]) => {
          more.beforeRemove?.();
          return blobs.remove(ids);
        },
      },
      storeRetryMs: 1,
      now: () => 3,
      clock: { now: () => 3 },
    };
    return recordCompletion(ROW, SUCCESS, { ...dependencies, logger: createLogger('silent') }, signal);
  };

  it('records a success with its output', async () => {
    (await record([])).should.equal('recorded');
    should(await operations.find(ID, 'me')).match({ state: 'completed', is_successful: 1 });
    existsSync(blobs.pathOf(OUTPUT_ID)).should.be.true();
  });

  it('records a failure without the output as soon as a full store accepts it', async () => {
    (await record(['before', 'before', 'before'])).should.equal('recorded');
    const row = await operations.find(ID, 'me');
    should(row).match({ state: 'completed', is_successful: 0, error: /50700/ });
    existsSync(blobs.pathOf(OUTPUT_ID)).should.be.false();
  });

  it('keeps the output if the store failed only after its commit', async () => {
    (await record(['after'])).should.equal('recorded');
    should(await operations.find(ID, 'me')).match({ state: 'completed', is_successful: 1 });
    existsSync(blobs.pathOf(OUTPUT_ID)).should.be.true();
  });

  for (const [failure, isSuccessful] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    it(`completes an operation whose state cannot be read after a failure ${failure} the commit`, async () => {
      const errors = [diskFailed(), diskFailed()];
      const beforeFind = (): void => {
        const error = errors.shift();
        if (error) throw error;
      };
      (await record([failure], running, { beforeFind })).should.equal('recorded');
      should(await operations.find(ID, 'me')).match({ state: 'completed', is_successful: isSuccessful });
      existsSync(blobs.pathOf(OUTPUT_ID)).should.equal(isSuccessful === 1);
    });
  }

  for (const failures of [['before'], ['before', 'after']] as ('before' | 'after')[][]) {
    it(`completes an operation whose output cannot be deleted, after failures ${failures.join(', ')}`, async () => {
      const beforeRemove = (): void => {
        throw diskFailed();
      };
      await record(failures, running, { beforeRemove });
      should(await operations.find(ID, 'me')).match({ state: 'completed', is_successful: 0, error: /50700/ });
    });
  }

  it('does not fail for a cancelled operation whose output cannot be deleted', async () => {
    await createCancellations(store).cancel(ID, 'me', { now: 3, retainedFrom: 3 });
    const beforeRemove = (): void => {
      throw diskFailed();
    };
    (await record([], running, { beforeRemove })).should.equal('completed');
  });

  for (const failures of [[], ['before'], ['after'], ['before', 'after']] as ('before' | 'after')[][]) {
    it(`deletes the output of a cancelled operation, after failures ${failures.join(', ') || '(none)'}`, async () => {
      await createCancellations(store).cancel(ID, 'me', { now: 3, retainedFrom: 3 });
      (await record(failures)).should.equal('completed');
      should(await operations.find(ID, 'me')).match({ state: 'completed', is_successful: 0, error: /42217/ });
      should(await blobs.listIds()).deepEqual({ blobs: new Set(), records: new Set() });
    });
  }

  it('records the success once a database that was away can be reached', async () => {
    const errors = [ERROR_BY_FAILURE.away()];
    const beforeFind = (): void => {
      const error = errors.shift();
      if (error) throw error;
    };
    (await record(['away', 'away'], running, { beforeFind })).should.equal('recorded');
    should(await operations.find(ID, 'me')).match({ state: 'completed', is_successful: 1 });
    existsSync(blobs.pathOf(OUTPUT_ID)).should.be.true();
  });

  it('does not complete an operation whose output was deleted meanwhile', async () => {
    (await record(['object-gone'])).should.equal('output-lost');
    should(await operations.find(ID, 'me')).match({ state: 'running' });
  });

  it('does not complete the operation if the service stops while the store fails', async () => {
    (await record(['before'], AbortSignal.abort())).should.equal('aborted');
    should(await operations.find(ID, 'me')).match({ state: 'running' });
  });
});
