import { LineFile, type LinePlace } from './line-file.js';

/** Where the line of an entry stands in the file. `isSending`: its message may have been sent. */
interface Place extends LinePlace {
  isSending: boolean;
}

/** Bytes of one entry. A message with more is not kept over a restart. */
export const MAX_ENTRY_BYTES = 1 << 20;
const MAX_LIVE_BYTES = 64 << 20;
/** The file is written anew when it has grown by this since it was last, and to twice what was needed then. */
const COMPACT_BYTES = 16 << 20;
const NEW_LINE = 10;

/**
 * A file of lines that outlives the process: `{"wait": key, …}` when an entry is added or changed, `{"sending": key}` just before its
 * message is sent, `{"done": key}` when it is through. What was added and is not done is live.
 *
 * A line is with the operating system when the call returns, so that it survives the end of this process, however it ends. It is synced
 * to the disk behind that, as many lines at once as have gathered meanwhile: a power failure may take the last moment. A line that was cut
 * by one is left out. Never throws for the disk's sake: what cannot be written is told to `warn` once, until it works again.
 */
export class WaitJournal {
  readonly #path: string;
  readonly #warn: (message: string) => void;
  readonly #live = new Map<string, Place>();
  readonly #file: LineFile;
  #liveBytes = 0;
  #compactAt = COMPACT_BYTES;
  #isFailing: boolean = false;

  /** Reads the file at `path`, if it is there. */
  constructor(path: string, warn: (message: string) => void) {
    this.#path = path;
    this.#warn = warn;
    this.#file = new LineFile(path, this.#onFailure);
    this.#try(() => this.#load());
  }

  /** The keys of the live entries, oldest first. */
  keys(): string[] {
    return [...this.#live.keys()];
  }

  /** Adds an entry, or puts a new one in the place of the old. False where it is too large, or all are together. */
  put(key: string, entry: Record<string, unknown>): boolean {
    const line = Buffer.from(`${JSON.stringify({ wait: key, ...entry })}\n`);
    const others = this.#liveBytes - (this.#live.get(key)?.length ?? 0);
    if (line.length > MAX_ENTRY_BYTES || others + line.length > MAX_LIVE_BYTES) {
      this.remove(key);
      return false;
    }
    const offset = this.#append(line);
    this.#forget(key);
    if (offset !== undefined) this.#place(key, { offset, length: line.length, isSending: false });
    return true;
  }

  /** From here on the message of this entry may have been sent. */
  markSending(key: string): void {
    const place = this.#live.get(key);
    if (!place) return;
    place.isSending = true;
    this.#append(Buffer.from(`${JSON.stringify({ sending: key })}\n`));
  }

  remove(key: string): void {
    if (!this.#live.has(key)) return;
    this.#forget(key);
    if (this.#live.size === 0) this.#try(() => this.#file.empty());
    else this.#append(Buffer.from(`${JSON.stringify({ done: key })}\n`));
  }

  /** The entry as it was put, and whether its message may have been sent; `undefined` where it cannot be read. */
  read(key: string): { entry: Record<string, unknown>; isSending: boolean } | undefined {
    const place = this.#live.get(key);
    if (!place) return undefined;
    return this.#try(() => ({ entry: JSON.parse(this.#file.read(place).toString()), isSending: place.isSending }));
  }

  /** Syncs and lets go of the file. */
  close(): Promise<void> {
    return this.#file.close();
  }

  #load(): void {
    const bytes = this.#file.load();
    if (!bytes) return;
    for (let offset = 0, end = 0; ; offset = end + 1) {
      end = bytes.indexOf(NEW_LINE, offset);
      if (end < 0) break;
      this.#takeLine(bytes.subarray(offset, end).toString(), offset, end + 1 - offset);
    }
    if (this.#live.size === 0) this.#file.empty();
    else if (this.#liveBytes < bytes.length) this.#compact();
  }

  #takeLine(text: string, offset: number, length: number): void {
    const { wait, sending, done } = Object(parseOrUndefined(text));
    if (typeof wait === 'string') {
      this.#forget(wait);
      this.#place(wait, { offset, length, isSending: false });
    }
    if (typeof done === 'string') this.#forget(done);
    const place = this.#live.get(String(sending));
    if (place) place.isSending = true;
  }

  #place(key: string, place: Place): void {
    this.#live.set(key, place);
    this.#liveBytes += place.length;
  }

  #forget(key: string): void {
    this.#liveBytes -= this.#live.get(key)?.length ?? 0;
    this.#live.delete(key);
  }

  // Where the line was put; undefined where it could not be written.
  #append(line: Buffer): number | undefined {
    if (this.#file.size > this.#compactAt) this.#try(() => this.#compact());
    return this.#try(() => {
      const offset = this.#file.append(line);
      this.#isFailing = false;
      return offset;
    });
  }

  #compact(): void {
    // Also where it fails: a full disk must not make every line a try to write them all.
    this.#compactAt = this.#file.size + COMPACT_BYTES;
    const lines: Buffer[] = [];
    const places = new Map<string, Place>();
    let size = 0;
    for (const [key, place] of this.#live) {
      const line = this.#file.read(place);
      const mark = Buffer.from(place.isSending ? `${JSON.stringify({ sending: key })}\n` : '');
      places.set(key, { ...place, offset: size });
      lines.push(line, mark);
      size += line.length + mark.length;
    }
    this.#file.replace(Buffer.concat(lines));
    this.#compactAt = 2 * size + COMPACT_BYTES;
    for (const [key, place] of places) this.#live.set(key, place);
  }

  #try<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.#onFailure(error);
      return undefined;
    }
  }

  readonly #onFailure = (error: unknown): void => {
    if (!this.#isFailing) this.#warn(`waits cannot be kept for a restart in ${this.#path}: ${Object(error).message}`);
    this.#isFailing = true;
  };
}

const parseOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
