import { appendLines } from './append-lines.js';
import { AppendOnlyFile } from './append-only-file.js';
import type { FileFunctions } from './file-functions.js';
import { type JournalContents, parseJournal, type StoredLine, type StoredSession } from './journal-contents.js';
import { type LineState, parseLine, STATE_OFFSET, serializeLine } from './journal-line.js';

/** Growth after which the file is compacted. In addition it must have doubled since it was last compacted. */
const COMPACT_BYTES = 16 << 20;

/** The dependencies of a `JournalFile`. */
export interface JournalFileOptions {
  files: FileFunctions;
  /** Returns whether an entry is valid. A line with an invalid entry counts as damaged. */
  isEntry: (entry: Record<string, unknown>) => boolean;
  /** Identifies the current boot of the machine, see `WaitClock`. */
  boot: string;
  /** Called when a sync has failed. */
  onSyncFailure: (error: unknown) => void;
  /** Called when another process has changed the file. */
  onShared: () => void;
}

/**
 * The file of a journal: one line per entry. When the state of an entry changes, the first key of its line is
 * overwritten in place (see `LineState`), so a full disk does not prevent it.
 *
 * Throws the errors of the operating system. No change is lost then: a state that could not be written is written with
 * the next one.
 */
export class JournalFile {
  /** The file to which damaged lines are saved before they are removed from the journal. */
  readonly damagedPath: string;
  readonly #options: JournalFileOptions;
  readonly #file: AppendOnlyFile;
  #live = new Map<string, StoredLine>();
  #earlierSession: StoredSession | undefined;
  #session: StoredLine | undefined;
  /** Lines whose state has not been written to the file yet. */
  readonly #unrecorded = new Set<StoredLine>();
  #damaged: Buffer[] = [];
  #compactAt = COMPACT_BYTES;
  #hasFailedSync: boolean = false;

  constructor(path: string, options: JournalFileOptions) {
    this.damagedPath = path.replace(/(\.jsonl)?$/, '.damaged.jsonl');
    this.#options = options;
    const onSyncFailure = (error: unknown): void => {
      this.#hasFailedSync = true;
      options.onSyncFailure(error);
    };
    this.#file = new AppendOnlyFile(path, onSyncFailure, options.files);
  }

  /** Key → line of a live entry, oldest first. */
  get live(): ReadonlyMap<string, StoredLine> {
    return this.#live;
  }

  /** Whether a sync failed: any earlier write may be missing on the disk. Rewriting the file resolves this. */
  get hasFailedSync(): boolean {
    return this.#hasFailedSync;
  }

  /** Whether the file contains all changes. */
  get isRecorded(): boolean {
    return this.#unrecorded.size === 0 && !this.#hasFailedSync;
  }

  /** Whether a message may have been sent without a record in the file. */
  get hasUnrecordedSends(): boolean {
    return this.#hasFailedSync || [...this.#unrecorded].some(({ state }) => state === 'sent');
  }

