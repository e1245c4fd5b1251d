import { MeshError } from '../../core/mesh-error.js';
import { decodeText } from './decode-text.js';
import type { XmlRow } from './xml-row.js';
import { COLON, decodeXml, EQUALS, GREATER, isTextAt, LESS, parseNumberIn, SLASH, SPACE } from './xml-text.js';

const MAX_DEPTH = 200;
const MAX_ATTRIBUTES = 256;
const MAX_NAME_LENGTH = 256;
const NO_NAMES: string[] = [];

/** The next item of a document: an element opened or closed, text that is not only spaces, or the end of the file. */
export type XmlEvent = 'open' | 'close' | 'text' | 'end';

/**
 * Reads an XML document as a stream of events without building a tree. Namespace prefixes are dropped. Nothing is
 * fetched: a document type is skipped, and rejected if it declares entities. Elements nest at most 200 deep. Throws
 * `FILE_MALFORMED` with the byte offset. In a truncated document, `end` arrives with a `depth` above 0.
 */
export class XmlReader {
  readonly #text: Buffer;
  readonly #view: DataView;
  #offset = 0;
  #name = '';
  readonly #attributes = new Int32Array(MAX_ATTRIBUTES * 4); // start and end of name, start and end of value, of each
  #attributeCount = 0;
  #isSelfClosed: boolean = false;
  #textStart = 0;
  #textEnd = 0;
  #isCdata: boolean = false;
  readonly #openNames: string[] = [];
  /** hash → a name with that hash, so that each name is decoded only once */
  readonly #names = new Map<number, string>();

  constructor(bytes: Uint8Array) {
    const text = decodeText(bytes);
    this.#text = Buffer.from(text.buffer, text.byteOffset, text.length);
    this.#view = new DataView(text.buffer, text.byteOffset, text.length);
  }

  /** The name of the element that was opened or closed last, without its prefix. */
  get name(): string {
    return this.#name;
  }

  /** The number of open elements, including the one just opened. */
  get depth(): number {
    return this.#openNames.length;
  }

  /** The fraction of the document that has been read, 0..1. */
  get progress(): number {
    return this.#text.length === 0 ? 1 : this.#offset / this.#text.length;
  }

  /** Moves to the next event. */
  next(): XmlEvent {
    if (this.#isSelfClosed) {
      this.#isSelfClosed = false;
      this.#openNames.pop();
      return 'close';
    }
    const text = this.#text;
    while (this.#offset < text.length) {
      if (text[this.#offset] !== LESS) {
        if (this.#readText()) return 'text';
        continue;
      }
      const after = text[this.#offset + 1];
      if (after === SLASH) return this.#readClose();
      if (after === 0x21) {
        if (this.#readDeclaration()) return 'text';
      } else if (after === 0x3f) this.#skipTo('?>');
      else return this.#readOpen();
    }
    return 'end';
  }

  /**
   * Reads the next element if it has the form of `row`, and moves past it. Otherwise leaves the position unchanged and
   * returns false.
   */
  acceptRow(row: XmlRow, into: Float64Array): boolean {
    if (this.#isSelfClosed || this.#openNames.length >= MAX_DEPTH) return false;
    const end = row.read(this.#text, this.#view, this.#offset, into);
    if (end >= 0) this.#offset = end;
    return end >= 0;
  }

  /** Returns the decoded value of an attribute of the element just opened, or `undefined`. */
  attribute(name: string): string | undefined {
    const match = this.#find(name);
    return match < 0
      ? undefined
      : decodeXml(this.#text.toString('utf8', this.#attributes[match + 2], this.#attributes[match + 3]));
  }

  /** Returns the names of the attributes of the element just opened that have at least `minLength` characters. */
  listLongNames(minLength: number): string[] {
    let names = NO_NAMES;
    for (let i = 0; i < this.#attributeCount * 4; i += 4) {
      const start = this.#attributes[i];
      const end = this.#attributes[i + 1];
      if (end - start >= minLength) names = [...names, this.#text.toString('latin1', start, end)];
    }
    return names;
  }

  /** Returns the value of an attribute as a number, or NaN. */
  numberAttribute(name: string): number {
    const match = this.#find(name);
    return match < 0 ? Number.NaN : parseNumberIn(this.#text, this.#attributes[match + 2], this.#attributes[match + 3]);
  }

  /** Returns the text of the last event, decoded. */
  text(): string {
    const raw = this.#text.toString('utf8', this.#textStart, this.#textEnd);
    return this.#isCdata ? raw : decodeXml(raw);
  }

  /** Returns the text of the last event as a number, or NaN. */
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

  /** Reads text up to the next tag. Returns whether it contains more than spaces. */
  #readText(): boolean {
    const text = this.#text;
    let isEmpty = true;
    const start = this.#offset;
    let at = start;
    for (let byte = text[at]; at < text.length && byte !== LESS; byte = text[++at]) if (byte > SPACE) isEmpty = false;
    this.#offset = at;
    this.#textStart = start;
    this.#textEnd = at;
    this.#isCdata = false;
    return !isEmpty;
  }

  /** Skips a comment or a document type, or reads a CDATA section. Returns whether it was a CDATA section. */
  #readDeclaration(): boolean {
    const start = this.#offset;
    const is = (word: string) => this.#text.toString('latin1', start, start + word.length).toUpperCase() === word;
    if (is('<![CDATA[')) {
      this.#skipTo(']]>');
      this.#textStart = start + 9;
      this.#textEnd = Math.max(start + 9, this.#offset - 3);
      this.#isCdata = true;
      return true;
    }
    if (is('<!--')) this.#skipTo('-->');
    else if (is('<!DOCTYPE')) {
      this.#skipTo('>');
      if (this.#text.subarray(start, this.#offset).includes(0x5b))
        throw this.#malformed('its document type declares entities');
    } else throw this.#malformed('there is an unknown declaration');
    return false;
  }

  #skipTo(end: string): void {
    const match = this.#text.indexOf(end, this.#offset + 2, 'latin1');
    this.#offset = match < 0 ? this.#text.length : match + end.length;
  }

  #readClose(): XmlEvent {
    const end = this.#text.indexOf(GREATER, this.#offset);
    if (end < 0) return this.#truncated();
    this.#readName(this.#offset + 2);
    if (this.#openNames.pop() !== this.#name) throw this.#malformed(`“${this.#name}” is closed but not open`);
    this.#offset = end + 1;
    return 'close';
  }

  #readOpen(): XmlEvent {
    let at = this.#readName(this.#offset + 1);
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
    this.#offset = at + 1;
    this.#openNames.push(this.#name);
    if (this.#openNames.length > MAX_DEPTH) throw this.#malformed(`elements nest deeper than ${MAX_DEPTH}`);
    return 'open';
  }

  /** Records the offsets of an attribute. Returns the offset after it, or -1 if the document is truncated. */
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

  /** Reads a name. Returns the offset after it. */
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
    this.#offset = this.#text.length;
    return 'end';
  }

  #malformed(reason: string): MeshError {
    return new MeshError('FILE_MALFORMED', `Invalid XML at byte ${this.#offset}: ${reason}.`);
  }
}
