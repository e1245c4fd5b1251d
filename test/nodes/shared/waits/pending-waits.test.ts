import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import { FILE_FUNCTIONS, type FileFunctions } from '../../../../nodes/shared/waits/file-functions.js';
import { type HeldWait, PendingWaits } from '../../../../nodes/shared/waits/pending-waits.js';
import { WaitJournal, type WaitJournalOptions } from '../../../../nodes/shared/waits/wait-journal.js';

function waitFor(operationId: string, more: object = {}): HeldWait {
  return {
    msg: { _msgid: operationId, payload: { operationId }, ...more },
    operation: 'repair',
    operationId,
    filename: 'part.stl',
    startedAt: 5,
    deadline: 7,
    service: 'config',
  };
}

describe('HeldWaits', () => {
  let folder: string;
  let file: string;
  let lives: PendingWaits[];
  let warnings: string[];
  let journalOptions: Partial<WaitJournalOptions>;
  /** Tells those who listen that all nodes are there. */
  let tellStarted: (isGone: (path: string) => boolean) => void;

  const listen = (onStarted: typeof tellStarted) => {
    tellStarted = onStarted;
    return () => undefined;
  };

  /** The waits as they are after a start of Node-RED. */
  const start = (): PendingWaits => {
    const fail = (message: string) => should.fail(message, '');
    const journal = new WaitJournal(file, { report: { warn: fail, error: fail }, ...journalOptions });
    const waits = new PendingWaits({ journal, listen, warn: (message) => warnings.push(message) });
    lives.push(waits);
    return waits;
  };

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'held-'));
    file = path.join(folder, 'waits.jsonl');
    lives = [];
    journalOptions = {};
    warnings = [];
    tellStarted = () => undefined;
  });
  afterEach(async () => {
    for (const life of lives) await life.close();
    rmSync(folder, { recursive: true });
  });

  it('gives what a closed node left to the next node of its path, once, with the message itself', () => {
    const waits = start();
    const wait = waitFor('a');
    waits.register('tab/node', wait).release();
    waits.acquire('tab/other').should.be.empty();
    const [hold] = waits.acquire('tab/node');
    should(hold?.wait).equal(wait);
    waits.acquire('tab/node').should.be.empty();
  });

  it('does so without a journal, too', () => {
    const waits = new PendingWaits({ listen, warn: () => undefined });
    const hold = waits.register('tab/node', waitFor('a'));
    hold.isTooLarge.should.be.false();
    hold.release();
    waits.acquire('tab/node').length.should.equal(1);
  });

  it('leaves to nobody what its node has or has ended', () => {
    const waits = start();
    waits.register('tab/node', waitFor('a'));
    const ended = waits.register('tab/node', waitFor('b'));
    ended.end();
    waits.acquire('tab/node').should.be.empty();
  });

  it('gives it to the node of that path after a restart', () => {
    start().register('tab/node', { ...waitFor('a', { topic: 'kept' }), stage: { step: 2 } });
    const [hold] = start().acquire('tab/node');
    should(hold?.wait).deepEqual({ ...waitFor('a', { topic: 'kept' }), stage: { step: 2 }, isRestored: true });
  });

  it('gives the last that a node waited for with a message', () => {
    const hold = start().register('tab/node', waitFor('a'));
    hold.update(waitFor('b'));
    const taken = start().acquire('tab/node');
    taken.map(({ wait }) => wait.operationId).should.deepEqual(['b']);
  });

  it('gives what nobody took to the start after the next one', () => {
    start().register('tab/node', waitFor('a'));
    start();
    start().acquire('tab/node').length.should.equal(1);
  });

  it('marks a message that may have been sent before, and no other', () => {
    const waits = start();
    waits.register('tab/node', waitFor('a')).markSending();
    waits.register('tab/node', waitFor('b'));
    const taken = start().acquire('tab/node');
    taken.map(({ wait }) => Object(wait.msg.model).isRepeat).should.deepEqual([true, undefined]);
  });

  it('says in the message what a restart took from it', () => {
    start().register('tab/node', waitFor('a', { res: { end: () => undefined }, req: new Map() }));
    const [hold] = start().acquire('tab/node');
    const [warning] = Object(hold?.wait.msg.model).warnings;
    warning.code.should.equal('MESSAGE_INCOMPLETE');
    warning.message.should.match(/is missing: msg\.res, msg\.req$/);
  });

  it('says of a message that it is too large for a restart; a redeploy does not mind', () => {
    const waits = start();
    const hold = waits.register('tab/node', waitFor('a', { file: Buffer.alloc(1 << 20) }));
    hold.isTooLarge.should.be.true();
    hold.update(waitFor('b'));
    hold.isTooLarge.should.be.false();
    hold.update(waitFor('c', { file: Buffer.alloc(1 << 20) }));
    hold.release();
    start().acquire('tab/node').should.be.empty();
    waits.acquire('tab/node').length.should.equal(1);
  });

  it('drops what waits for a node that is not there, and says which operation that was', () => {
    const waits = start();
    waits.register('tab/gone', waitFor('a'));
    waits.register('tab/node', waitFor('b'));
    const next = start();
    next.claim('tab/node', () => undefined);
    tellStarted((path) => path === 'tab/gone');
    warnings.should.deepEqual(['the wait for operation a is dropped: the node that waited for it is gone']);
    next.acquire('tab/node').length.should.equal(1);
    start().acquire('tab/gone').should.be.empty();
  });

  it('keeps what waits for a node until another one has had the chance to come', () => {
    const waits = start();
    const unclaim = waits.claim('tab/node', () => undefined);
    waits.register('tab/node', waitFor('a')).release();
    unclaim();
    let told = 0;
    waits.claim('tab/node', () => (told += 1));
    tellStarted(() => true);
    told.should.equal(1);
    waits.acquire('tab/node').length.should.equal(1);
    warnings.should.be.empty();
  });

  it('keeps what waits for a node that is in the flows, though it is not there just now', () => {
    const waits = start();
    waits.register('tab/node', waitFor('a')).release();
    waits.claim('tab/other', () => undefined);
    tellStarted((path) => path === 'tab/gone');
    waits.acquire('tab/node').length.should.equal(1);
    warnings.should.be.empty();
  });

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
      journalOptions = {
        files: { ...FILE_FUNCTIONS, openSync },
        report: { warn: (message) => should.fail(message, ''), error: (message) => errors.push(message) },
        schedule: (run) => {
          runScheduled = run;
          return () => undefined;
        },
      };
    });

    it('drops none of its waits, and gives them to their nodes as soon as it can be read', () => {
      const waits = start();
      const taken: string[] = [];
      const take = () => taken.push(...waits.acquire('tab/node').map(({ wait }) => wait.operationId));
      waits.claim('tab/node', take);
      tellStarted(() => true);
      runScheduled();
      taken.should.be.empty();
      isFailing = false;
      runScheduled();
      taken.should.deepEqual(['old']);
      warnings.should.be.empty();
      errors.length.should.equal(1);
    });

    it('reads it again whenever all nodes are there', () => {
      const waits = start();
      waits.claim('tab/node', () => undefined);
      isFailing = false;
      tellStarted(() => true);
      waits.acquire('tab/node').length.should.equal(1);
      warnings.should.be.empty();
    });

    it('goes on where a message cannot be read any more that is to be written then', () => {
      const waits = start();
      const { msg } = waits.register('tab/node', waitFor('broken')).wait;
      Object.defineProperty(msg, 'broken', { enumerable: true, get: () => should.fail('read', '') });
      waits.register('tab/node', waitFor('new'));
      isFailing = false;
      runScheduled();
      journalOptions = {};
      const taken = start().acquire('tab/node');
      taken.map(({ wait }) => wait.operationId).should.deepEqual(['old', 'new']);
    });

    it('tells nodes of it only when all of their deploy are there', () => {
      const waits = start();
      let told = 0;
      waits.claim('tab/node', () => (told += 1));
      isFailing = false;
      runScheduled();
      told.should.equal(0);
      waits.acquire('tab/node').length.should.equal(1);
    });

    it('keeps new waits in memory until then, and those that last in the journal from then on', () => {
      const waits = start();
      waits.register('tab/node', waitFor('ended')).end();
      waits.register('tab/node', waitFor('new'));
      isFailing = false;
      runScheduled();
      journalOptions = {};
      const taken = start().acquire('tab/node');
      taken.map(({ wait }) => wait.operationId).should.deepEqual(['old', 'new']);
    });
  });

  it('keeps a wait that cannot be read just now, and gives it when it can', () => {
    start().register('tab/node', waitFor('a'));
    let isFailing = false;
    const readSync = (...parameters: unknown[]) => {
      if (isFailing) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      return Reflect.apply(FILE_FUNCTIONS.readSync, undefined, parameters);
    };
    const report = { warn: (message: string) => should.fail(message, ''), error: () => undefined };
    journalOptions = { files: { ...FILE_FUNCTIONS, readSync }, report };
    const waits = start();
    waits.claim('tab/other', () => undefined);
    isFailing = true;
    waits.acquire('tab/node').should.be.empty();
    tellStarted(() => true);
    isFailing = false;
    waits.acquire('tab/node').length.should.equal(1);
    warnings.should.be.empty();
  });

  it('says in the journal that all is recorded when the last node has closed', () => {
    const waits = start();
    const unclaim = waits.claim('tab/node', () => undefined);
    const hold = waits.register('tab/node', waitFor('a'));
    const sent = waits.register('tab/node', waitFor('b'));
    unclaim();
    readFileSync(file, 'utf8').should.startWith('{"shut"');
    // Node-RED hands a message over after its node has closed.
    sent.end();
    readFileSync(file, 'utf8').should.startWith('{"shut"');
    waits.claim('tab/node', () => undefined);
    hold.markSending();
    readFileSync(file, 'utf8').should.startWith('{"boot"');
  });

  it('writes no more of the service than the id of its node', () => {
    start().register('tab/node', waitFor('a'));
    const line = readFileSync(file, 'utf8').split('\n')[1] ?? '';
    Object.keys(JSON.parse(line)).should.deepEqual([
      'wait',
      'node',
      'operation',
      'operationId',
      'filename',
      'startedAt',
      'deadline',
      'service',
      'message',
      'missing',
      'crc',
    ]);
  });
});
