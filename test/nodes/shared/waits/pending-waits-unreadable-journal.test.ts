import 'should';
import should from 'should';
import { FILE_FUNCTIONS, type FileFunctions } from '../../../../nodes/shared/waits/file-functions.js';
import { registerPendingWaitsBench, waitFor } from './support/pending-waits-bench.js';

describe('PendingWaits', () => {
  const { warnings, start, setJournalOptions, notifyStarted } = registerPendingWaitsBench();

  describe('with a journal that cannot be read at first', () => {
    let isFailing: boolean;
    let errors: string[];
    let runScheduled: () => void;

    beforeEach(() => {
      start().register('tab/node', waitFor('old'));
      isFailing = true;
      errors = [];
      const openSync: FileFunctions['openSync'] = (...parameters) => {
        if (isFailing) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
        return FILE_FUNCTIONS.openSync(...parameters);
      };
      setJournalOptions({
        files: { ...FILE_FUNCTIONS, openSync },
        report: { warn: (message) => should.fail(message, ''), error: (message) => errors.push(message) },
        schedule: (run) => {
          runScheduled = run;
          return () => undefined;
        },
      });
    });

    it('keeps its waits, and returns them once it can be read', () => {
      const waits = start();
      const operationIds: string[] = [];
      const acquire = () => operationIds.push(...waits.acquire('tab/node').map(({ wait }) => wait.operationId));
      waits.claim('tab/node', acquire);
      notifyStarted();
      runScheduled();
      operationIds.should.be.empty();
      isFailing = false;
      runScheduled();
      operationIds.should.deepEqual(['old']);
      warnings.should.be.empty();
      errors.length.should.equal(1);
    });

    it('reads it when the nodes of a deploy have started', () => {
      const waits = start();
      waits.claim('tab/node', () => undefined);
      isFailing = false;
      notifyStarted();
      waits.acquire('tab/node').length.should.equal(1);
      warnings.should.be.empty();
    });

    it('continues if reading a message throws when it is written later', () => {
      const waits = start();
      const { msg } = waits.register('tab/node', waitFor('broken')).wait;
      Object.defineProperty(msg, 'broken', { enumerable: true, get: () => should.fail('read', '') });
      waits.register('tab/node', waitFor('new'));
      isFailing = false;
      runScheduled();
      setJournalOptions({});
      const leases = start().acquire('tab/node');
      leases.map(({ wait }) => wait.operationId).should.deepEqual(['old', 'new']);
    });

    it('notifies nodes only after all nodes of their deploy have started', () => {
      const waits = start();
      let callCount = 0;
      waits.claim('tab/node', () => (callCount += 1));
      isFailing = false;
      runScheduled();
      callCount.should.equal(0);
      waits.acquire('tab/node').length.should.equal(1);
    });

    it('keeps new waits in memory until it can be read, then writes those that have not ended', () => {
      const waits = start();
      waits.register('tab/node', waitFor('ended')).end();
      waits.register('tab/node', waitFor('new'));
      isFailing = false;
      runScheduled();
      setJournalOptions({});
      const leases = start().acquire('tab/node');
      leases.map(({ wait }) => wait.operationId).should.deepEqual(['old', 'new']);
    });
  });

  it('keeps a wait that cannot be read now, and returns it when it can', () => {
    start().register('tab/node', waitFor('a'));
    let isFailing = false;
    const readSync = (...parameters: unknown[]) => {
      if (isFailing) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      return Reflect.apply(FILE_FUNCTIONS.readSync, undefined, parameters);
    };
    const report = { warn: (message: string) => should.fail(message, ''), error: () => undefined };
    setJournalOptions({ files: { ...FILE_FUNCTIONS, readSync }, report });
    const waits = start();
    waits.claim('tab/other', () => undefined);
    isFailing = true;
    waits.acquire('tab/node').should.be.empty();
    notifyStarted();
    isFailing = false;
    waits.acquire('tab/node').length.should.equal(1);
    warnings.should.be.empty();
  });
});
