import { MeshError } from '../../core/mesh-error.js';
import { decodeUtf16 } from '../decode-utf16.js';
import type { XmlRow } from './xml-row.js';
import { COLON, decodeXml, EQUALS, GREATER, isTextAt, LESS, parseNumberIn, SLASH, SPACE } from './xml-text.js';

const DEEPEST = 200;
const MAX_ATTRIBUTES = 256;
const MAX_NAME_LENGTH = 256;

/** What a reader met: an element's begin or end, text between tags (never only spaces), or the end of the file. */
export type XmlEvent = 'open' | 'close' | 'text' | 'end';

/**
 * Walks through an XML document without making strings or objects of it. Names lose their prefix. Nothing is ever fetched: a document type
 * is skipped, and refused where it defines entities. Elements nest 200 deep at most. Throws `FILE_MALFORMED` with the byte where it is
 * wrong. A document that breaks off gives `end` with a `depth` above 0.
 */
export class XmlReader {
  readonly #text: Buffer;
  readonly #view: DataView;
  #at = 0;
  #name = '';
  readonly #attributes = new Int32Array(MAX_ATTRIBUTES * 4); // begin and end of name and value of each
  #attributeCount = 0;
  #isSelfClosed: boolean = false;
  #textStart = 0;
  #textEnd = 0;
  #isRaw: boolean = false;
  readonly #open: string[] = [];
  /** hash → the name that it is of, so that each name becomes a string once */
  readonly #names = new Map<number, string>();

  constructor(bytes: Uint8Array) {
    const plain = decodeUtf16(bytes);
    this.#text = Buffer.from(plain.buffer, plain.byteOffset, plain.length);
    this.#view = new DataView(plain.buffer, plain.byteOffset, plain.length);
    if (plain[0] === 0xef && plain[1] === 0xbb && plain[2] === 0xbf) this.#at = 3;
  }

  /** The name of the element that was opened or closed, without its prefix. */
  get name(): string {
    return this.#name;
  }

  /** How many elements are open, the one just opened among them. */
  get depth(): number {
    return this.#open.length;
  }

  /** How much of the document is behind us: 0..1. */
  get progress(): number {
    return this.#text.length === 0 ? 1 : this.#at / this.#text.length;
  }

