import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import { MAX_ENTRY_BYTES, WaitJournal } from '../../../nodes/shared/wait-journal.js';

describe('WaitJournal', () => {
  let folder: string;
  let file: string;
  let warnings: string[];
  let opened: WaitJournal[];

  const open = (): WaitJournal => {
    const journal = new WaitJournal(file, (message) => warnings.push(message));
    opened.push(journal);
    return journal;
  };

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'journal-'));
    file = path.join(folder, 'waits.jsonl');
    warnings = [];
    opened = [];
  });
  afterEach(async () => {
    for (const journal of opened) await journal.close();
    rmSync(folder, { recursive: true });
  });

  it('makes no file before there is something to write', () => {
    open();
    existsSync(file).should.be.false();
  });

  it('has what was put and not removed when it is opened again, without having been closed', () => {
    const journal = open();
    for (const key of ['a', 'b', 'c']) journal.put(key, { n: key });
    journal.markSending('b');
    journal.remove('a');
    const again = open();
    again.keys().should.deepEqual(['b', 'c']);
    should(again.read('b')).deepEqual({ entry: { wait: 'b', n: 'b' }, isSending: true });
    should(again.read('c')).deepEqual({ entry: { wait: 'c', n: 'c' }, isSending: false });
    // Also after the second start, for which the first one wrote it anew.
    should(open().read('b')?.isSending).be.true();
    warnings.should.be.empty();
  });

  it('gives the last that was put under a key', () => {
    const journal = open();
    journal.put('a', { stage: 1 });
    journal.put('b', { stage: 1 });
    journal.markSending('a');
    journal.put('a', { stage: 2 });
    should(journal.read('a')).deepEqual({ entry: { wait: 'a', stage: 2 }, isSending: false });
    should(open().read('a')).deepEqual({ entry: { wait: 'a', stage: 2 }, isSending: false });
  });

  it('leaves out a line that was cut at any place, and keeps those before and after it', () => {
    const journal = open();
    journal.put('first', {});
    const whole = statSync(file).size;
    journal.put('cut', { text: 'äöü' });
    const bytes = readFileSync(file);
    for (let size = bytes.length - 1; size > whole; size -= 1) {
      writeFileSync(file, bytes.subarray(0, size));
      const again = open();
      again.keys().should.deepEqual(['first']);
      again.put('after', { n: size });
      const next = open();
      next.keys().should.deepEqual(['first', 'after']);
      should(next.read('after')?.entry.n).equal(size);
    }
  });

  it('lets pass what is no line of its own', () => {
    appendFileSync(file, 'nonsense\n[]\nnull\n{"wait":7}\n{"wait":"a","n":1}\n{"sending":"unknown"}\n{"done":{}}\n');
    open().keys().should.deepEqual(['a']);
  });

  it('is empty when nothing waits', () => {
    const journal = open();
    for (const key of ['a', 'b']) journal.put(key, {});
    for (const key of ['a', 'b']) journal.remove(key);
    statSync(file).size.should.equal(0);
  });

  it('may be read by nobody else', () => {
    open().put('a', {});
    (statSync(file).mode & 0o777).should.equal(0o600);
  });

  it('does not grow with what is through, however much that is', () => {
    const journal = open();
    journal.put('stays', { text: 'here' });
    const text = 'x'.repeat(500_000);
    for (let i = 0; i < 200; i += 1) {
      journal.put(`passing ${i}`, { text });
      if (i > 0) journal.remove(`passing ${i - 1}`);
    }
    statSync(file).size.should.be.below(20 << 20);
    should(journal.read('stays')?.entry.text).equal('here');
    should(journal.read('passing 199')?.entry.text).equal(text);
    open().keys().should.deepEqual(['stays', 'passing 199']);
  });

  it('takes no entry that is too large, and forgets the one that it would replace', () => {
    const journal = open();
    journal.put('a', { n: 1 }).should.be.true();
    journal.put('a', { text: 'x'.repeat(MAX_ENTRY_BYTES) }).should.be.false();
    open().keys().should.be.empty();
  });

  it('takes no more than 64 MiB together', () => {
    const journal = open();
    const text = 'x'.repeat(1_000_000);
    let taken = 0;
    while (taken < 100 && journal.put(`key ${taken}`, { text })) taken += 1;
    taken.should.be.within(60, 67);
  });

  it('says once that it cannot write, and goes on when it can', () => {
    file = path.join(folder, 'missing', 'waits.jsonl');
    const journal = open();
    for (const key of ['a', 'b']) journal.put(key, {}).should.be.true();
    journal.markSending('a');
    journal.remove('a');
    warnings.length.should.equal(1);
    should(warnings[0]).match(/^waits cannot be kept for a restart in .*waits\.jsonl: ENOENT/);
    mkdirSync(path.dirname(file));
    journal.put('c', {});
    open().keys().should.deepEqual(['c']);
  });

  it('says that it cannot read, and leaves the file as it is', () => {
    mkdirSync(file);
    open().keys().should.be.empty();
    warnings.length.should.equal(1);
  });
});
