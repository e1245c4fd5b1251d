import { closeSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { FILE_FUNCTIONS, type FileFunctions } from '../../../../nodes/shared/waits/file-functions.js';
import { WaitJournal } from '../../../../nodes/shared/waits/wait-journal.js';

/** How a call goes wrong. `half`: a write has put half of its bytes there. */
interface Fault {
  code: string;
  isHalf: boolean;
}

/** What is known of a life, to be compared with what the next one finds. */
interface Story {
  promised: Set<string>;
  ended: Set<string>;
  sent: Set<string>;
}

/** With damaged lines, so that it is written anew at once, and with entries of an earlier life. */
const EARLIER =
  '{"wait":"old live","n":1}\nnonsense\n{"wait":"old sent","n":2}\n{"wait":"through"}\n{"done":"through"}\n';

describe('WaitJournal, where a call of the system fails', function () {
  this.timeout(120_000);
  let folder: string;
  let file: string;
  let temporary: string;
  const openFiles = new Set<number>();

  /** Opens the journal; `step` is called before each call of the system, and tells whether and how it fails. */
  const open = (step: (name: string, target: unknown) => Fault | undefined): [WaitJournal, () => void] => {
    let run: () => void = () => undefined;
    const schedule = (scheduled: () => void): (() => void) => {
      run = scheduled;
      return () => (run = () => undefined);
    };
    const report = { warn: () => undefined, error: () => undefined };
    const options = { report, schedule, tempDir: temporary, boot: 'this', files: failingFiles(step, openFiles) };
    return [new WaitJournal(file, options), () => run()];
  };

  /** All that a journal is there for. Stops where the process is killed. */
  const live = (step: (name: string, target: unknown) => Fault | undefined, isKilled: () => boolean): Story => {
    const story: Story = { promised: new Set(['old live', 'old sent']), ended: new Set(), sent: new Set() };
    const [journal, runScheduled] = open(step);
    const put = (key: string, n: number): void => {
      if (journal.write(key, { n, text: 'x'.repeat(100) }) === 'written' && !isKilled()) story.promised.add(key);
    };
    // One of an earlier life is not known as long as the file cannot be read.
    const isKnown = (key: string): boolean => !key.startsWith('old') || journal.keys().includes(key);
    const send = (key: string): void => {
      if (!isKnown(key)) return;
      journal.markSending(key);
      if (!isKilled()) story.sent.add(key);
    };
    const end = (key: string): void => {
      if (!isKnown(key)) return;
      story.ended.add(key);
      journal.remove(key);
    };
    const steps = [
      () => put('a', 1),
      () => put('b', 1),
      () => send('old sent'),
      () => end('old sent'),
      () => put('c', 1),
      () => put('b', 2),
      () => send('a'),
      () => runScheduled(),
      () => end('a'),
      () => send('b'),
      () => end('c'),
      () => put('d', 1),
      () => runScheduled(),
      () => journal.endSession(),
    ];
    for (const act of steps) if (!isKilled()) act();
    return story;
  };

  /** Opens the journal with a disk that is well again, twice, and compares. */
  const check = ({ promised, ended, sent }: Story, what: string): void => {
    for (const life of ['first', 'second']) {
      const [journal] = open(() => undefined);
      const texts = [file, path.join(folder, 'waits.damaged.jsonl')]
        .filter(existsSync)
        .map((each) => readFileSync(each));
      should(Buffer.concat(texts).includes('nonsense')).equal(true, `${what}, ${life} life: a damaged line is lost`);
      const keys = journal.keys();
      for (const key of promised)
        should(ended.has(key) || keys.includes(key)).equal(true, `${what}, ${life} life: ${key} is lost`);
      for (const key of sent)
        if (keys.includes(key))
          should(journal.read(key)?.isSending).equal(true, `${what}, ${life} life: ${key} comes again without a mark`);
    }
  };

  const reset = (): void => {
    for (const each of openFiles) closeSync(each);
    openFiles.clear();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(temporary, { recursive: true });
    writeFileSync(file, EARLIER);
  };

  /** Runs a life for each of its calls, with `faultAt` of the number of a call and of the one that is looked at. */
  const forEachCall = (
    faultAt: (call: number, k: number, target: unknown) => Fault | undefined,
    isKilledAt: (call: number, k: number) => boolean = () => false,
  ): number => {
    for (let k = 1; ; k += 1) {
      reset();
      let call = 0;
      let names: string[] = [];
      const story = live(
        (name, target) => {
          call += 1;
          names = [...names, name];
          return faultAt(call, k, target);
        },
        () => isKilledAt(call, k),
      );
      check(story, `call ${k} (${names[k - 1]})`);
      if (call < k) return k - 1;
    }
  };

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'journal-faults-'));
    file = path.join(folder, 'waits.jsonl');
    temporary = path.join(folder, 'temporary');
  });
  afterEach(() => {
    reset();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const code of ['ENOSPC', 'EIO', 'EROFS', 'EMFILE', 'half of a write']) {
    const fault = { code: code.length > 6 ? 'ENOSPC' : code, isHalf: code.length > 6 };
    const isOutside = (target: unknown) => typeof target === 'string' && target.startsWith(temporary);

    it(`loses no wait and sends none again without a mark where any one call fails with ${code}`, () => {
      forEachCall((call, k) => (call === k ? fault : undefined)).should.be.above(40);
    });

    it(`does neither where from any call on all fail with ${code}, but those of the temporary folder`, () => {
      forEachCall((call, k, target) => (call >= k && !isOutside(target) ? fault : undefined)).should.be.above(40);
    });
  }

  for (const isHalf of [false, true])
    it(`does neither where it is killed ${isHalf ? 'in the middle of' : 'before'} any call, nor leaves a damaged line`, () => {
      const fault = (call: number, k: number): Fault | undefined =>
        call >= k ? { code: 'EIO', isHalf: isHalf && call === k } : undefined;
      const isKilledAt = (call: number, k: number): boolean => call >= k;
      forEachCall(fault, isKilledAt).should.be.above(40);
      const kept = path.join(folder, 'waits.damaged.jsonl');
      if (existsSync(kept))
        for (const line of readFileSync(kept, 'utf8').trim().split('\n')) line.should.equal('nonsense');
    });
});

