import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { parseNumber } from '../text/parse-number.js';
import { decodeStepString } from './decode-step-string.js';

/** A reference to an instance. */
export interface StepReference {
  id: number;
}

/** A list of numbers, or of lists of numbers, in sequence. */
export interface StepNumbers {
  numbers: Float64Array;
  /** The first number of each inner list; one entry for a list of numbers. */
  rowStarts: readonly number[];
}

/** A keyword and its parameters. An instance has one, or several if it is complex. */
export interface StepRecord {
  keyword: string;
  values: StepValue[];
}

/** A parameter. `null` is one without a value (`$` or `*`), and an enumeration is a string such as `.T.`. */
export type StepValue = number | string | null | StepReference | StepNumbers | StepRecord | StepValue[];

const [QUOTE, HASH, STAR, SLASH, DOLLAR] = [0x27, 0x23, 0x2a, 0x2f, 0x24];
const [OPEN, CLOSE, COMMA, DOT, SEMICOLON, EQUALS] = [0x28, 0x29, 0x2c, 0x2e, 0x3b, 0x3d];
const MAX_DEPTH = 100;

/** The instances of a STEP file (ISO 10303-21), parsed when they are requested. */
export class StepFile {
  readonly #text: Buffer;
  /** id → offset behind the equals sign */
  readonly #offsets = new Map<number, number>();
  /** id → its records, once requested */
  readonly #parsed = new Map<number, readonly StepRecord[]>();
  /** first keyword → ids */
  readonly #idsByKeyword = new Map<string, number[]>();
  #offset = 0;
  /** The number of malformed instances that were requested. */
  malformedCount = 0;

  constructor(bytes: Uint8Array) {
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    while (this.#offset < this.#text.length) this.#indexStatement();
  }

  /** The length of the file. */
  get byteLength(): number {
    return this.#text.length;
  }

  /** The first keywords of all instances. */
  get keywords(): Iterable<string> {
    return this.#idsByKeyword.keys();
  }

  /** Returns the instances whose first keyword is this one. */
  idsOf(keyword: string): readonly number[] {
    return this.#idsByKeyword.get(keyword) ?? [];
  }

  /** Returns the records of an instance; none if it does not exist or is malformed. Parses it only once. */
  read(id: number | undefined): readonly StepRecord[] {
    const existing = this.#parsed.get(id ?? -1);
    if (existing) return existing;
    const records = this.#tryToParse(this.#offsets.get(id ?? -1));
    this.#parsed.set(id ?? -1, records);
    return records;
  }

  #tryToParse(offset: number | undefined): StepRecord[] {
    try {
      return offset === undefined ? [] : this.#parse(offset);
    } catch (error) {
      if (!(error instanceof MalformedInstance)) throw error;
      this.malformedCount++;
      return [];
    }
  }

