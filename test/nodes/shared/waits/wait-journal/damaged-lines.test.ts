import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import 'should';
import should from 'should';
import { registerJournalBench } from '../support/journal-bench.js';

describe('WaitJournal', () => {
  const { file, warnings, open, damaged, runScheduled } = registerJournalBench();

  it('discards without a warning a line that was being written when the process was killed', () => {
    const journal = open();
    journal.write('first', {});
    const whole = statSync(file).size;
    journal.write('cut', { text: 'äöü' });
    // A kill may truncate a long line while it is written. Its state is `open` until the end of the write.
    const bytes = readFileSync(file);
    bytes.write('open', whole + 2);
    for (let size = whole + 9; size < bytes.length; size += 1) {
      writeFileSync(file, bytes.subarray(0, size));
      const again = open();
      again.keys().should.deepEqual(['first']);
      again.write('after', { n: size });
      open().keys().should.deepEqual(['first', 'after']);
    }
    warnings.should.be.empty();
    existsSync(damaged()).should.be.false();
  });

  it('treats a line that was being written as damaged after a power failure', () => {
    const journal = open({ boot: 'earlier' });
    journal.write('first', {});
    journal.write('cut', { text: 'here' });
    const bytes = readFileSync(file);
    bytes.write('open', bytes.lastIndexOf('{"wait"') + 2);
    writeFileSync(file, bytes.subarray(0, -5));
    open().keys().should.deepEqual(['first']);
    warnings.length.should.equal(1);
    readFileSync(damaged(), 'utf8').should.startWith('{"open":"cut","text":"here"');
  });

  it('saves a line truncated at any byte to the file of damaged lines, and keeps the other lines', () => {
    const journal = open();
    journal.write('first', {});
    const whole = statSync(file).size;
    journal.write('cut', { text: 'äöü' });
    const bytes = readFileSync(file);
    for (let size = bytes.length - 1; size > whole; size -= 1) {
      writeFileSync(file, bytes.subarray(0, size));
      const again = open();
      again.keys().should.deepEqual(['first']);
      again.write('after', { n: size });
      const next = open();
      next.keys().should.deepEqual(['first', 'after']);
      should(next.read('after')?.entry.n).equal(size);
      readFileSync(damaged()).should.deepEqual(Buffer.concat([bytes.subarray(whole, size), Buffer.from('\n')]));
      rmSync(damaged());
    }
    warnings.length.should.equal(bytes.length - 1 - whole);
  });

  it('reports every lost entry and keeps every sent mark, whichever bit of the file flips', () => {
    const journal = open();
    journal.write('sent', { n: 1 });
    journal.write('live', { n: 2 });
    journal.write('done', { n: 3 });
    journal.markSending('sent');
    journal.markSending('done');
    journal.remove('done');
    const bytes = readFileSync(file);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(file, flipped);
      rmSync(damaged(), { force: true });
      warnings.length = 0;
      const again = open();
      const saved = existsSync(damaged()) ? readFileSync(damaged(), 'utf8') : '';
      for (const [key, n] of [
        ['sent', 1],
        ['live', 2],
      ] as const) {
        const read = again.read(key);
        if (read) should(read.entry.n).equal(n, `bit ${bit}`);
        else saved.should.not.equal('', `bit ${bit}`);
      }
      for (const key of ['sent', 'done']) should(again.read(key)?.isSending ?? true).be.true(`bit ${bit}: ${key}`);
      warnings.length.should.equal(saved === '' ? 0 : 1);
    }
  });

  it('counts damaged lines in one warning, and saves them to another file before it is compacted', () => {
    const lines = [
      'nonsense',
      '[]',
      'null',
      '{"wait":7}',
      '{"wait":"a","n":1}',
      '{"sending":"unknown"}',
      '{"done":{}}',
    ];
    appendFileSync(file, lines.map((line) => `${line}\n`).join(''));
    open().keys().should.deepEqual(['a']);
    warnings.should.deepEqual([`5 damaged lines in the journal of pending waits ${file}, saved to ${damaged()}`]);
    readFileSync(damaged(), 'utf8').should.equal('nonsense\n[]\nnull\n{"wait":7}\n{"done":{}}\n');
    open().keys().should.deepEqual(['a']);
    warnings.length.should.equal(1);
  });

  it('appends damaged lines to those saved earlier', () => {
    for (const line of ['one', 'two']) {
      writeFileSync(file, `${line}\n`);
      open();
    }
    readFileSync(damaged(), 'utf8').should.equal('one\ntwo\n');
  });

  it('is not compacted as long as damaged lines cannot be saved', () => {
    mkdirSync(damaged());
    const text = 'nonsense\n{"wait":"a","n":1}\n';
    writeFileSync(file, text);
    const journal = open();
    journal.remove('a');
    readFileSync(file, 'utf8').should.startWith('nonsense\n{"done":"a","n":1}\n');
    rmSync(damaged(), { recursive: true });
    runScheduled();
    open().keys().should.be.empty();
    readFileSync(damaged(), 'utf8').should.equal('nonsense\n');
  });

  it('treats a line with an invalid entry as damaged', () => {
    open().write('a', { n: 'not a number' });
    open({ isEntry: ({ n }) => typeof n === 'number' })
      .keys()
      .should.be.empty();
    warnings.length.should.equal(1);
    readFileSync(damaged(), 'utf8').should.startWith('{"wait":"a"');
  });
});