  next(): XmlEvent {
    if (this.#isSelfClosed) {
      this.#isSelfClosed = false;
      this.#open.pop();
      return 'close';
    }
    const text = this.#text;
    while (this.#at < text.length) {
      if (text[this.#at] !== LESS) {
        if (this.#readText()) return 'text';
        continue;
      }
      const after = text[this.#at + 1];
      if (after === SLASH) return this.#readClose();
      if (after === 0x21) {
        if (this.#readDeclaration()) return 'text';
      } else if (after === 0x3f) this.#skipTo('?>');
      else return this.#readOpen();
    }
    return 'end';
  }

  /** Reads the element that comes next, and goes behind its end, if it is written as `row` is; else stays here, and answers false. */
  acceptRow(row: XmlRow, into: Float64Array): boolean {
    if (this.#isSelfClosed || this.#open.length >= DEEPEST) return false;
    const end = row.read(this.#text, this.#view, this.#at, into);
    if (end >= 0) this.#at = end;
    return end >= 0;
  }

  /** The value of an attribute of the element just opened, its name without a prefix; `undefined` where there is none. */
  attribute(name: string): string | undefined {
    const match = this.#find(name);
    return match < 0
      ? undefined
      : decodeXml(this.#text.toString('utf8', this.#attributes[match + 2], this.#attributes[match + 3]));
  }

  /** The value of an attribute as a number; NaN where it is none. */
  numberAttribute(name: string): number {
    const match = this.#find(name);
    return match < 0 ? Number.NaN : parseNumberIn(this.#text, this.#attributes[match + 2], this.#attributes[match + 3]);
  }

  /** The text just met. */
  text(): string {
    const raw = this.#text.toString('utf8', this.#textStart, this.#textEnd);
    return this.#isRaw ? raw : decodeXml(raw);
  }

  /** The text just met as a number; NaN where it is none. */
  numberText(): number {
    return parseNumberIn(this.#text, this.#textStart, this.#textEnd);
  }

  #find(name: string): number {
    for (let i = 0; i < this.#attributeCount * 4; i += 4) {
      const start = this.#attributes[i];
      if (this.#attributes[i + 1] - start === name.length && isTextAt(this.#text, name, start)) return i;
    }
    return -1;
  }

  /** Reads text up to the next tag. Answers whether there is more in it than spaces. */
  #readText(): boolean {
    const text = this.#text;
    let isEmpty = true;
    const start = this.#at;
    let at = start;
    for (let byte = text[at]; at < text.length && byte !== LESS; byte = text[++at]) if (byte > SPACE) isEmpty = false;
    this.#at = at;
    this.#textStart = start;
    this.#textEnd = at;
    this.#isRaw = false;
    return !isEmpty;
  }

  /** Goes behind a comment or a document type; reads raw text. Answers whether there was raw text. */
  #readDeclaration(): boolean {
    const start = this.#at;
    const is = (word: string) => this.#text.toString('latin1', start, start + word.length).toUpperCase() === word;
    if (is('<![CDATA[')) {
      this.#skipTo(']]>');
      this.#textStart = start + 9;
      this.#textEnd = Math.max(start + 9, this.#at - 3);
      this.#isRaw = true;
      return true;
    }
    if (is('<!--')) this.#skipTo('-->');
    else if (is('<!DOCTYPE')) {
      this.#skipTo('>');
      if (this.#text.subarray(start, this.#at).includes(0x5b))
        throw this.#malformed('its document type defines its own');
    } else throw this.#malformed('it has a declaration that is not known');
    return false;
  }

  #skipTo(end: string): void {
    const match = this.#text.indexOf(end, this.#at + 2, 'latin1');
    this.#at = match < 0 ? this.#text.length : match + end.length;
  }

  #readClose(): XmlEvent {
    const end = this.#text.indexOf(GREATER, this.#at);
    if (end < 0) return this.#truncated();
    this.#readName(this.#at + 2);
    if (this.#open.pop() !== this.#name) throw this.#malformed(`it closes “${this.#name}”, which is not open`);
    this.#at = end + 1;
    return 'close';
  }

  #readOpen(): XmlEvent {
    let at = this.#readName(this.#at + 1);
    const text = this.#text;
    this.#attributeCount = 0;
    for (;;) {
      while (text[at] <= SPACE) at++;
      if (at >= text.length) return this.#truncated();
      if (text[at] === GREATER) break;
      if (text[at] === SLASH && text[at + 1] === GREATER) {
        this.#isSelfClosed = true;
        at++;
        break;
      }
      at = this.#readAttribute(at);
      if (at < 0) return this.#truncated();
    }
    this.#at = at + 1;
    this.#open.push(this.#name);
    if (this.#open.length > DEEPEST) throw this.#malformed(`its elements nest deeper than ${DEEPEST}`);
    return 'open';
  }

  /** Notes where the attribute here is, and answers where it ends; -1 where the document breaks off. */
  #readAttribute(from: number): number {
    const text = this.#text;
    let at = from;
    let start = at;
    while (text[at] > SPACE && text[at] !== EQUALS && text[at] !== GREATER) if (text[at++] === COLON) start = at;
    const end = at;
    while (text[at] <= SPACE) at++;
    if (at >= text.length) return -1;
    if (text[at] !== EQUALS) throw this.#malformed('an attribute has no value');
    at++;
    while (text[at] <= SPACE) at++;
    const quote = text[at];
    if (at < text.length && quote !== 0x22 && quote !== 0x27) throw this.#malformed('an attribute has no quotes');
    const valueStart = ++at;
    while (at < text.length && text[at] !== quote) at++;
    if (at >= text.length) return -1;
    if (this.#attributeCount === MAX_ATTRIBUTES) throw this.#malformed('an element has too many attributes');
    const slot = this.#attributeCount++ * 4;
    this.#attributes[slot] = start;
    this.#attributes[slot + 1] = end;
    this.#attributes[slot + 2] = valueStart;
    this.#attributes[slot + 3] = at;
    return at + 1;
  }

  /** Reads a name, and answers where it ends. */
  #readName(from: number): number {
    const text = this.#text;
    let at = from;
    let start = at;
    let hash = 0;
    for (; text[at] > SPACE && text[at] !== GREATER && text[at] !== SLASH; at++) {
      if (text[at] === COLON) {
        start = at + 1;
        hash = 0;
      } else hash = (Math.imul(hash, 31) + text[at]) | 0;
    }
    if (at === start || at - start > MAX_NAME_LENGTH) throw this.#malformed('an element has no name');
    const existing = this.#names.get(hash);
    if (existing !== undefined && existing.length === at - start && isTextAt(this.#text, existing, start))
      this.#name = existing;
    else {
      this.#name = text.toString('utf8', start, at);
      this.#names.set(hash, this.#name);
    }
    return at;
  }

  #truncated(): 'end' {
    this.#at = this.#text.length;
    return 'end';
  }

  #malformed(why: string): MeshError {
    return new MeshError('FILE_MALFORMED', `This is no sound XML: at byte ${this.#at} ${why}`);
  }
}
