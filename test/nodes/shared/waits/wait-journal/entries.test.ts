import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import 'should';
import should from 'should';
import { MAX_ENTRY_BYTES } from '../../../../../nodes/shared/waits/wait-journal.js';
import { registerJournalBench } from '../support/journal-bench.js';

describe('WaitJournal', () => {
  const { file, warnings, open } = registerJournalBench();

  it('creates no file before the first write', () => {
    open();
    existsSync(file).should.be.false();
  });

  it('contains the entries that were written and not removed when it is opened again without a close', () => {
    const journal = open();
    for (const key of ['a', 'b', 'c']) journal.write(key, { n: key });
    journal.markSending('b');
    journal.remove('a');
    const again = open();
    again.keys().should.deepEqual(['b', 'c']);
    should(again.read('b')).deepEqual({ entry: { n: 'b' }, isSending: true });
    should(again.read('c')).deepEqual({ entry: { n: 'c' }, isSending: false });
    // The second open has compacted the file.
    should(open().read('b')?.isSending).be.true();
    warnings.should.be.empty();
  });

  it('returns the last entry that was written under a key', () => {
    const journal = open();
    journal.write('a', { stage: 1 });
    journal.write('b', { stage: 1 });
    journal.markSending('a');
    journal.write('a', { stage: 2 });
    should(journal.read('a')).deepEqual({ entry: { stage: 2 }, isSending: false });
    should(open().read('a')).deepEqual({ entry: { stage: 2 }, isSending: false });
  });

  it('reads files without checksums, as earlier versions wrote them', () => {
    const lines = ['{"wait":"a","n":1}', '{"wait":"b","n":2}', '{"wait":"c"}', '{"sending":"b"}', '{"done":"c"}'];
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    for (const journal of [open(), open()]) {
      journal.keys().should.deepEqual(['a', 'b']);
      should(journal.read('a')).deepEqual({ entry: { n: 1 }, isSending: false });
      should(journal.read('b')).deepEqual({ entry: { n: 2 }, isSending: true });
    }
    warnings.should.be.empty();
    readFileSync(file, 'utf8').should.not.containEql('sending');
  });

  it('is empty when all entries were removed', () => {
    const journal = open();
    for (const key of ['a', 'b']) journal.write(key, {});
    for (const key of ['a', 'b']) journal.remove(key);
    statSync(file).size.should.equal(0);
  });

  it('is readable by its owner only', () => {
    open().write('a', {});
    (statSync(file).mode & 0o777).should.equal(0o600);
  });

  it('stays below 20 MiB while 100 MB of entries are written and removed', () => {
    const journal = open();
    journal.write('stays', { text: 'here' });
    const text = 'x'.repeat(500_000);
    for (let i = 0; i < 200; i += 1) {
      journal.write(`passing ${i}`, { text });
      if (i > 0) journal.remove(`passing ${i - 1}`);
    }
    statSync(file).size.should.be.below(20 << 20);
    should(journal.read('stays')?.entry.text).equal('here');
    should(journal.read('passing 199')?.entry.text).equal(text);
    open().keys().should.deepEqual(['stays', 'passing 199']);
  });

  it('rejects an entry that is too large, and removes the earlier entry of its key', () => {
    const journal = open();
    journal.write('a', { n: 1 }).should.equal('written');
    journal.write('a', { text: 'x'.repeat(MAX_ENTRY_BYTES) }).should.equal('too large');
    open().keys().should.be.empty();
  });

  it('rejects entries beyond 64 MiB in total', () => {
    const journal = open();
    const text = 'x'.repeat(1_000_000);
    let count = 0;
    while (count < 100 && journal.write(`key ${count}`, { text }) === 'written') count += 1;
    count.should.be.within(60, 67);
  });
});
