import { isSeparator } from './x3d-node.js';

const HASH = 0x23;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BRACKETS = [0x5b, 0x5d, 0x7b, 0x7d];

/** Walks through the words of a VRML: brackets each for itself, strings with their quotes, all else between spaces, commas and brackets. */
export class VrmlTokens {
  readonly #text: Buffer;
  #at = 0;
  /** Where the word here begins. */
  start = 0;
  /** Where it ends. */
  end = 0;

  constructor(text: Buffer) {
    this.#text = text;
  }

  /** Goes to the next word; false at the end of the text. */
  next(): boolean {
    this.#skipBetween();
    const text = this.#text;
    this.start = this.#at;
    if (this.#at >= text.length) {
      this.end = this.start;
      return false;
    }
    const first = text[this.#at++];
    if (first === QUOTE) this.#skipString();
    else if (!BRACKETS.includes(first)) {
      while (this.#at < text.length && !this.#isEnd(text[this.#at])) this.#at++;
    }
    this.end = this.#at;
    return true;
  }

  /** Goes back before the word here. */
  back(): void {
    this.#at = this.start;
  }

  /** Whether the word here is this one. */
  is(word: string): boolean {
    if (this.end - this.start !== word.length) return false;
    for (let i = 0; i < word.length; i++) if (this.#text[this.start + i] !== word.charCodeAt(i)) return false;
    return true;
  }

  /** Whether the word here begins as a number does. */
  startsNumber(): boolean {
    const byte = this.#text[this.start];
    return (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e;
  }

  /** The word here. */
  word(): string {
    return this.#text.toString('utf8', this.start, Math.min(this.end, this.start + 256));
  }

  #isEnd(byte: number): boolean {
    return isSeparator(byte) || BRACKETS.includes(byte) || byte === QUOTE || byte === HASH;
  }

  #skipBetween(): void {
    const text = this.#text;
    while (this.#at < text.length) {
      if (isSeparator(text[this.#at])) this.#at++;
      else if (text[this.#at] === HASH) {
        while (this.#at < text.length && text[this.#at] !== NEWLINE && text[this.#at] !== RETURN) this.#at++;
      } else return;
    }
  }

  #skipString(): void {
    const text = this.#text;
    while (this.#at < text.length && text[this.#at] !== QUOTE) this.#at += text[this.#at] === BACKSLASH ? 2 : 1;
    this.#at = Math.min(text.length, this.#at + 1);
  }
}
