import os from 'node:os';
import { type Scheduler, scheduleTimeout } from '../delay.js';
import { describeFileProblem, FILE_FUNCTIONS, type FileFunctions } from './file-functions.js';
import { JournalFile } from './journal-file.js';
import { serializeLine } from './journal-line.js';
import { UnrecordedSends } from './unrecorded-sends.js';
import { WAIT_CLOCK } from './wait-clock.js';

/** Maximum size of one entry in bytes. Larger messages do not survive a restart. */
export const MAX_ENTRY_BYTES = 1 << 20;
/** Maximum size of all live entries in bytes. */
const MAX_LIVE_BYTES = 64 << 20;
/** Backoff between retries. */
const RETRY_MS = { min: 1_000, max: 60_000 };

/** Receives the log messages of a journal. */
export interface JournalReport {
  warn(message: string): void;
  error(message: string): void;
}

/** The dependencies of a `WaitJournal`. */
export interface WaitJournalOptions {
  report: JournalReport;
  /** Returns whether an entry is valid. A line with an invalid entry counts as damaged. Default: all are valid. */
  isEntry?: (entry: Record<string, unknown>) => boolean;
  files?: FileFunctions;
  schedule?: Scheduler;
  /** Default: the temporary folder of the system. */
  tempDir?: string;
  /** The id of the current boot of the machine. Default: `WAIT_CLOCK.boot`. */
  boot?: string;
}

type Problem = 'read' | 'append to' | 'update' | 'compact';

/** Problem → its consequence, for the log. */
const CONSEQUENCES: Record<Problem, string> = {
  read: 'Its waits are kept, and continue once it can be read.',
  'append to': 'Until then, new waits survive a redeploy but not a restart.',
  update: 'Messages that are sent until then are repeated after a restart, marked with isRepeat.',
  compact: 'Until then, it uses more disk space than needed.',
};

/**
 * The pending waits of a user directory, in a file that outlives the process (see `JournalFile`). An entry that was
 * written and not removed is live.
 *
 * Writes have reached the operating system when a call returns, so they survive the end of this process, even a crash.
 * They are synced to the disk in the background. File errors are never thrown: a failure is logged once and retried
 * until it succeeds. A file that cannot be read is not written to. If messages were sent that could not be recorded, a
 * marker file is created elsewhere (`UnrecordedSends`); the next process then treats all messages as possibly sent.
 */
export class WaitJournal {
  readonly #path: string;
  readonly #report: JournalReport;
  readonly #schedule: Scheduler;
  readonly #file: JournalFile;
  readonly #sends: UnrecordedSends;
  #liveBytes = 0;
  #isLoaded: boolean = false;
  #isClosed: boolean = false;
  readonly #reported = new Set<Problem>();
  #retryMs = RETRY_MS.min;
  #stopRetry: (() => void) | undefined;
  #onRetry: () => void = () => undefined;

