import 'should';
import should from 'should';
import { FILE_FUNCTIONS, type FileFunctions } from '../../../../../nodes/shared/waits/file-functions.js';
import { registerJournalBench } from '../support/journal-bench.js';

/** Returns file functions whose background sync fails with this code. */
function withSync(code: string): FileFunctions {
  const fdatasync = (_file: number, callback: (error: Error) => void): void =>
    callback(Object.assign(new Error(`${code}: refused`), { code }));
  return { ...FILE_FUNCTIONS, fdatasync: Object.assign(fdatasync, { __promisify__: () => Promise.reject() }) };
}

describe('WaitJournal', () => {
  const { errors, open, runScheduled } = registerJournalBench();

  it('returns all entries as possibly sent after a power failure', () => {
    const journal = open({ boot: 'earlier' });
    for (const key of ['a', 'b']) journal.write(key, {});
    should(open().read('a')?.isSending).be.true();
  });

  it('returns no entry as possibly sent if the session ended before the boot, or another one runs in this boot', () => {
    const journal = open({ boot: 'earlier' });
    for (const key of ['a', 'b']) journal.write(key, {});
    journal.endSession();
    should(open().read('a')?.isSending).be.false();
    open().write('c', {});
    should(open().read('c')?.isSending).be.false();
  });

  it('returns all entries as possibly sent if it was written to after the end of its session', () => {
    const journal = open({ boot: 'earlier' });
    for (const key of ['a', 'b']) journal.write(key, {});
    journal.endSession();
    journal.remove('b');
    should(open().read('a')?.isSending).be.true();
  });

  it('returns all entries as possibly sent after a failed sync', () => {
    open({ files: withSync('EIO') }).write('a', {});
    errors.length.should.equal(1);
    should(open().read('a')?.isSending).be.true();
  });

  it('returns no entry as possibly sent after the compaction that follows a failed sync', () => {
    open({ files: withSync('EIO') }).write('a', {});
    runScheduled();
    should(open().read('a')?.isSending).be.false();
  });

  it('ignores a file system without sync', () => {
    open({ files: withSync('EINVAL') }).write('a', {});
    errors.should.be.empty();
  });
});
