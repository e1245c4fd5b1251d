import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { MeshError } from '../../core/mesh-error.js';
import { parseNumber } from '../text/parse-number.js';
import { VrmlTokens } from './vrml-tokens.js';
import { createX3dNode, MISSING, PROXY_FIELD, type X3dDocument, type X3dNode } from './x3d-node.js';

const MM_PER_METER = 1000;
const MAX_DEPTH = 200;

/**
 * Parses VRML 97 (ISO/IEC 14772) or the classic encoding of X3D: nodes with their numeric and node fields, without
 * interpreting them. Throws `FILE_MALFORMED` for VRML 1, for prototypes, and for nodes that nest deeper than 200.
 */
export function readVrml(bytes: Uint8Array): X3dDocument {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const start = text.toString('latin1', 0, 200);
  if (!/^\s*#(VRML V2\.0|X3D V\d)/i.test(start)) {
    throw malformedVrml(
      /#VRML V1/i.test(start) ? 'VRML 1 is unsupported. Save it as VRML 97' : 'it does not begin with “#VRML V2.0”',
    );
  }
  const parser = new VrmlParser(text);
  const root = createX3dNode('Scene');
  parser.readFields(root, 0);
  return { roots: root.children, unitInMm: MM_PER_METER, isTruncated: parser.isTruncated };
}

/** Builds nodes from tokens. A name is registered after its node is complete, so no node can contain itself. */
class VrmlParser {
  readonly #text: Buffer;
  readonly #tokens: VrmlTokens;
  readonly #namedNodes = new Map<string, X3dNode>();
  isTruncated = false;

  constructor(text: Buffer) {
    this.#text = text;
    this.#tokens = new VrmlTokens(text);
  }

  /** Reads fields and nodes into `node`, up to its closing bracket, or to the end of the text at depth 0. */
  readFields(node: X3dNode, depth: number): void {
    if (depth > MAX_DEPTH) throw malformedVrml(`nodes nest deeper than ${MAX_DEPTH}`);
    const tokens = this.#tokens;
    let field = '';
    while (tokens.next()) {
      if (tokens.is('}') && depth > 0) return;
      if (tokens.startsNumber()) this.#readNumbers(node, field);
      else if (tokens.is('FALSE')) node.falseFields.add(field);
      else if (tokens.is('DEF') || tokens.is('USE') || this.#isNode()) this.#readNode(node, field, depth);
      else if (tokens.is('PROTO') || tokens.is('EXTERNPROTO')) throw malformedVrml('prototypes are unsupported');
      else if (/^\w/.test(tokens.word())) field = tokens.word();
    }
    if (depth > 0) this.isTruncated = true;
  }

  /** Returns whether the current token is a node type, which a bracket follows. */
  #isNode(): boolean {
    if (!/^\w/.test(this.#tokens.word())) return false;
    const { start, end } = this.#tokens;
    const isNode = this.#tokens.next() && this.#tokens.is('{');
    this.#tokens.back();
    this.#tokens.start = start;
    this.#tokens.end = end;
    return isNode;
  }

  #readNode(parent: X3dNode, field: string, depth: number): void {
    const tokens = this.#tokens;
    const siblings = field === PROXY_FIELD ? [] : parent.children;
    if (tokens.is('USE')) {
      const node = tokens.next() ? this.#namedNodes.get(tokens.word()) : undefined;
      siblings.push(node ?? createX3dNode(MISSING));
      return;
    }
    let name = '';
    if (tokens.is('DEF')) {
      tokens.next();
      name = tokens.word();
      tokens.next();
    }
    const node = createX3dNode(tokens.word(), name);
    if (!tokens.next()) this.isTruncated = true;
    else if (!tokens.is('{')) throw malformedVrml(`expected a node at byte ${tokens.start}`);
    else this.readFields(node, depth + 1);
    if (name !== '') this.#namedNodes.set(name, node);
    siblings.push(node);
  }

  /** Reads the current number and all that follow it. */
  #readNumbers(node: X3dNode, field: string): void {
    const tokens = this.#tokens;
    const numbers = new GrowableFloat64Array();
    do numbers.push(parseNumber(this.#text, tokens.start, tokens.end));
    while (tokens.next() && tokens.startsNumber());
    tokens.back();
    node.numbers.set(field, numbers.values());
  }
}

function malformedVrml(reason: string): MeshError {
  return new MeshError('FILE_MALFORMED', `Invalid VRML: ${reason}.`);
}
