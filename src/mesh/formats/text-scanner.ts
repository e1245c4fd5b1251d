const SPACE = 0x20;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const HASH = 0x23;
const POINT = 0x2e;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const ZERO = 0x30;
const NINE = 0x39;
const LARGEST_EXACT = 1e15;
// Powers of ten that are exact as doubles.
const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const LONGEST_WORD = 400;

/**
 * Walks through the words of a text without making strings of them. Words are separated by bytes up to the space; a line ends
 * with LF, CR or both. Written for files of hundreds of megabytes: `split` and `Number` take three times as long and ten times the memory.
 */
export class TextScanner {
  readonly #bytes: Uint8Array;
  /** The same memory, for its conversion to text. */
  readonly #text: Buffer;
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
    this.#hasContinuations = options.hasContinuations ?? false;
    this.#hasComments = options.hasComments ?? false;
  }

  /** How much of the text is behind us: 0..1. */
  get progress(): number {
    return this.#bytes.length === 0 ? 1 : this.#at / this.#bytes.length;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Goes to the next word of this line; false where there is none. */
  hasWord(): boolean {
    const bytes = this.#bytes;
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
  toWord(): boolean {
    while (this.#at < this.#bytes.length && this.#bytes[this.#at] <= SPACE) this.#at++;
    return this.#at < this.#bytes.length;
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
  takeWord(word: string): boolean {
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

  /** Goes behind the word here. */
  skipWord(): void {
    while (this.#at < this.#bytes.length && this.#bytes[this.#at] > SPACE) this.#at++;
  }

  /** The rest of this line as text, without spaces at its ends. Bytes that are no UTF-8 are replaced. */
  restOfLine(): string {
    const start = this.#at;
    while (this.#at < this.#bytes.length && this.#bytes[this.#at] !== NEWLINE && this.#bytes[this.#at] !== RETURN) {
      this.#at++;
    }
    return new TextDecoder().decode(this.#bytes.subarray(start, Math.min(this.#at, start + LONGEST_WORD))).trim();
  }

  /**
   * The word here as a number; NaN where it is none. A comma counts as the decimal point. Up to 15 digits and small exponents are
   * computed exactly with one multiplication or division (W. D. Clinger, How to read floating point numbers accurately, 1990);
   * what is longer goes to `Number`.
   */
  takeNumber(): number {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    const isNegative = bytes[at] === MINUS;
    if (isNegative || bytes[at] === PLUS) at++;
    let digits = 0;
    let value = 0;
    let exponent = 0;
    let hasPoint = false;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte >= ZERO && byte <= NINE) {
        value = value * 10 + (byte - ZERO);
        digits++;
        if (hasPoint) exponent--;
      } else if ((byte === POINT || byte === COMMA) && !hasPoint) hasPoint = true;
      else break;
    }
    const isExponentNext = at < bytes.length && (bytes[at] | 0x20) === 0x65;
    if (isExponentNext) {
      const isSmall = bytes[at + 1] === MINUS;
      let power = 0;
      at += isSmall || bytes[at + 1] === PLUS ? 2 : 1;
      if (!(bytes[at] >= ZERO && bytes[at] <= NINE)) digits = 0;
      for (; at < bytes.length && bytes[at] >= ZERO && bytes[at] <= NINE; at++) power = power * 10 + (bytes[at] - ZERO);
      exponent += isSmall ? -power : power;
    }
    const isWhole = at >= bytes.length || bytes[at] <= SPACE;
    this.#at = at;
    if (digits === 0 || !isWhole) {
      this.skipWord();
      return Number.NaN;
    }
    if (value > LARGEST_EXACT || exponent < -22 || exponent > 22) return this.#numberOf(start);
    const size = exponent < 0 ? value / POWERS[-exponent] : value * POWERS[exponent];
    return isNegative ? -size : size;
  }

  /** What `Number` makes of the text from `start` to here, which has been found to be a number. */
  #numberOf(start: number): number {
    if (this.#at - start > LONGEST_WORD) return Number.NaN;
    const word = this.#text.toString('latin1', start, this.#at);
    return Number(word.includes(',') ? word.replace(',', '.') : word);
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
