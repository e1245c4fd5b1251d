import { isSeparator } from '../text/parse-numbers.js';

const HASH = 0x23;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BRACKETS = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Splits a VRML into tokens: single brackets, quoted strings, and words separated by spaces, commas and brackets. Skips
 * comments.
 */
export class VrmlTokens {
  readonly #text: Buffer;
  #offset = 0;
  /** The offset of the current token. */
  start = 0;
  /** The offset after the current token. */
  end = 0;

  constructor(text: Buffer) {
    this.#text = text;
  }

  /** Moves to the next token. Returns false at the end of the text. */
  next(): boolean {
    this.#skipSeparators();
    const text = this.#text;
    this.start = this.#offset;
    if (this.#offset >= text.length) {
      this.end = this.start;
      return false;
    }
    const first = text[this.#offset++];
    if (first === QUOTE) this.#skipString();
    else if (!BRACKETS.includes(first)) {
      while (this.#offset < text.length && !this.#isWordEnd(text[this.#offset])) this.#offset++;
    }
    this.end = this.#offset;
    return true;
  }

  /** Moves back to the start of the current token, so that `next` returns it again. */
  back(): void {
    this.#offset = this.start;
  }

  /** Returns whether the current token equals `word`. */
  is(word: string): boolean {
    if (this.end - this.start !== word.length) return false;
    for (let i = 0; i < word.length; i++) if (this.#text[this.start + i] !== word.charCodeAt(i)) return false;
    return true;
  }

  /** Returns whether the current token begins like a number. */
  startsNumber(): boolean {
    const byte = this.#text[this.start];
    return (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e;
  }

  /** Returns the current token, at most 256 bytes of it. */
  word(): string {
    return this.#text.toString('utf8', this.start, Math.min(this.end, this.start + 256));
  }

  #isWordEnd(byte: number): boolean {
    return isSeparator(byte) || BRACKETS.includes(byte) || byte === QUOTE || byte === HASH;
  }

  #skipSeparators(): void {
    const text = this.#text;
    while (this.#offset < text.length) {
      if (isSeparator(text[this.#offset])) this.#offset++;
      else if (text[this.#offset] === HASH) {
        while (this.#offset < text.length && text[this.#offset] !== NEWLINE && text[this.#offset] !== RETURN)
          this.#offset++;
      } else return;
    }
  }

  #skipString(): void {
    const text = this.#text;
    while (this.#offset < text.length && text[this.#offset] !== QUOTE)
      this.#offset += text[this.#offset] === BACKSLASH ? 2 : 1;
    this.#offset = Math.min(text.length, this.#offset + 1);
  }
}
