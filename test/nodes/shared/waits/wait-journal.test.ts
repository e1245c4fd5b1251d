import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import type { Scheduler } from '../../../../nodes/shared/delay.js';
import { FILE_FUNCTIONS, type FileFunctions } from '../../../../nodes/shared/waits/file-functions.js';
import { MAX_ENTRY_BYTES, WaitJournal, type WaitJournalOptions } from '../../../../nodes/shared/waits/wait-journal.js';

/** Returns file functions of which those in `names` fail with this code. */
function failing(code: string, ...names: (keyof FileFunctions)[]): FileFunctions {
  const refuse = () => {
    throw Object.assign(new Error(`${code}: refused`), { code });
  };
  return { ...FILE_FUNCTIONS, ...Object.fromEntries(names.map((name) => [name, refuse])) };
}

/** Returns file functions whose background sync fails with this code. */
function withSync(code: string): FileFunctions {
  const fdatasync = (_file: number, callback: (error: Error) => void): void =>
    callback(Object.assign(new Error(`${code}: refused`), { code }));
  return { ...FILE_FUNCTIONS, fdatasync: Object.assign(fdatasync, { __promisify__: () => Promise.reject() }) };
}

describe('WaitJournal', () => {
  let folder: string;
  let file: string;
  let warnings: string[];
  let errors: string[];
  let opened: WaitJournal[];
  /** Runs the scheduled retry, as if its time had come. */
  let runScheduled: () => void;

  const open = (more: Partial<WaitJournalOptions> = {}): WaitJournal => {
    const report = {
      warn: (message: string) => void warnings.push(message),
      error: (message: string) => void errors.push(message),
    };
    const schedule: Scheduler = (run) => {
      runScheduled = run;
      return () => (runScheduled = () => undefined);
    };
    const tempDir = path.join(folder, 'temporary');
    const journal = new WaitJournal(file, { report, schedule, tempDir, boot: 'this', ...more });
    opened.push(journal);
    return journal;
  };

  const damaged = (): string => path.join(folder, 'waits.damaged.jsonl');

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'journal-'));
    file = path.join(folder, 'waits.jsonl');
    mkdirSync(path.join(folder, 'temporary'));
    warnings = [];
    errors = [];
    opened = [];
    runScheduled = () => undefined;
  });
  afterEach(async () => {
    for (const journal of opened) await journal.close();
    rmSync(folder, { recursive: true });
  });

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
      warnings = [];
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

  it('reports once that it cannot be written, and continues when it can', () => {
    const home = path.join(folder, 'missing');
    file = path.join(home, 'waits.jsonl');
    const journal = open();
    for (const key of ['a', 'b']) journal.write(key, {}).should.equal('failed');
    journal.markSending('a');
    journal.remove('a');
    errors.length.should.equal(1);
    should(errors[0]).match(
      /^Could not append to the journal of pending waits .*waits\.jsonl: ENOENT.*\. Create the user directory\. Until then, /,
    );
    mkdirSync(home);
    journal.write('c', {}).should.equal('written');
    open().keys().should.deepEqual(['c']);
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
