import { closeSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { FILE_FUNCTIONS, type FileFunctions } from '../../../../../nodes/shared/waits/file-functions.js';
import { WaitJournal } from '../../../../../nodes/shared/waits/wait-journal.js';

/** How a call fails. `isHalf`: a write has written half of its bytes before. */
interface Fault {
  code: string;
  isHalf: boolean;
}

/** The events of a run, to be compared with the journal that the next run reads. */
interface RunLog {
  promised: Set<string>;
  ended: Set<string>;
  sent: Set<string>;
}

/** Contains damaged lines, so that the journal is compacted at once, and entries of an earlier process. */
const EARLIER =
  '{"wait":"old live","n":1}\nnonsense\n{"wait":"old sent","n":2}\n{"wait":"through"}\n{"done":"through"}\n';

describe('WaitJournal with a failing system call', () => {
  let folder: string;
  let file: string;
  let temporary: string;
  const openFiles = new Set<number>();

  /** Opens the journal. `step` is called before each system call, and returns whether and how it fails. */
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

  /** Uses all functions of a journal. Stops when the process is killed. */
  const useJournal = (step: (name: string, target: unknown) => Fault | undefined, isKilled: () => boolean): RunLog => {
    const log: RunLog = { promised: new Set(['old live', 'old sent']), ended: new Set(), sent: new Set() };
    const [journal, runScheduled] = open(step);
    const write = (key: string, n: number): void => {
      if (journal.write(key, { n, text: 'x'.repeat(100) }) === 'written' && !isKilled()) log.promised.add(key);
    };
    // An entry of an earlier process is unknown until the file can be read.
    const isKnown = (key: string): boolean => !key.startsWith('old') || journal.keys().includes(key);
    const send = (key: string): void => {
      if (!isKnown(key)) return;
      journal.markSending(key);
      if (!isKilled()) log.sent.add(key);
    };
    const end = (key: string): void => {
      if (!isKnown(key)) return;
      log.ended.add(key);
      journal.remove(key);
    };
    const steps = [
      () => write('a', 1),
      () => write('b', 1),
      () => send('old sent'),
      () => end('old sent'),
      () => write('c', 1),
      () => write('b', 2),
      () => send('a'),
      () => runScheduled(),
      () => end('a'),
      () => send('b'),
      () => end('c'),
      () => write('d', 1),
      () => runScheduled(),
      () => journal.endSession(),
    ];
    for (const act of steps) if (!isKilled()) act();
    return log;
  };

  /** Opens the journal twice without faults, and compares it with the log. */
  const check = ({ promised, ended, sent }: RunLog, label: string): void => {
    for (const pass of ['first', 'second']) {
      const [journal] = open(() => undefined);
      const texts = [file, path.join(folder, 'waits.damaged.jsonl')]
        .filter(existsSync)
        .map((each) => readFileSync(each));
      should(Buffer.concat(texts).includes('nonsense')).equal(true, `${label}, ${pass} open: a damaged line is lost`);
      const keys = journal.keys();
      for (const key of promised)
        should(ended.has(key) || keys.includes(key)).equal(true, `${label}, ${pass} open: ${key} is lost`);
      for (const key of sent)
        if (keys.includes(key))
          should(journal.read(key)?.isSending).equal(true, `${label}, ${pass} open: ${key} comes again without a mark`);
    }
  };

  const reset = (): void => {
    for (const each of openFiles) closeSync(each);
    openFiles.clear();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(temporary, { recursive: true });
    writeFileSync(file, EARLIER);
  };

  /**
   * Uses the journal once per system call k. `faultAt` gets the number of the current call and k. Returns the number of
   * calls.
   */
  const forEachCall = (
    faultAt: (call: number, k: number, target: unknown) => Fault | undefined,
    isKilledAt: (call: number, k: number) => boolean = () => false,
  ): number => {
    for (let k = 1; ; k += 1) {
      reset();
      let call = 0;
      let names: string[] = [];
      const log = useJournal(
        (name, target) => {
          call += 1;
          names = [...names, name];
          return faultAt(call, k, target);
        },
        () => isKilledAt(call, k),
      );
      check(log, `call ${k} (${names[k - 1]})`);
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

    it(`loses no wait and repeats none without a mark if one call fails with ${code}`, () => {
      forEachCall((call, k) => (call === k ? fault : undefined)).should.be.above(40);
    });

    it(`loses no wait and repeats none without a mark if all calls outside the temporary folder fail with ${code} from one call on`, () => {
      forEachCall((call, k, target) => (call >= k && !isOutside(target) ? fault : undefined)).should.be.above(40);
    });
  }

  for (const isHalf of [false, true])
    it(`loses no wait, repeats none without a mark and leaves no damaged line if killed ${isHalf ? 'during' : 'before'} a call`, () => {
      const fault = (call: number, k: number): Fault | undefined =>
        call >= k ? { code: 'EIO', isHalf: isHalf && call === k } : undefined;
      const isKilledAt = (call: number, k: number): boolean => call >= k;
      forEachCall(fault, isKilledAt).should.be.above(40);
      const saved = path.join(folder, 'waits.damaged.jsonl');
      if (existsSync(saved))
        for (const line of readFileSync(saved, 'utf8').trim().split('\n')) line.should.equal('nonsense');
    });
});

/**
 * Returns file functions that fail as `step` decides. It gets the path of the file that is opened or used. Nothing is
 * synced, since no test can cut the power.
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
