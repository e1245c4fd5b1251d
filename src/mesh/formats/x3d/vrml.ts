import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { MeshError } from '../../core/mesh-error.js';
import { decodeUtf16 } from '../decode-utf16.js';
import { parseNumber } from '../text/parse-number.js';
import { VrmlTokens } from './vrml-tokens.js';
import { createX3dNode, MISSING, type X3dDocument, type X3dNode } from './x3d-node.js';

const MM_PER_METRE = 1000;
const DEEPEST = 200;

/**
 * Reads the text of a VRML 97 (or of an X3D in its classic encoding): nodes with their fields of numbers and nodes. What a field means is not
 * looked at here. Throws `FILE_MALFORMED` for VRML 1, for prototypes, and for nodes that nest deeper than 200.
 */
export function readVrml(bytes: Uint8Array): X3dDocument {
  const plain = decodeUtf16(bytes);
  const text = Buffer.from(plain.buffer, plain.byteOffset, plain.length);
  const start = text.toString('latin1', 0, 200);
  if (!/^(\xef\xbb\xbf)?\s*#(VRML V2\.0|X3D V\d)/i.test(start)) {
    throw malformed(
      /#VRML V1/i.test(start) ? 'it is VRML 1: save it as VRML 97' : 'it does not begin with “#VRML V2.0”',
    );
  }
  const parser = new VrmlParser(text);
  const root = createX3dNode('Scene');
  parser.readFields(root, 0);
  return { roots: root.children, unitInMm: MM_PER_METRE, isTruncated: parser.isCut };
}

/** Fills nodes from the words of a text. A name is known once its node is whole: so no node can contain itself. */
class VrmlParser {
  readonly #text: Buffer;
  readonly #tokens: VrmlTokens;
  readonly #namedNodes = new Map<string, X3dNode>();
  isCut = false;

  constructor(text: Buffer) {
    this.#text = text;
    this.#tokens = new VrmlTokens(text);
  }

  /** Reads fields and nodes into `node`, up to the bracket that closes it (the end of the text at depth 0). */
  readFields(node: X3dNode, depth: number): void {
    if (depth > DEEPEST) throw malformed(`its nodes nest deeper than ${DEEPEST}`);
    const tokens = this.#tokens;
    let field = '';
    while (tokens.next()) {
      if (tokens.is('}') && depth > 0) return;
      if (tokens.startsNumber()) this.#readNumbers(node, field);
      else if (tokens.is('FALSE')) node.falseFields.add(field);
      else if (tokens.is('DEF') || tokens.is('USE') || this.#isNode()) this.#readNode(node, depth);
      else if (tokens.is('PROTO') || tokens.is('EXTERNPROTO')) throw malformed('it has prototypes, which are not read');
      else if (/^\w/.test(tokens.word())) field = tokens.word();
    }
    if (depth > 0) this.isCut = true;
  }

  /** Whether the word here is the type of a node: one that a bracket follows. */
  #isNode(): boolean {
    if (!/^\w/.test(this.#tokens.word())) return false;
    const { start, end } = this.#tokens;
    const isNode = this.#tokens.next() && this.#tokens.is('{');
    this.#tokens.back();
    this.#tokens.start = start;
    this.#tokens.end = end;
    return isNode;
  }

  #readNode(parent: X3dNode, depth: number): void {
    const tokens = this.#tokens;
    if (tokens.is('USE')) {
      const node = tokens.next() ? this.#namedNodes.get(tokens.word()) : undefined;
      parent.children.push(node ?? createX3dNode(MISSING));
      return;
    }
    let name = '';
    if (tokens.is('DEF')) {
      tokens.next();
      name = tokens.word();
      tokens.next();
    }
    const node = createX3dNode(tokens.word(), name);
    if (!tokens.next()) this.isCut = true;
    else if (!tokens.is('{')) throw malformed(`at byte ${tokens.start} a node does not begin`);
    else this.readFields(node, depth + 1);
    if (name !== '') this.#namedNodes.set(name, node);
    parent.children.push(node);
  }

  /** Reads the number here and all that follow it. */
  #readNumbers(node: X3dNode, field: string): void {
    const tokens = this.#tokens;
    const numbers = new GrowableFloat64Array();
    do numbers.push(parseNumber(this.#text, tokens.start, tokens.end));
    while (tokens.next() && tokens.startsNumber());
    tokens.back();
    node.numbers.set(field, numbers.values());
  }
}

const malformed = (why: string): MeshError => new MeshError('FILE_MALFORMED', `This is no sound VRML: ${why}`);