/**
 * The functions of the system, of which those fail that `step` says. It gets the path of what is opened, or of what an open file is of.
 * Nothing is synced: no test can cut the machine off.
 */
function failingFiles(
  step: (name: string, target: unknown) => Fault | undefined,
  openFiles: Set<number>,
): FileFunctions {
  const paths = new Map<unknown, unknown>();
  const run = (name: string, real: (...parameters: unknown[]) => unknown, parameters: unknown[]): unknown => {
    const [target, bytes] = parameters;
    const fault = step(name, paths.get(target) ?? target);
    if (fault?.isHalf && name === 'writeSync' && Buffer.isBuffer(bytes)) writeHalf(parameters, bytes);
    if (fault) throw Object.assign(new Error(`${fault.code}: refused`), { code: fault.code });
    const result = name === 'fdatasync' ? undefined : real(...parameters);
    if (name === 'openSync') openFiles.add(Number(result));
    if (name === 'openSync') paths.set(result, target);
    if (name === 'closeSync') openFiles.delete(Number(target));
    return result;
  };
  const entries = Object.entries(FILE_FUNCTIONS).map(([name, real]) => {
    const call = (...parameters: unknown[]): unknown =>
      run(name, (...all) => Reflect.apply(real, undefined, all), parameters);
    const callBack = (file: unknown, callback: (error?: unknown) => void): void => {
      try {
        call(file);
        callback();
      } catch (error) {
        callback(error);
      }
    };
    return [name, name === 'fdatasync' ? callBack : call];
  });
  return Object.fromEntries(entries);
}

function writeHalf([file, , offset, length, position]: unknown[], bytes: Buffer): void {
  writeSync(Number(file), bytes, Number(offset), Math.floor(Number(length) / 2), Number(position));
}