  /** Reads the file at `path`, if it exists. */
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
      boot: options.boot ?? WAIT_CLOCK.boot,
      onSyncFailure: (error) => {
        this.#sends.tryMark();
        this.#onFailure('update', error);
      },
      onShared: () => {
        const remedy = 'Give each Node-RED its own user directory, and do not change the file while Node-RED runs.';
        if (!isShared) report.error(`Another process has changed the journal of pending waits ${path}. ${remedy}`);
        isShared = true;
      },
    });
    this.retry();
  }

  /** Calls `callback` after each retry: the file may have become readable or writable. */
  onRetry(callback: () => void): void {
    this.#onRetry = callback;
  }

  /** Returns the keys of the live entries, oldest first. */
  keys(): string[] {
    return [...this.#file.live.keys()];
  }

  /** Returns whether the entry of this key is live in the file. */
  has(key: string): boolean {
    return this.#file.live.has(key);
  }

  /** Writes an entry. It replaces an earlier one of the same key, which stays if the write fails. */
  write(key: string, entry: Record<string, unknown>): 'written' | 'failed' | 'too large' {
    const line = serializeLine('open', key, entry);
    const others = this.#liveBytes - (this.#file.live.get(key)?.length ?? 0);
    if (line.length > MAX_ENTRY_BYTES || others + line.length > MAX_LIVE_BYTES) {
      this.remove(key);
      return 'too large';
    }
    if (!this.#isLoaded) return 'failed';
    if (this.#file.isLarge) this.#compact();
    if (!this.#try('append to', () => this.#file.add(key, line))) return 'failed';
    this.#liveBytes = others + line.length;
    this.#record();
    return 'written';
  }

  /** Records that the message of this entry may have been sent. */
  markSending(key: string): void {
    this.#file.setState(key, 'sent');
    this.#record();
  }

  /** Ends an entry. */
  remove(key: string): void {
    const stored = this.#file.live.get(key);
    if (!stored) return;
    this.#liveBytes -= stored.length;
    this.#file.setState(key, 'done');
    this.#record();
    if (this.#file.live.size === 0 && this.#file.isRecorded) this.#compact();
  }

  /** Returns an entry, and whether its message may have been sent; `undefined` if it cannot be read now. */
  read(key: string): { entry: Record<string, unknown>; isSending: boolean } | undefined {
    const stored = this.#file.live.get(key);
    if (!stored) return undefined;
    let entry: Record<string, unknown> = {};
    const isRead = this.#try('read', () => {
      entry = this.#file.read(stored);
    });
    return isRead ? { entry, isSending: stored.state === 'sent' } : undefined;
  }

  /** Retries all failed work. */
  retry(): void {
    this.#stopRetry?.();
    this.#stopRetry = undefined;
    if (this.#isClosed) return;
    if (!this.#isLoaded && !this.#try('read', () => this.#load())) return;
    if (this.#file.hasFailedSync) this.#compact();
    this.#record();
    this.#onRetry();
    if (!this.#stopRetry) this.#retryMs = RETRY_MS.min;
  }

  /** Records the end of the session, as the last write before the process may end. The journal can still be used. */
  endSession(): void {
    if (!this.#isLoaded) return;
    this.#record();
    this.#try('update', () => this.#file.endSession());
  }

  /** Ends the session, waits for the sync and closes the file. */
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
      this.#report.warn(`${count} in the journal of pending waits ${this.#path}, saved to ${this.#file.damagedPath}`);
    }
    // A process that could neither record sends nor create the marker has left no trace of them. If this process can do
    // neither, the last one probably could not either.
    const mayHaveSent = this.#sends.isMarked || !(this.#file.isWritable() || this.#sends.canMark());
    if (mayHaveSent) for (const key of live.keys()) this.#file.setState(key, 'sent');
    if (hasGarbage && this.#file.isWritable()) this.#compact();
  }

  #compact(): void {
    this.#try('compact', () => (this.#file.live.size === 0 ? this.#file.empty() : this.#file.compact()));
  }

  #record(): void {
    this.#try('update', () => this.#file.record());
    if (this.#file.isRecorded) this.#sends.clear();
    else if (this.#file.hasUnrecordedSends) this.#sends.tryMark();
  }

  // Returns whether `act` succeeded.
  #try(problem: Problem, act: () => void): boolean {
    try {
      act();
      if (problem !== 'update' || this.#file.isRecorded) this.#reported.delete(problem);
      return true;
    } catch (error) {
      this.#onFailure(problem, error);
      return false;
    }
  }

  #onFailure(problem: Problem, error: unknown): void {
    const failure = `Could not ${problem} the journal of pending waits ${this.#path}`;
    if (!this.#reported.has(problem))
      this.#report.error(`${failure}: ${describeFileProblem(error)} ${CONSEQUENCES[problem]}`);
    this.#reported.add(problem);
    if (this.#isClosed || this.#stopRetry) return;
    this.#stopRetry = this.#schedule(() => this.retry(), this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS.max);
  }
}
