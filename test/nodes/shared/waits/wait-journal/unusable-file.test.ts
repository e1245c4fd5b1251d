import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import 'should';
import should from 'should';
import { FILE_FUNCTIONS, type FileFunctions } from '../../../../../nodes/shared/waits/file-functions.js';
import { registerJournalBench } from '../support/journal-bench.js';

/** Returns file functions of which those in `names` fail with this code. */
function failing(code: string, ...names: (keyof FileFunctions)[]): FileFunctions {
  const refuse = () => {
    throw Object.assign(new Error(`${code}: refused`), { code });
  };
  return { ...FILE_FUNCTIONS, ...Object.fromEntries(names.map((name) => [name, refuse])) };
}

describe('WaitJournal', () => {
  const { folder, file, warnings, errors, open, runScheduled } = registerJournalBench();

  it('reports once that it cannot be written, and continues when it can', () => {
    const home = path.join(folder, 'missing');
    const missing = path.join(home, 'waits.jsonl');
    const journal = open({}, missing);
    for (const key of ['a', 'b']) journal.write(key, {}).should.equal('failed');
    journal.markSending('a');
    journal.remove('a');
    errors.length.should.equal(1);
    should(errors[0]).match(
      /^Could not append to the journal of pending waits .*waits\.jsonl: ENOENT.*\. Create the user directory\. Until then, /,
    );
    mkdirSync(home);
    journal.write('c', {}).should.equal('written');
    open({}, missing).keys().should.deepEqual(['c']);
  });

  it('keeps the earlier entry of a key if a new one cannot be written', () => {
    open().write('a', { stage: 1 });
    const journal = open({ files: failing('ENOSPC', 'writeSync') });
    journal.write('a', { stage: 2 }).should.equal('failed');
    should(open().read('a')?.entry.stage).equal(1);
  });

  it('overwrites a line that could neither be written nor removed at once', () => {
    let failures = 2;
    const fail = (): never => {
      failures -= 1;
      throw Object.assign(new Error('EIO: refused'), { code: 'EIO' });
    };
    const journal = open({
      files: {
        ...FILE_FUNCTIONS,
        writeSync: (...parameters: unknown[]) => {
          const [, bytes] = parameters;
          const count = Reflect.apply(FILE_FUNCTIONS.writeSync, undefined, parameters);
          return failures > 1 && Buffer.isBuffer(bytes) && bytes.length > 1000 ? fail() : count;
        },
        ftruncateSync: (...parameters) => (failures > 0 ? fail() : FILE_FUNCTIONS.ftruncateSync(...parameters)),
      },
    });
    journal.write('first', {});
    journal.write('long', { text: 'x'.repeat(2000) }).should.equal('failed');
    journal.write('short', {}).should.equal('written');
    open().keys().should.deepEqual(['first', 'short']);
    errors.length.should.equal(1);
    warnings.should.be.empty();
  });

  it('calls the callback after each retry', () => {
    let isFull = true;
    const writeSync: FileFunctions['writeSync'] = (...parameters: unknown[]) => {
      if (isFull) throw Object.assign(new Error('ENOSPC: refused'), { code: 'ENOSPC' });
      return Reflect.apply(FILE_FUNCTIONS.writeSync, undefined, parameters);
    };
    const journal = open({ files: { ...FILE_FUNCTIONS, writeSync } });
    journal.write('a', {}).should.equal('failed');
    journal.onRetry(() => journal.write('a', {}));
    runScheduled();
    open().keys().should.be.empty();
    isFull = false;
    runScheduled();
    open().keys().should.deepEqual(['a']);
    errors.length.should.equal(1);
  });

  for (const code of ['EMFILE', 'EIO', 'EACCES'])
    it(`leaves a file that cannot be read (${code}) unchanged, reports it once, and reads it when it can`, () => {
      const first = open();
      for (const key of ['a', 'b']) first.write(key, {});
      const bytes = readFileSync(file);
      let isFailing = true;
      const files = failing(code, 'openSync');
      const openSync: FileFunctions['openSync'] = (...parameters) =>
        (isFailing ? files : FILE_FUNCTIONS).openSync(...parameters);
      const journal = open({ files: { ...FILE_FUNCTIONS, openSync } });
      let calls = 0;
      journal.onRetry(() => (calls += 1));
      journal.write('new', {}).should.equal('failed');
      journal.remove('new');
      runScheduled();
      journal.keys().should.be.empty();
      readFileSync(file).should.deepEqual(bytes);
      errors.length.should.equal(1);
      should(errors[0]).startWith(`Could not read the journal of pending waits ${file}: ${code}: refused. `);
      should(errors[0]).endWith('Its waits are kept, and continue once it can be read.');
      calls.should.equal(0);
      isFailing = false;
      runScheduled();
      calls.should.equal(1);
      journal.keys().should.deepEqual(['a', 'b']);
      journal.write('new', {}).should.equal('written');
      open().keys().should.deepEqual(['a', 'b', 'new']);
    });

  it('does not retry once it is closed', async () => {
    const journal = open({ files: failing('EIO', 'openSync') });
    let calls = 0;
    journal.onRetry(() => (calls += 1));
    await journal.close();
    runScheduled();
    journal.retry();
    calls.should.equal(0);
  });

  it('reports once that its path is a folder', () => {
    mkdirSync(file);
    open().keys().should.be.empty();
    errors.length.should.equal(1);
  });

  describe('in a file that can be read but not written', () => {
    const readOnly: FileFunctions = {
      ...FILE_FUNCTIONS,
      openSync: (name, flags, mode) => {
        if (flags !== 0 && String(name).startsWith(file))
          throw Object.assign(new Error('EROFS: refused'), { code: 'EROFS' });
        return FILE_FUNCTIONS.openSync(name, flags, mode);
      },
    };

    beforeEach(() => {
      const journal = open();
      for (const key of ['a', 'b']) journal.write(key, {});
    });

    it('returns its entries, and as possibly sent after a send that it could not record', () => {
      const bytes = readFileSync(file);
      const journal = open({ files: readOnly });
      journal.keys().should.deepEqual(['a', 'b']);
      should(journal.read('a')?.isSending).be.false();
      journal.markSending('a');
      journal.remove('a');
      readFileSync(file).should.deepEqual(bytes);
      errors.length.should.equal(1);
      should(errors[0]).match(/^Could not update .* EROFS.* marked with isRepeat\.$/);
      for (const next of [open({ files: readOnly }), open(), open()]) should(next.read('a')?.isSending).be.true();
      readdirSync(path.join(folder, 'temporary')).should.be.empty();
    });

    it('returns its entries as possibly sent if no marker can be created', () => {
      rmSync(path.join(folder, 'temporary'), { recursive: true });
      should(open({ files: readOnly }).read('a')?.isSending).be.true();
    });

    it('creates no marker if nothing is sent', () => {
      open({ files: readOnly });
      should(open().read('a')?.isSending).be.false();
    });

    it('records a send as soon as it can', () => {
      let isReadOnly = true;
      const openSync: FileFunctions['openSync'] = (...parameters) =>
        (isReadOnly ? readOnly : FILE_FUNCTIONS).openSync(...parameters);
      const journal = open({ files: { ...FILE_FUNCTIONS, openSync } });
      journal.markSending('a');
      isReadOnly = false;
      runScheduled();
      const next = open();
      should(next.read('a')?.isSending).be.true();
      should(next.read('b')?.isSending).be.false();
    });
  });
});
