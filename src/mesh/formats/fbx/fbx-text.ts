import { parseNumber } from '../text/parse-number.js';
import { assertDepth, createFbxNode, type FbxDocument, type FbxNode } from './fbx-node.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** Longer strings are embedded files and comments. */
const MAX_STRING_BYTES = 1024;

/**
 * Parses the nodes of an ASCII FBX: a name with a colon, values separated by commas, and children in braces. Comments
 * begin with a semicolon.
 */
export function readTextFbx(bytes: Uint8Array): FbxDocument {
  const parser = new FbxTextParser(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const root = createFbxNode('');
  parser.readChildren(root, 0);
  return { roots: root.children, isTruncated: parser.isTruncated };
}

class FbxTextParser {
  readonly #text: Buffer;
  #offset = 0;
  isTruncated = false;

  constructor(text: Buffer) {
    this.#text = text;
  }

  /** Reads nodes into `parent`, up to its closing brace, or to the end of the text at depth 0. */
  readChildren(parent: FbxNode, depth: number): void {
    assertDepth(depth);
    for (;;) {
      this.#skipSpaces();
      if (this.#offset >= this.#text.length) break;
      const byte = this.#text[this.#offset];
      if (byte === CLOSE || byte === OPEN || byte === COMMA || byte === COLON || byte === QUOTE) {
        if (byte === QUOTE) this.#readString();
        else this.#offset++;
        if (byte === CLOSE && depth > 0) return;
        continue;
      }
      const start = this.#offset;
      this.#skipWord();
      if (this.#text[this.#offset] !== COLON) continue;
      const name = this.#text.toString('utf8', start, Math.min(this.#offset, start + MAX_STRING_BYTES));
      this.#offset++;
      const node = createFbxNode(name, this.#offset);
      this.#readNode(node, depth);
      parent.children.push(node);
    }
    if (depth > 0) this.isTruncated = true;
  }

  /** Reads what follows the name of a node: its values and its children. */
  #readNode(node: FbxNode, depth: number): void {
    // The first value is on the line of the name; further ones follow a comma.
    for (let isValue = this.#skipBlanks(); isValue; ) {
      const byte = this.#text[this.#offset];
      if (byte === QUOTE) node.strings.push(this.#readString());
      else {
        const start = this.#offset;
        this.#skipWord();
        node.numbers.push(parseNumber(this.#text, start, this.#offset));
      }
      this.#skipSpaces();
      isValue = this.#text[this.#offset] === COMMA;
      if (isValue) this.#offset++;
      this.#skipSpaces();
    }
    this.#skipSpaces();
    if (this.#text[this.#offset] !== OPEN) return;
    this.#offset++;
    this.readChildren(node, depth + 1);
  }

  /** Skips spaces within the line. Returns whether a value follows. */
  #skipBlanks(): boolean {
    const text = this.#text;
    while (text[this.#offset] <= SPACE && text[this.#offset] !== NEWLINE && text[this.#offset] !== RETURN)
      this.#offset++;
    const byte = text[this.#offset];
    return byte > SPACE && byte !== OPEN && byte !== CLOSE && byte !== SEMICOLON;
  }

  /** Skips spaces, line ends and comments. */
  #skipSpaces(): void {
    const text = this.#text;
    for (;;) {
      while (text[this.#offset] <= SPACE) this.#offset++;
      if (text[this.#offset] !== SEMICOLON) return;
      while (this.#offset < text.length && text[this.#offset] !== NEWLINE && text[this.#offset] !== RETURN)
        this.#offset++;
    }
  }

  #skipWord(): void {
    const text = this.#text;
    while (text[this.#offset] > SPACE && !isDelimiter(text[this.#offset])) this.#offset++;
  }

  #readString(): string {
    const start = this.#offset + 1;
    const match = this.#text.indexOf(QUOTE, start);
    const end = match < 0 ? this.#text.length : match;
    this.#offset = end + 1;
    return this.#text.toString('utf8', start, Math.min(end, start + MAX_STRING_BYTES));
  }
}

function isDelimiter(byte: number): boolean {
  return byte === COMMA || byte === COLON || byte === OPEN || byte === CLOSE || byte === QUOTE;
}
