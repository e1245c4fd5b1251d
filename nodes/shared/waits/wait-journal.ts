import os from 'node:os';
import { type Schedule, scheduleTimeout } from '../service/ref-counted-registry.js';
import { bootName } from './boot.js';
import { describeFileProblem, FILE_FUNCTIONS, type FileFunctions } from './file-functions.js';
import { JournalFile } from './journal-file.js';
import { serializeLine } from './journal-line.js';
import { UnrecordedSends } from './unrecorded-sends.js';

/** Bytes of one entry. A message with more is not kept over a restart. */
export const MAX_ENTRY_BYTES = 1 << 20;
const MAX_LIVE_BYTES = 64 << 20;
/** Pauses before what failed is tried again. */
const RETRY_MS = { first: 1_000, longest: 60_000 };

/** Where a journal says what happened to it. */
export interface JournalReport {
  warn(message: string): void;
  error(message: string): void;
}

export interface WaitJournalOptions {
  report: JournalReport;
  /** Whether an entry makes sense. A line whose entry does not is damaged. */
  isEntry?: (entry: Record<string, unknown>) => boolean;
  files?: FileFunctions;
  schedule?: Schedule;
  tempDir?: string;
  /** See `bootName`. */
  boot?: string;
}

type Problem = 'read' | 'add to' | 'record in' | 'compact';

const CONSEQUENCES: Record<Problem, string> = {
  read: 'The waits in it stay there, and go on when it can be read.',
  'add to': 'Until then new waits survive a redeploy, but no restart.',
  'record in': 'Messages that go on until then come again after a restart, marked with isRepeat.',
  compact: 'Until then it takes more room than it needs.',
};

/**
 * The pending waits of a user directory, in a file that outlives the process (see `JournalFile`). What was put and not removed is live.
 *
 * What was written is with the operating system when the call returns, so that it survives the end of this process, however it ends; it is
 * synced to the disk behind that. Never throws for the disk's sake: what fails is reported once, and tried again until it works. While the
 * file cannot be read nothing is written to it. That messages were sent which could not be recorded is noted elsewhere
 * (`UnrecordedSends`); the next process then takes all messages for such that may have been sent.
 */
export class WaitJournal {
  readonly #path: string;
  readonly #report: JournalReport;
  readonly #schedule: Schedule;
  readonly #file: JournalFile;
  readonly #sends: UnrecordedSends;
  #liveBytes = 0;
  #isLoaded: boolean = false;
  #isClosed: boolean = false;
  readonly #reported = new Set<Problem>();
  #retryMs = RETRY_MS.first;
  #stopRetry: (() => void) | undefined;
  #onRetry: () => void = () => undefined;

