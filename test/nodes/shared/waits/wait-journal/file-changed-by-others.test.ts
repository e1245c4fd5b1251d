import { appendFileSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import 'should';
import should from 'should';
import { FILE_FUNCTIONS } from '../../../../../nodes/shared/waits/file-functions.js';
import { registerJournalBench } from '../support/journal-bench.js';

describe('WaitJournal', () => {
  const { file, errors, open } = registerJournalBench();

  it('continues in a file that replaced its own, and reports it once', () => {
    const journal = open();
    journal.write('a', { n: 1 });
    renameSync(file, `${file}.old`);
    journal.write('b', {});
    writeFileSync(`${file}.other`, '{"wait":"other"}\n');
    renameSync(`${file}.other`, file);
    journal.markSending('b');
    open().keys().should.deepEqual(['other', 'a', 'b']);
    errors.length.should.equal(1);
    should(errors[0]).startWith(`Another process has changed the journal of pending waits ${file}.`);
  });

  it('stops following a file that is reported with changing inodes', () => {
    let inode = 0;
    const statSync = (...parameters: unknown[]) => {
      const status = Reflect.apply(FILE_FUNCTIONS.statSync, undefined, parameters);
      if (status && !String(parameters[0]).endsWith('.unrecorded')) status.ino = inode += 1;
      return status;
    };
    const journal = open({ files: { ...FILE_FUNCTIONS, statSync: Object.assign(statSync, FILE_FUNCTIONS.statSync) } });
    for (const key of ['a', 'b', 'c', 'd']) journal.write(key, {});
    readFileSync(file, 'utf8').split('"wait":').length.should.be.below(7);
    open().keys().should.deepEqual(['a', 'b', 'c', 'd']);
  });

  it('continues after a line that another process appended', () => {
    const journal = open();
    journal.write('a', {});
    appendFileSync(file, '{"wait":"other"}\n');
    journal.write('b', {});
    open().keys().should.deepEqual(['a', 'b']);
    errors.length.should.equal(1);
  });

  it('reports an entry that was truncated after it was read, and keeps its key', () => {
    const journal = open();
    journal.write('a', { text: 'here' });
    truncateSync(file, statSync(file).size - 3);
    should(journal.read('a')).be.undefined();
    journal.keys().should.deepEqual(['a']);
    errors.length.should.equal(1);
  });
});
