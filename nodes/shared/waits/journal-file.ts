import { AppendOnlyFile } from './append-only-file.js';
import type { FileFunctions } from './file-functions.js';
import { type JournalContents, type Place, parseJournal, type SessionPlace } from './journal-contents.js';
import { type LineWord, parseLine, serializeLine, WORD_OFFSET } from './journal-line.js';
import { keepLines } from './keep-lines.js';

/** The file is written anew when it has grown by this since it was last, and to twice what was needed then. */
const COMPACT_BYTES = 16 << 20;

export interface JournalFileOptions {
  files: FileFunctions;
  /** Whether an entry makes sense. A line whose entry does not is damaged. */
  isEntry: (entry: Record<string, unknown>) => boolean;
  boot: string;
  onSyncFailure: (error: unknown) => void;
  /** Another process writes to the file. */
  onShared: () => void;
}

/**
 * The lines of a journal: one for each entry, whose first word is changed in place as the entry goes on (see `LineWord`), in bytes that the
 * entry has already: a full disk does not prevent it. Throws what the system throws, and has lost nothing then: a word that could not be
 * written is kept and written with the next ones.
 */
export class JournalFile {
  /** Where damaged lines are put before they leave the journal. */
  readonly damagedPath: string;
  readonly #options: JournalFileOptions;
  readonly #file: AppendOnlyFile;
  #live = new Map<string, Place>();
  #earlierSession: SessionPlace | undefined;
  #session: Place | undefined;
  /** Places whose word the file does not have yet. */
  readonly #unrecorded = new Set<Place>();
  #damaged: Buffer[] = [];
  #compactAt = COMPACT_BYTES;
  #isSuspect: boolean = false;

  constructor(path: string, options: JournalFileOptions) {
    this.damagedPath = path.replace(/(\.jsonl)?$/, '.damaged.jsonl');
    this.#options = options;
    const onSyncFailure = (error: unknown): void => {
      this.#isSuspect = true;
      options.onSyncFailure(error);
    };
    this.#file = new AppendOnlyFile(path, onSyncFailure, options.files);
  }

  /** By key, oldest first. */
  get live(): ReadonlyMap<string, Place> {
    return this.#live;
  }

  /** Whether a sync failed: of what was written before, anything may be missing. Writing all anew ends that. */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** Whether the file says all that it was told. */
  get isRecorded(): boolean {
    return this.#unrecorded.size === 0 && !this.#isSuspect;
  }

  /** Whether a message may have been sent of which the file does not say so. */
  get hasUnrecordedSends(): boolean {
    return this.#isSuspect || [...this.#unrecorded].some(({ word }) => word === 'sent');
  }