  #parse(offset: number): StepRecord[] {
    this.#offset = offset;
    this.#skipSpace();
    if (this.#text[this.#offset] !== OPEN) return [this.#readRecord(0)];
    const records: StepRecord[] = [];
    this.#offset++;
    for (this.#skipSpace(); this.#text[this.#offset] !== CLOSE; this.#skipSpace()) records.push(this.#readRecord(0));
    return records;
  }

  /** Records the offset of an instance, and moves behind its semicolon. */
  #indexStatement(): void {
    this.#skipSpace();
    if (this.#text[this.#offset] === HASH) {
      const start = ++this.#offset;
      while (isDigit(this.#text[this.#offset])) this.#offset++;
      const id = parseNumber(this.#text, start, this.#offset);
      this.#skipSpace();
      if (this.#text[this.#offset] === EQUALS) {
        this.#offsets.set(id, ++this.#offset);
        this.#skipSpace();
        if (this.#text[this.#offset] === OPEN) {
          this.#offset++;
          this.#skipSpace();
        }
        const keyword = this.#readWord();
        const ids = this.#idsByKeyword.get(keyword);
        if (ids) ids.push(id);
        else this.#idsByKeyword.set(keyword, [id]);
      }
    }
    this.#skipStatement();
  }

  #skipStatement(): void {
    const text = this.#text;
    let at = this.#offset;
    for (; at < text.length && text[at] !== SEMICOLON; at++) {
      if (text[at] === QUOTE) at = this.#findMark("'", at + 1);
      else if (text[at] === SLASH && text[at + 1] === STAR) at = this.#findMark('*/', at + 2) + 1;
    }
    this.#offset = at + 1;
  }

  /** Returns the offset of a mark from `from` on, or the end. */
  #findMark(mark: string, from: number): number {
    const match = this.#text.indexOf(mark, from, 'latin1');
    return match < 0 ? this.#text.length : match;
  }

  #skipSpace(): void {
    const text = this.#text;
    for (;;) {
      while (text[this.#offset] <= 0x20) this.#offset++;
      if (text[this.#offset] !== SLASH || text[this.#offset + 1] !== STAR) return;
      this.#offset = this.#findMark('*/', this.#offset + 2) + 2;
    }
  }

  /** Reads letters, digits and underscores. */
  #readWord(): string {
    const start = this.#offset;
    while (isWordByte(this.#text[this.#offset])) this.#offset++;
    return this.#text.toString('latin1', start, this.#offset).toUpperCase();
  }

  #readRecord(depth: number): StepRecord {
    const keyword = this.#readWord();
    this.#skipSpace();
    if (keyword === '' || this.#text[this.#offset] !== OPEN) throw new MalformedInstance();
    return { keyword, values: this.#readValues(depth) };
  }

  #readValues(depth: number): StepValue[] {
    if (depth > MAX_DEPTH) throw new MalformedInstance();
    const values: StepValue[] = [];
    this.#offset++;
    for (this.#skipSpace(); this.#text[this.#offset] !== CLOSE; this.#skipSpace()) {
      values.push(this.#readValue(depth + 1));
      this.#skipSpace();
      if (this.#text[this.#offset] === COMMA) this.#offset++;
      else if (this.#text[this.#offset] !== CLOSE) throw new MalformedInstance();
    }
    this.#offset++;
    return values;
  }

  /** Reads a list of numbers, or of lists of numbers. Returns `undefined` and stays at its start if there are others. */
  #readNumbers(): StepNumbers | undefined {
    const text = this.#text;
    const numbers = new GrowableFloat64Array();
    const rowStarts: number[] = [];
    let depth = 0;
    let at = this.#offset;
    for (;;) {
      const byte = text[at];
      if (byte === OPEN) {
        if (++depth > 2) return undefined;
        if (depth === 2) rowStarts.push(numbers.length);
        at++;
      } else if (byte === CLOSE) {
        at++;
        if (--depth === 0) break;
      } else if (byte === COMMA || byte <= 0x20) at++;
      else {
        const start = at;
        while (isNumberByte(text[at])) at++;
        if (at === start) return undefined;
        numbers.push(parseNumber(text, start, at));
      }
    }
    if (numbers.length === 0) return undefined;
    this.#offset = at;
    return { numbers: numbers.values().slice(), rowStarts: rowStarts.length > 0 ? rowStarts : [0] };
  }

  #readValue(depth: number): StepValue {
    const text = this.#text;
    const byte = text[this.#offset];
    const start = this.#offset;
    if (byte === OPEN) return this.#readNumbers() ?? this.#readValues(depth);
    if (byte === QUOTE) return this.#readString();
    if (byte === DOLLAR || byte === STAR) {
      this.#offset++;
      return null;
    }
    if (byte === HASH) {
      this.#offset++;
      while (isDigit(text[this.#offset])) this.#offset++;
      return { id: parseNumber(text, start + 1, this.#offset) };
    }
    if (byte === DOT) {
      this.#offset = this.#findMark('.', start + 1) + 1;
      return text.toString('latin1', start, this.#offset);
    }
    if (!isNumberByte(byte) || byte === 0x45 || byte === 0x65) return this.#readRecord(depth);
    while (isNumberByte(text[this.#offset])) this.#offset++;
    return parseNumber(text, start, this.#offset);
  }

  /** Reads a string. Two apostrophes are one. */
  #readString(): string {
    const start = this.#offset + 1;
    let end = this.#findMark("'", start);
    while (this.#text[end + 1] === QUOTE) end = this.#findMark("'", end + 2);
    this.#offset = end + 1;
    return decodeStepString(this.#text.toString('utf8', start, end).replaceAll("''", "'"));
  }
}

/** Ends the parsing of an instance. */
class MalformedInstance extends Error {}

/** Returns the numbers in a list, without those that are no numbers. */
export function toNumbers(value: StepValue | undefined): StepNumbers {
  if (typeof value === 'object' && value !== null && 'numbers' in value) return value;
  const numbers: number[] = [];
  const rowStarts: number[] = [];
  for (const entry of Array.isArray(value) ? value : []) {
    rowStarts.push(numbers.length);
    if (typeof entry === 'number') numbers.push(entry);
    else for (const number of toNumbers(entry).numbers) numbers.push(number);
  }
  return { numbers: Float64Array.from(numbers), rowStarts };
}

/** Returns the ids of the instances that a reference or a list of references names. */
export function toIds(value: StepValue | undefined): number[] {
  if (Array.isArray(value)) return value.flatMap(toIds);
  return typeof value === 'object' && value !== null && 'id' in value ? [value.id] : [];
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isWordByte(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f;
}

/** Digits, signs, points and exponents. */
function isNumberByte(byte: number): boolean {
  return isDigit(byte) || byte === 0x2b || byte === 0x2d || byte === DOT || byte === 0x45 || byte === 0x65;
}
