import { parseNumber } from './parse-number.js';
import { scanNumber } from './scan-number.js';

const SPACE = 0x20;
const FOUR_SPACES = 0x20202020;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const TAB = 0x09;
const HASH = 0x23;
const MINUS = 0x2d;
const PLUS = 0x2b;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const MAX_WORD_LENGTH = 400;

/** A keyword of four to eight letters, compared as two overlapping four-byte words. */
export class ShortWord {
  readonly length: number;
  /** The first and the last four bytes, little-endian. */
  readonly head: number;
  readonly tail: number;

  constructor(word: string) {
    const bytes = Buffer.from(word, 'latin1');
    this.length = bytes.length;
    this.head = bytes.readInt32LE(0);
    this.tail = bytes.readInt32LE(bytes.length - 4);
  }
}

/**
 * Scans the words of a text without creating strings. Words are separated by bytes up to the space; a line ends with
 * LF, CR or CR LF. Intended for files of hundreds of megabytes, where `split` and `Number` take three times as long and
 * ten times the memory.
 */
export class TextScanner {
  readonly #bytes: Uint8Array;
  /** The same memory, for conversion to strings. */
  readonly #text: Buffer;
  readonly #view: DataView;
  readonly #hasContinuations: boolean;
  readonly #hasComments: boolean;
  #offset = 0;

  /**
   * `hasContinuations`: a backslash at the end of a line continues its words, but not a comment and what `skipLine`
   * skips. Default: false.
   * `hasComments`: a word that begins with `#` ends the words of its line. Default: false.
   */
  constructor(bytes: Uint8Array, options: { hasContinuations?: boolean; hasComments?: boolean } = {}) {
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#hasContinuations = options.hasContinuations ?? false;
    this.#hasComments = options.hasComments ?? false;
  }

  /** The fraction of the text that has been read, 0..1. */
  get progress(): number {
    return this.#bytes.length === 0 ? 1 : this.#offset / this.#bytes.length;
  }

  /** The offset of the next byte. Can be set to return to it. */
  get position(): number {
    return this.#offset;
  }