  /** Reads what is there. */
  load(): JournalContents {
    const bytes = this.#file.load() ?? Buffer.alloc(0);
    const contents = parseJournal(bytes, this.#options.boot, this.#options.isEntry);
    this.#live = contents.live;
    this.#earlierSession = contents.session;
    this.#damaged = contents.damaged;
    for (const place of contents.doubtful) this.#unrecorded.add(place);
    return contents;
  }

  /** Whether the file, which is there, can be written to. */
  isWritable(): boolean {
    return this.#file.isWritable();
  }

  read(place: Place): Record<string, unknown> {
    const line = parseLine(this.#file.read(place).subarray(0, -1));
    if (!line) throw new Error('a line was damaged since it was first read');
    return line.entry;
  }

  /** Adds an entry, in the place of an earlier one of its key. */
  add(key: string, line: Buffer): void {
    this.#follow();
    this.#beginSession();
    const place = this.#write(line, 'wait');
    const earlier = this.#live.get(key);
    this.#live.delete(key);
    this.#live.set(key, place);
    if (earlier) this.#change(earlier, 'done');
  }

  /** Changes the word of an entry. It counts at once; `record` writes it. */
  setWord(key: string, word: 'sent' | 'done'): void {
    const place = this.#live.get(key);
    if (!place) return;
    if (word === 'done') this.#live.delete(key);
    this.#change(place, word);
  }

  /** Writes what the file was told and does not say yet. */
  record(): void {
    if (this.#unrecorded.size === 0) return;
    this.#follow();
    // What is doubtful for the end of the earlier session is written first: it would not be doubtful in a new one.
    if (this.#earlierSession?.word !== 'boot') this.#tryBeginSession();
    for (const place of this.#unrecorded) {
      this.#file.overwrite(place.offset + WORD_OFFSET, Buffer.from(place.word));
      this.#unrecorded.delete(place);
    }
    this.#tryBeginSession();
  }

  /** Whether it has grown enough to be written anew. */
  get isLarge(): boolean {
    return this.#file.size > this.#compactAt;
  }

  /** Writes it anew, with what is needed. */
  compact(): void {
    // Also where it fails: a full disk must not make every line a try to write them all.
    this.#compactAt = this.#file.size + COMPACT_BYTES;
    this.#writeAnew((lines) => {
      this.#file.replace(lines, () => this.#keepDamaged());
      return 0;
    });
    this.#compactAt = 2 * this.#file.size + COMPACT_BYTES;
  }

  /** Empties the file, when nothing in it is needed. */
  empty(): void {
    this.#keepDamaged();
    this.#file.truncate();
    this.#unrecorded.clear();
    this.#earlierSession = undefined;
    this.#session = undefined;
    this.#isSuspect = false;
  }

  /** Says that all is recorded, if it is. What is written after that begins the session again. */
  endSession(): void {
    if (!this.#session || !this.isRecorded) return;
    this.#file.overwrite(this.#session.offset + WORD_OFFSET, Buffer.from('shut'));
    this.#earlierSession = { ...this.#session, word: 'shut', boot: this.#options.boot };
    this.#session = undefined;
  }

  /** Syncs and lets go of the file. */
  close(): Promise<void> {
    return this.#file.close();
  }

  #change(place: Place, word: LineWord): void {
    place.word = word;
    this.#unrecorded.add(place);
  }

  #write(line: Buffer, word: LineWord): Place {
    const offset = this.#file.append(line, { offset: WORD_OFFSET, bytes: Buffer.from(word) });
    return { offset, length: line.length, word, hasChecksum: true };
  }

  // From here on what is written may be lost with the machine, until all of it is synced at the end.
  #beginSession(): void {
    const { boot } = this.#options;
    const earlier = this.#earlierSession;
    if (!earlier && this.#session) return;
    if (earlier) this.#file.overwrite(earlier.offset + WORD_OFFSET, Buffer.from('boot'));
    this.#earlierSession = undefined;
    if (earlier?.boot === boot) this.#session = earlier;
    this.#session ??= this.#write(serializeLine('open', boot), 'boot');
  }

  // Without room for it the earlier session goes on, which marks too many messages if the machine is cut off.
  #tryBeginSession(): void {
    try {
      this.#beginSession();
    } catch {
      // What is recorded next fails, too, where more than room is missing.
    }
  }

  // Two processes, or somebody who cleans up, must not take waits away.
  #follow(): void {
    const change = this.#file.findChange();
    if (!change) return;
    this.#options.onShared();
    if (change === 'grown') this.#file.skipToEnd();
    else this.#writeAnew((lines) => this.#file.continue(lines));
  }

  // Hands the lines that are needed, with their words, to `write`, which answers where they begin now.
  #writeAnew(write: (lines: Buffer) => number): void {
    const session = serializeLine('boot', this.#options.boot);
    const lines = [...this.#live].map(([key, place]): [Place, Buffer] => [place, this.#lineOf(key, place)]);
    let offset = write(Buffer.concat([session, ...lines.map(([, line]) => line)]));
    this.#session = { offset, length: session.length, word: 'boot', hasChecksum: true };
    this.#earlierSession = undefined;
    offset += session.length;
    for (const [place, line] of lines) {
      Object.assign(place, { offset, length: line.length, hasChecksum: true });
      offset += line.length;
    }
    this.#unrecorded.clear();
    this.#isSuspect = false;
  }

  #lineOf(key: string, place: Place): Buffer {
    if (!place.hasChecksum) return serializeLine(place.word, key, this.read(place));
    const line = this.#file.read(place);
    line.write(place.word, WORD_OFFSET);
    return line;
  }

  #keepDamaged(): void {
    if (this.#damaged.length > 0) keepLines(this.damagedPath, this.#damaged, this.#options.files);
    this.#damaged = [];
  }
}
