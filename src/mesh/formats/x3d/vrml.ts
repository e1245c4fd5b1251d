import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { MeshError } from '../../core/mesh-error.js';
import { parseNumber } from '../text/parse-number.js';
import { VrmlTokens } from './vrml-tokens.js';
import { createX3dNode, HIDDEN_FIELDS, type X3dDocument, type X3dNode } from './x3d-node.js';
import { createX3dValues, X3dInstances, type X3dValues } from './x3d-prototype.js';
import { X3dScope } from './x3d-scope.js';

const MM_PER_METER = 1000;
const MAX_DEPTH = 200;
/** What is neither a bracket nor a string. */
const WORD = /^[^"[\]{}]/;

/** Where the fields of a node, of an instance or of the interface of a prototype are stored. */
interface FieldTarget extends Pick<X3dValues, 'numbers' | 'booleans'> {
  addNode: (field: string, node: X3dNode) => void;
  /** field → field of the prototype that has its value (`IS`) */
  connections: Map<string, string>;
}

/**
 * Parses VRML 97 (ISO/IEC 14772) or the classic encoding of X3D: nodes with their numeric and node fields, without
 * interpreting them, and instances of prototypes. Throws `FILE_MALFORMED` for VRML 1 and for nodes that nest deeper than
 * 200.
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
  parser.readFields(fieldsOfNode(root), new X3dScope(new X3dInstances()), 0);
  return { roots: root.children, unitInMm: parser.unitInMm, isTruncated: parser.isTruncated };
}

/** Builds nodes from tokens. */
class VrmlParser {
  readonly #text: Buffer;
  readonly #tokens: VrmlTokens;
  isTruncated = false;
  unitInMm = MM_PER_METER;

  constructor(text: Buffer) {
    this.#text = text;
    this.#tokens = new VrmlTokens(text);
  }

  /** Reads fields and nodes, up to the closing bracket of their node, or to the end of the text at depth 0. */
  readFields(target: FieldTarget, scope: X3dScope, depth: number): void {
    if (depth > MAX_DEPTH) throw malformedVrml(`nodes nest deeper than ${MAX_DEPTH}`);
    let field = '';
    while (this.#tokens.next()) {
      if (this.#tokens.is('}') && depth > 0) return;
      field = this.#readToken(target, field, scope, depth);
    }
    if (depth > 0) this.isTruncated = true;
  }

  /** Reads what begins with the current token. Returns the field to which the next value belongs. */
  #readToken(target: FieldTarget, field: string, scope: X3dScope, depth: number): string {
    const tokens = this.#tokens;
    if (tokens.startsNumber()) target.numbers.set(field, this.#readNumbers());
    else if (tokens.is('TRUE') || tokens.is('FALSE')) target.booleans.set(field, tokens.is('TRUE'));
    else if (tokens.is('IS')) {
      if (tokens.next()) target.connections.set(field, tokens.word());
    } else if (tokens.is('PROTO')) this.#readPrototype(scope, depth);
    else if (tokens.is('UNIT')) this.#readUnit();
    else if (tokens.is('EXTERNPROTO')) this.#readExternalPrototype(scope);
    else if (tokens.is('DEF') || tokens.is('USE') || this.#isNode())
      target.addNode(field, this.#readNode(scope, depth));
    else if (WORD.test(tokens.word())) return tokens.word();
    return field;
  }

  /** Returns whether the current token is a node type, which a bracket follows. */
  #isNode(): boolean {
    if (!WORD.test(this.#tokens.word())) return false;
    const { start, end } = this.#tokens;
    const isNode = this.#tokens.next() && this.#tokens.is('{');
    this.#tokens.back();
    this.#tokens.start = start;
    this.#tokens.end = end;
    return isNode;
  }

  #readNode(scope: X3dScope, depth: number): X3dNode {
    const tokens = this.#tokens;
    if (tokens.is('USE')) return scope.useNode(tokens.next() ? tokens.word() : '');
    let name = '';
    if (tokens.is('DEF')) {
      tokens.next();
      name = tokens.word();
      tokens.next();
    }
    const type = tokens.word();
    if (scope.hasPrototype(type)) {
      const values = createX3dValues();
      const target = fieldsOfValues(values);
      this.#readBraces(target, scope, depth);
      return scope.createInstance({ type, name, values, connections: target.connections });
    }
    const node = createX3dNode(type, name);
    const target = fieldsOfNode(node);
    this.#readBraces(target, scope, depth);
    scope.completeNode(node, target.connections);
    return node;
  }

  /** Reads fields between braces. */
  #readBraces(target: FieldTarget, scope: X3dScope, depth: number): void {
    if (!this.#tokens.next()) this.isTruncated = true;
    else if (!this.#tokens.is('{')) throw malformedVrml(`expected a node at byte ${this.#tokens.start}`);
    else this.readFields(target, scope, depth + 1);
  }

  #readPrototype(scope: X3dScope, depth: number): void {
    const name = this.#tokens.next() ? this.#tokens.word() : '';
    const defaults = createX3dValues();
    this.#readInterface(fieldsOfValues(defaults), scope, depth);
    const body = createX3dNode('Body');
    this.#readBraces(fieldsOfNode(body), scope.createBody(), depth);
    scope.declarePrototype(name, { root: body.children[0], defaults });
  }

  /** Reads a unit of X3D: `UNIT length inch 0.0254`. */
  #readUnit(): void {
    const tokens = this.#tokens;
    const isLength = tokens.next() && tokens.is('length');
    if (!isLength || !tokens.next() || !tokens.next()) return;
    const factor = parseNumber(this.#text, tokens.start, tokens.end);
    if (factor > 0) this.unitInMm = MM_PER_METER * factor;
  }

  /** Reads the declaration of a prototype in another file, up to its address. */
  #readExternalPrototype(scope: X3dScope): void {
    const name = this.#tokens.next() ? this.#tokens.word() : '';
    this.#readInterface(fieldsOfValues(createX3dValues()), scope, 0);
    scope.declarePrototype(name, undefined);
  }

  /** Reads the fields of a prototype between brackets: `[ field SFVec3f size 1 1 1 ]`, with their defaults. */
  #readInterface(target: FieldTarget, scope: X3dScope, depth: number): void {
    const tokens = this.#tokens;
    if (tokens.next() && !tokens.is('['))
      throw malformedVrml(`expected the fields of a prototype at byte ${tokens.start}`);
    let field = '';
    for (let open = 1; open > 0; ) {
      if (!tokens.next()) {
        this.isTruncated = true;
        return;
      }
      if (tokens.is('[')) open++;
      else if (tokens.is(']')) open--;
      else field = this.#readToken(target, field, scope, depth);
    }
  }

  /** Reads the current number and all that follow it. */
  #readNumbers(): Float64Array {
    const tokens = this.#tokens;
    const numbers = new GrowableFloat64Array();
    do numbers.push(parseNumber(this.#text, tokens.start, tokens.end));
    while (tokens.next() && tokens.startsNumber());
    tokens.back();
    return numbers.values();
  }
}

function fieldsOfNode({ numbers, booleans, children }: X3dNode): FieldTarget {
  const addNode = (field: string, node: X3dNode): void => {
    if (!HIDDEN_FIELDS.includes(field)) children.push(node);
  };
  return { numbers, booleans, addNode, connections: new Map() };
}

function fieldsOfValues({ numbers, booleans, nodes }: X3dValues): FieldTarget {
  const addNode = (field: string, node: X3dNode): void => {
    const existing = nodes.get(field);
    if (existing) existing.push(node);
    else nodes.set(field, [node]);
  };
  return { numbers, booleans, addNode, connections: new Map() };
}

function malformedVrml(reason: string): MeshError {
  return new MeshError('FILE_MALFORMED', `Invalid VRML: ${reason}.`);
}