  /** Reads and parses the file. A missing file is empty. */
  load(): JournalContents {
    const bytes = this.#file.load() ?? Buffer.alloc(0);
    const contents = parseJournal(bytes, this.#options.boot, this.#options.isEntry);
    this.#live = contents.live;
    this.#earlierSession = contents.session;
    this.#damaged = contents.damaged;
    for (const stored of contents.possiblySent) this.#unrecorded.add(stored);
    return contents;
  }

  /** Returns whether the file exists and can be written to. */
  isWritable(): boolean {
    return this.#file.isWritable();
  }

  /** Reads the entry of a line. Throws if the line has been damaged. */
  read(stored: StoredLine): Record<string, unknown> {
    const line = parseLine(this.#file.read(stored).subarray(0, -1));
    if (!line) throw new Error('the line has been damaged since it was first read');
    return line.entry;
  }

  /** Appends an entry, and ends an earlier entry of the same key. */
  add(key: string, line: Buffer): void {
    this.#adoptExternalChange();
    this.#beginSession();
    const stored = this.#write(line, 'wait');
    const earlier = this.#live.get(key);
    this.#live.delete(key);
    this.#live.set(key, stored);
    if (earlier) this.#change(earlier, 'done');
  }

  /** Changes the state of an entry at once in memory; `record` writes it. */
  setState(key: string, state: 'sent' | 'done'): void {
    const stored = this.#live.get(key);
    if (!stored) return;
    if (state === 'done') this.#live.delete(key);
    this.#change(stored, state);
  }

  /** Writes all states that the file does not contain yet. */
  record(): void {
    if (this.#unrecorded.size === 0) return;
    this.#adoptExternalChange();
    // These entries may have been sent because the earlier session has no end. They are written before a new session
    // begins, which would hide that.
    if (this.#earlierSession?.state !== 'boot') this.#tryBeginSession();
    for (const stored of this.#unrecorded) {
      this.#file.overwrite(stored.offset + STATE_OFFSET, Buffer.from(stored.state));
      this.#unrecorded.delete(stored);
    }
    this.#tryBeginSession();
  }

  /** Whether the file has grown enough to be compacted. */
  get isLarge(): boolean {
    return this.#file.size > this.#compactAt;
  }

  /** Rewrites the file with the needed lines only. */
  compact(): void {
    // Set before the attempt: on a full disk not every line should try to rewrite the whole file.
    this.#compactAt = this.#file.size + COMPACT_BYTES;
    this.#rewrite((lines) => {
      this.#file.replace(lines, () => this.#saveDamaged());
      return 0;
    });
    this.#compactAt = 2 * this.#file.size + COMPACT_BYTES;
  }

  /** Empties the file, when it contains no live entries. */
  empty(): void {
    this.#saveDamaged();
    this.#file.truncate();
    this.#unrecorded.clear();
    this.#earlierSession = undefined;
    this.#session = undefined;
    this.#hasFailedSync = false;
  }

  /** Marks the session as ended, if the file contains all changes. A later change begins it again. */
  endSession(): void {
    if (!this.#session || !this.isRecorded) return;
    this.#file.overwrite(this.#session.offset + STATE_OFFSET, Buffer.from('shut'));
    this.#earlierSession = { ...this.#session, state: 'shut', boot: this.#options.boot };
    this.#session = undefined;
  }

  /** Waits for the sync and closes the file. */
  close(): Promise<void> {
    return this.#file.close();
  }

  #change(stored: StoredLine, state: LineState): void {
    stored.state = state;
    this.#unrecorded.add(stored);
  }

  #write(line: Buffer, state: LineState): StoredLine {
    const offset = this.#file.append(line, { offset: STATE_OFFSET, bytes: Buffer.from(state) });
    return { offset, length: line.length, state, hasChecksum: true };
  }

  // Marks the session as begun. From now on writes may be lost in a power failure, until the session ends.
  #beginSession(): void {
    const { boot } = this.#options;
    const earlier = this.#earlierSession;
    if (!earlier && this.#session) return;
    if (earlier) this.#file.overwrite(earlier.offset + STATE_OFFSET, Buffer.from('boot'));
    this.#earlierSession = undefined;
    if (earlier?.boot === boot) this.#session = earlier;
    this.#session ??= this.#write(serializeLine('open', boot), 'boot');
  }

  // Without disk space the earlier session continues, and a power failure would mark too many messages as possibly
  // sent.
  #tryBeginSession(): void {
    try {
      this.#beginSession();
    } catch {
      // If more than disk space is missing, the next write fails too.
    }
  }

  // Other processes, or a user who cleans up, must not remove waits: adopts a file that has grown or been replaced.
  #adoptExternalChange(): void {
    const change = this.#file.findExternalChange();
    if (!change) return;
    this.#options.onShared();
    if (change === 'grown') this.#file.skipToEnd();
    else this.#rewrite((lines) => this.#file.appendToReplacement(lines));
  }

  // Passes the needed lines with their states to `write`, which returns the offset at which it wrote them.
  #rewrite(write: (lines: Buffer) => number): void {
    const session = serializeLine('boot', this.#options.boot);
    const lines = [...this.#live].map(([key, stored]): [StoredLine, Buffer] => [
      stored,
      this.#serializeStored(key, stored),
    ]);
    let offset = write(Buffer.concat([session, ...lines.map(([, line]) => line)]));
    this.#session = { offset, length: session.length, state: 'boot', hasChecksum: true };
    this.#earlierSession = undefined;
    offset += session.length;
    for (const [stored, line] of lines) {
      Object.assign(stored, { offset, length: line.length, hasChecksum: true });
      offset += line.length;
    }
    this.#unrecorded.clear();
    this.#hasFailedSync = false;
  }

  #serializeStored(key: string, stored: StoredLine): Buffer {
    if (!stored.hasChecksum) return serializeLine(stored.state, key, this.read(stored));
    const line = this.#file.read(stored);
    line.write(stored.state, STATE_OFFSET);
    return line;
  }

  #saveDamaged(): void {
    if (this.#damaged.length > 0) appendLines(this.damagedPath, this.#damaged, this.#options.files);
    this.#damaged = [];
  }
}
