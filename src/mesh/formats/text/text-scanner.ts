import { parseNumber } from './parse-number.js';
import { scanNumber } from './scan-number.js';

const SPACE = 0x20;
const FOUR_SPACES = 0x20202020;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const HASH = 0x23;
const MINUS = 0x2d;
const PLUS = 0x2b;
const ZERO = 0x30;
const NINE = 0x39;
const MAX_WORD_LENGTH = 400;

/** A word of four to eight letters that is often looked for: two numbers of four bytes each tell it, which may overlap. */
export class ShortWord {
  readonly length: number;
  /** Its first four bytes and its last four, the first of them lowest. */
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
 * Walks through the words of a text without making strings of them. Words are separated by bytes up to the space; a line ends
 * with LF, CR or both. Written for files of hundreds of megabytes: `split` and `Number` take three times as long and ten times the memory.
 */
export class TextScanner {
  readonly #bytes: Uint8Array;
  /** The same memory, for its conversion to text. */
  readonly #text: Buffer;
  readonly #view: DataView;
  readonly #hasContinuations: boolean;
  readonly #hasComments: boolean;
  #at = 0;

  /**
   * With `hasContinuations` a backslash at the end of a line is taken for a space, and the line goes on.
   * With `hasComments` a word that begins with `#` ends the words of its line. Both default to false.
   */
  constructor(bytes: Uint8Array, options: { hasContinuations?: boolean; hasComments?: boolean } = {}) {
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#hasContinuations = options.hasContinuations ?? false;
    this.#hasComments = options.hasComments ?? false;
  }

  /** How much of the text is behind us: 0..1. */
  get progress(): number {
    return this.#bytes.length === 0 ? 1 : this.#at / this.#bytes.length;
  }

  /** The byte that it stands at: to come back to. */
  get position(): number {
    return this.#at;
  }

  set position(offset: number) {
    this.#at = offset;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Goes to the next word of this line; false where there is none. */
  hasWord(): boolean {
    const bytes = this.#bytes;
    while (bytes[this.#at] === SPACE) this.#at++;
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at];
      if (byte === NEWLINE || byte === RETURN || (byte === HASH && this.#hasComments)) return false;
      if (byte > SPACE && !this.#isContinuation()) return true;
      if (byte > SPACE) this.#skipContinuation();
      else this.#at++;
    }
    return false;
  }

  /** Goes to the next word, over line ends; false at the end of the text. */
  seekWord(): boolean {
    const bytes = this.#bytes;
    const view = this.#view;
    let index = this.#at;
    // Behind the end all is undefined, and no less.
    while (bytes[index] <= SPACE) {
      index++;
      while (index + 4 <= bytes.length && view.getInt32(index, true) === FOUR_SPACES) index += 4;
    }
    this.#at = index;
    return index < bytes.length;
  }

  /** The first byte of the word here, a letter in lower case: what tells many words apart at once. */
  get initial(): number {
    return this.#bytes[this.#at] | 0x20;
  }

  /** Goes behind the end of this line. */
  skipLine(): void {
    const bytes = this.#bytes;
    while (this.#at < bytes.length && bytes[this.#at] !== NEWLINE && bytes[this.#at] !== RETURN) {
      if (this.#isContinuation()) this.#skipContinuation();
      else this.#at++;
    }
    if (bytes[this.#at] === RETURN && bytes[this.#at + 1] === NEWLINE) this.#at++;
    this.#at++;
  }

  /** Whether the word here is this one (lower case), without regard to case. Goes behind it if so. */
  acceptWord(word: string): boolean {
    const bytes = this.#bytes;
    for (let i = 0; i < word.length; i++) {
      const byte = bytes[this.#at + i];
      if (byte === undefined || (byte | (byte >= 0x41 && byte <= 0x5a ? 0x20 : 0)) !== word.charCodeAt(i)) return false;
    }
    const after = bytes[this.#at + word.length];
    if (after !== undefined && after > SPACE) return false;
    this.#at += word.length;
    return true;
  }

  /** Whether the next word, over line ends, is this one, as it is written. Goes behind it if so, to it if not. */
  acceptShortWord({ length, head, tail }: ShortWord): boolean {
    this.seekWord();
    const end = this.#at + length;
    // The byte behind it must be there too.
    if (end >= this.#bytes.length || this.#bytes[end] > SPACE) return false;
    if (this.#view.getInt32(this.#at, true) !== head || this.#view.getInt32(end - 4, true) !== tail) return false;
    this.#at = end;
    return true;
  }

  /** Goes behind the word here. */
  skipWord(): void {
    const bytes = this.#bytes;
    const view = this.#view;
    let index = this.#at;
    while (index + 4 <= bytes.length && !hasSpace(view.getInt32(index, true))) index += 4;
    while (bytes[index] > SPACE) index++; // behind the end all is undefined, and no more
    this.#at = index;
  }

  /** The rest of this line as text, without spaces at its ends. Bytes that are no UTF-8 are replaced. */
  restOfLine(): string {
    const start = this.#at;
    while (this.#at < this.#bytes.length && this.#bytes[this.#at] !== NEWLINE && this.#bytes[this.#at] !== RETURN) {
      this.#at++;
    }
    return new TextDecoder().decode(this.#bytes.subarray(start, Math.min(this.#at, start + MAX_WORD_LENGTH))).trim();
  }

  /** The next words of this line as numbers, as many as `into` has room for; NaN for a word that is none, and where the line ends. */
  takeNumbers(into: Float64Array): void {
    const bytes = this.#bytes;
    let index = this.#at;
    for (let k = 0; k < into.length; k++) {
      while (bytes[index] === SPACE) index++;
      const end = scanNumber(bytes, this.#view, index, into, k);
      if (end >= 0 && bytes[end] <= SPACE) {
        index = end;
        continue;
      }
      this.#at = index;
      into[k] = this.hasWord() ? this.takeNumber() : Number.NaN;
      index = this.#at;
    }
    this.#at = index;
  }

  /** The word here as a number; NaN where it is none. A comma counts as the decimal point. */
  takeNumber(): number {
    const start = this.#at;
    this.skipWord();
    return parseNumber(this.#text, start, this.#at);
  }

  /** The integer here; NaN where there is none. Stops behind its digits: of `12/3/4` it gives 12. */
  takeInteger(): number {
    const bytes = this.#bytes;
    const isNegative = bytes[this.#at] === MINUS;
    if (isNegative || bytes[this.#at] === PLUS) this.#at++;
    let value = 0;
    const start = this.#at;
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at];
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + (byte - ZERO);
    }
    if (this.#at === start) return Number.NaN;
    return isNegative ? -value : value;
  }

  #isContinuation(): boolean {
    if (!this.#hasContinuations || this.#bytes[this.#at] !== 0x5c) return false;
    const next = this.#bytes[this.#at + 1];
    return next === NEWLINE || next === RETURN;
  }

  #skipContinuation(): void {
    this.#at += this.#bytes[this.#at + 1] === RETURN && this.#bytes[this.#at + 2] === NEWLINE ? 3 : 2;
  }
}

/** Whether one of four bytes is a space or less (S. E. Anderson, Bit Twiddling Hacks: a byte less than n). */
function hasSpace(four: number): boolean {
  return ((four - 0x21212121) & ~four & 0x80808080) !== 0;
}