  /** Reads the file at `path`, if it is there. */
  constructor(path: string, options: WaitJournalOptions) {
    const { report, isEntry = () => true, files = FILE_FUNCTIONS, schedule = scheduleTimeout } = options;
    this.#path = path;
    this.#report = report;
    this.#schedule = schedule;
    this.#sends = new UnrecordedSends(path, options.tempDir ?? os.tmpdir(), files);
    let isShared = false;
    this.#file = new JournalFile(path, {
      files,
      isEntry,
      boot: options.boot ?? bootName(),
      onSyncFailure: (error) => {
        this.#sends.note();
        this.#onFailure('record in', error);
      },
      onShared: () => {
        const remedy = 'Give each Node-RED a user directory of its own, and leave the file alone while one runs.';
        if (!isShared) report.error(`Another process changes the journal of pending waits ${path}. ${remedy}`);
        isShared = true;
      },
    });
    this.retry();
  }

  /** Calls back whenever what failed was tried again: the file may be read by now, or take what it did not. */
  onRetry(callback: () => void): void {
    this.#onRetry = callback;
  }

  /** The keys of the live entries, oldest first. */
  keys(): string[] {
    return [...this.#file.live.keys()];
  }

  /** Whether the entry of this key is live in the file. */
  has(key: string): boolean {
    return this.#file.live.has(key);
  }

  /** Adds an entry, or puts a new one in the place of the old, which stays if that fails. */
  write(key: string, entry: Record<string, unknown>): 'written' | 'failed' | 'too large' {
    const line = serializeLine('open', key, entry);
    const others = this.#liveBytes - (this.#file.live.get(key)?.length ?? 0);
    if (line.length > MAX_ENTRY_BYTES || others + line.length > MAX_LIVE_BYTES) {
      this.remove(key);
      return 'too large';
    }
    if (!this.#isLoaded) return 'failed';
    if (this.#file.isLarge) this.#compact();
    if (!this.#try('add to', () => this.#file.add(key, line))) return 'failed';
    this.#liveBytes = others + line.length;
    this.#record();
    return 'written';
  }

  /** From here on the message of this entry may have been sent. */
  markSending(key: string): void {
    this.#file.setWord(key, 'sent');
    this.#record();
  }

  remove(key: string): void {
    const place = this.#file.live.get(key);
    if (!place) return;
    this.#liveBytes -= place.length;
    this.#file.setWord(key, 'done');
    this.#record();
    if (this.#file.live.size === 0 && this.#file.isRecorded) this.#compact();
  }

  /** The entry as it was put, and whether its message may have been sent; `undefined` where it cannot be read now. */
  read(key: string): { entry: Record<string, unknown>; isSending: boolean } | undefined {
    const place = this.#file.live.get(key);
    if (!place) return undefined;
    let entry: Record<string, unknown> = {};
    const isRead = this.#try('read', () => {
      entry = this.#file.read(place);
    });
    return isRead ? { entry, isSending: place.word === 'sent' } : undefined;
  }

  /** Tries again what failed. */
  retry(): void {
    this.#stopRetry?.();
    this.#stopRetry = undefined;
    if (this.#isClosed) return;
    if (!this.#isLoaded && !this.#try('read', () => this.#load())) return;
    if (this.#file.isSuspect) this.#compact();
    this.#record();
    this.#onRetry();
    if (!this.#stopRetry) this.#retryMs = RETRY_MS.first;
  }

  /** Says in the file that all is recorded, as the last before the process may end. It can be used on all the same. */
  endSession(): void {
    if (!this.#isLoaded) return;
    this.#record();
    this.#try('record in', () => this.#file.endSession());
  }

  /** Ends the session, syncs the file and lets go of it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopRetry?.();
    this.endSession();
    await this.#file.close();
  }

  #load(): void {
    const { live, damaged, hasGarbage } = this.#file.load();
    this.#isLoaded = true;
    this.#liveBytes = [...live.values()].reduce((sum, { length }) => sum + length, 0);
    if (damaged.length > 0) {
      const count = `${damaged.length} damaged ${damaged.length === 1 ? 'line' : 'lines'}`;
      this.#report.warn(`${count} in the journal of pending waits ${this.#path}, kept in ${this.#file.damagedPath}`);
    }
    // A process that can record nothing, here or elsewhere, leaves no sign for the next one. Nor did the one before.
    const isDoubtful = this.#sends.isNoted || !(this.#file.isWritable() || this.#sends.canNote());
    if (isDoubtful) for (const key of live.keys()) this.#file.setWord(key, 'sent');
    if (hasGarbage && this.#file.isWritable()) this.#compact();
  }

  #compact(): void {
    this.#try('compact', () => (this.#file.live.size === 0 ? this.#file.empty() : this.#file.compact()));
  }

  #record(): void {
    this.#try('record in', () => this.#file.record());
    if (this.#file.isRecorded) this.#sends.clear();
    else if (this.#file.hasUnrecordedSends) this.#sends.note();
  }

  // Whether it went well.
  #try(problem: Problem, act: () => void): boolean {
    try {
      act();
      if (problem !== 'record in' || this.#file.isRecorded) this.#reported.delete(problem);
      return true;
    } catch (error) {
      this.#onFailure(problem, error);
      return false;
    }
  }

  #onFailure(problem: Problem, error: unknown): void {
    const what = `Could not ${problem} the journal of pending waits ${this.#path}`;
    if (!this.#reported.has(problem))
      this.#report.error(`${what}: ${describeFileProblem(error)} ${CONSEQUENCES[problem]}`);
    this.#reported.add(problem);
    if (this.#isClosed || this.#stopRetry) return;
    this.#stopRetry = this.#schedule(() => this.retry(), this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS.longest);
  }
}