  set position(offset: number) {
    this.#offset = offset;
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  /** Moves to the next word of this line. Returns false if there is none. */
  hasWord(): boolean {
    const bytes = this.#bytes;
    while (bytes[this.#offset] === SPACE) this.#offset++;
    while (this.#offset < bytes.length) {
      const byte = bytes[this.#offset];
      if (byte === HASH && this.#hasComments) return false;
      if (byte === NEWLINE || byte === RETURN) {
        if (!this.#hasContinuations || !this.#endsWithBackslash()) return false;
        this.skipLine();
      } else if (byte <= SPACE) this.#offset++;
      else if (!this.#hasContinuations || byte !== BACKSLASH || !this.#isLineEnd(this.#offset + 1)) return true;
      else this.skipLine();
    }
    return false;
  }

  /** Moves to the next word, across line ends. Returns false at the end of the text. */
  seekWord(): boolean {
    const bytes = this.#bytes;
    const view = this.#view;
    let index = this.#offset;
    // Past the end, bytes are undefined, and the comparison is false.
    while (bytes[index] <= SPACE) {
      index++;
      while (index + 4 <= bytes.length && view.getInt32(index, true) === FOUR_SPACES) index += 4;
    }
    this.#offset = index;
    return index < bytes.length;
  }

  /** The first byte of the current word, letters in lower case. Distinguishes most keywords cheaply. */
  get initial(): number {
    return this.#bytes[this.#offset] | 0x20;
  }

  /** Moves past the end of this line. */
  skipLine(): void {
    const bytes = this.#bytes;
    while (this.#offset < bytes.length && bytes[this.#offset] !== NEWLINE && bytes[this.#offset] !== RETURN)
      this.#offset++;
    if (bytes[this.#offset] === RETURN && bytes[this.#offset + 1] === NEWLINE) this.#offset++;
    this.#offset++;
  }

  /** Moves past the current word if it equals `word` (lower case), ignoring case. Returns whether it does. */
  acceptWord(word: string): boolean {
    const bytes = this.#bytes;
    for (let i = 0; i < word.length; i++) {
      const byte = bytes[this.#offset + i];
      if (byte === undefined || (byte | (byte >= 0x41 && byte <= 0x5a ? 0x20 : 0)) !== word.charCodeAt(i)) return false;
    }
    const after = bytes[this.#offset + word.length];
    if (after !== undefined && after > SPACE) return false;
    this.#offset += word.length;
    return true;
  }

  /**
   * Moves to the next word, across line ends, and past it if it equals the keyword exactly. Returns whether it does.
   */
  acceptShortWord({ length, head, tail }: ShortWord): boolean {
    this.seekWord();
    const end = this.#offset + length;
    // The byte after the keyword has to exist.
    if (end >= this.#bytes.length || this.#bytes[end] > SPACE) return false;
    if (this.#view.getInt32(this.#offset, true) !== head || this.#view.getInt32(end - 4, true) !== tail) return false;
    this.#offset = end;
    return true;
  }

  /** Moves past the current word. */
  skipWord(): void {
    const bytes = this.#bytes;
    const view = this.#view;
    let index = this.#offset;
    while (index + 4 <= bytes.length && !hasSpace(view.getInt32(index, true))) index += 4;
    while (bytes[index] > SPACE) index++; // past the end, bytes are undefined, and the comparison is false
    this.#offset = index;
  }

  /** Returns the rest of this line, trimmed. Replaces invalid UTF-8 and truncates after 400 bytes. */
  restOfLine(): string {
    const start = this.#offset;
    while (
      this.#offset < this.#bytes.length &&
      this.#bytes[this.#offset] !== NEWLINE &&
      this.#bytes[this.#offset] !== RETURN
    ) {
      this.#offset++;
    }
    return new TextDecoder()
      .decode(this.#bytes.subarray(start, Math.min(this.#offset, start + MAX_WORD_LENGTH)))
      .trim();
  }

  /** Returns whether the text at the position equals the `length` bytes from `start` on, and ends with a word. */
  equalsText(start: number, length: number): boolean {
    const view = this.#view;
    const offset = this.#offset;
    const end = offset + length;
    // The byte after the text has to exist.
    if (length < 4 || end >= this.#bytes.length || this.#bytes[end] > SPACE) return false;
    if (view.getInt32(end - 4, true) !== view.getInt32(start + length - 4, true)) return false;
    for (let i = 0; i + 4 <= length; i += 4)
      if (view.getInt32(offset + i, true) !== view.getInt32(start + i, true)) return false;
    return true;
  }

  /**
   * Reads the next words of this line as numbers into `target` until it is full. Stores NaN for words that are not
   * numbers and for missing words.
   */
  takeNumbers(target: Float64Array): void {
    const bytes = this.#bytes;
    let index = this.#offset;
    for (let k = 0; k < target.length; k++) {
      while (bytes[index] === SPACE) index++;
      const end = scanNumber(bytes, this.#view, index, target, k);
      if (end >= 0 && bytes[end] <= SPACE) {
        index = end;
        continue;
      }
      this.#offset = index;
      target[k] = this.hasWord() ? this.takeNumber() : Number.NaN;
      index = this.#offset;
    }
    this.#offset = index;
  }

  /** Reads the current word as a number. Returns NaN if it is not one. A comma is accepted as the decimal point. */
  takeNumber(): number {
    const start = this.#offset;
    this.skipWord();
    const isContinued = this.#hasContinuations && this.#bytes[this.#offset - 1] === BACKSLASH;
    return parseNumber(this.#text, start, isContinued ? this.#offset - 1 : this.#offset);
  }

  /** Reads an integer and stops after its digits: of `12/3/4`, this returns 12. Returns NaN if there is none. */
  takeInteger(): number {
    const bytes = this.#bytes;
    const isNegative = bytes[this.#offset] === MINUS;
    if (isNegative || bytes[this.#offset] === PLUS) this.#offset++;
    let value = 0;
    const start = this.#offset;
    for (; this.#offset < bytes.length; this.#offset++) {
      const byte = bytes[this.#offset];
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + (byte - ZERO);
    }
    if (this.#offset === start) return Number.NaN;
    return isNegative ? -value : value;
  }

  /** Returns whether the last word of this line, at whose end the position is, ends with a backslash. */
  #endsWithBackslash(): boolean {
    let offset = this.#offset - 1;
    while (this.#bytes[offset] === SPACE || this.#bytes[offset] === TAB) offset--;
    return this.#bytes[offset] === BACKSLASH;
  }

  /** Returns whether only blanks follow in this line. */
  #isLineEnd(from: number): boolean {
    let offset = from;
    while (this.#bytes[offset] === SPACE || this.#bytes[offset] === TAB) offset++;
    return this.#bytes[offset] === NEWLINE || this.#bytes[offset] === RETURN;
  }
}

/**
 * Returns whether one of four bytes is a space or less (S. E. Anderson, Bit Twiddling Hacks: determine if a word has a
 * byte less than n).
 */
function hasSpace(word: number): boolean {
  return ((word - 0x21212121) & ~word & 0x80808080) !== 0;
}
