import { MeshError } from '../../core/mesh-error.js';
import { parseNumbers } from '../text/parse-numbers.js';
import { XmlReader } from '../text/xml-reader.js';
import { createX3dNode, HIDDEN_FIELDS, type X3dDocument, type X3dNode } from './x3d-node.js';
import { createX3dValues, X3dInstances, type X3dValues } from './x3d-prototype.js';
import { X3dScope } from './x3d-scope.js';

const MM_PER_METER = 1000;
const NUMBER_FIELDS = [
  'point',
  'coordIndex',
  'index',
  'stripCount',
  'fanCount',
  'translation',
  'rotation',
  'scale',
  'scaleOrientation',
  'center',
  'whichChoice',
  'crossSection',
  'spine',
  'orientation',
  'size',
  'radius',
  'bottomRadius',
  'height',
  'xDimension',
  'zDimension',
  'xSpacing',
  'zSpacing',
];
const BOOLEAN_FIELDS = ['ccw', 'beginCap', 'endCap', 'side', 'bottom', 'top'];
/** Elements that are no nodes, or nodes about others. Their content does not matter. */
const STATEMENT = /^(ROUTE|IMPORT|EXPORT|unit|ExternProtoDeclare|Metadata.*)$/;

/**
 * Parses the XML encoding of X3D (ISO/IEC 19776-1): nodes with the fields that define geometry, and instances of
 * prototypes. Throws `FILE_MALFORMED` if it is not X3D.
 */
export function readX3dXml(bytes: Uint8Array): X3dDocument {
  const reader = new XmlReader(bytes);
  const root = createX3dNode('X3D');
  const parser = new X3dXmlParser(reader);
  parser.readContent(root, new X3dScope(new X3dInstances()));
  if (root.children.length === 0) throw notX3dError();
  return { roots: root.children, unitInMm: parser.unitInMm, isTruncated: reader.depth > 0 };
}

class X3dXmlParser {
  readonly #reader: XmlReader;
  unitInMm = MM_PER_METER;

  constructor(reader: XmlReader) {
    this.#reader = reader;
  }

  /** Reads the content of the element just opened into `parent`. Returns the connections of its fields (`IS`). */
  readContent(parent: X3dNode, scope: X3dScope): Map<string, string> {
    const connections = new Map<string, string>();
    this.#forEachChild((name) => {
      if (this.#reader.depth === 1 && name !== 'X3D') throw notX3dError();
      if (name === 'IS') this.#readConnections(connections);
      else if (name === 'ProtoDeclare') this.#readPrototype(scope);
      else if (STATEMENT.test(name)) this.#readStatement(name, scope);
      else {
        const isHidden = HIDDEN_FIELDS.includes(this.#reader.attribute('containerField') ?? '');
        const node = this.#readNode(name, scope);
        if (!isHidden) parent.children.push(node);
      }
    });
    return connections;
  }

  /** Calls `read` for each child of the element just opened, with its name. It has to read the content of the child. */
  #forEachChild(read: (name: string) => void): void {
    const reader = this.#reader;
    for (let event = reader.next(); event !== 'close' && event !== 'end'; event = reader.next())
      if (event === 'open') read(reader.name);
  }

  #skipContent(): void {
    this.#forEachChild(() => this.#skipContent());
  }

  #readNode(type: string, scope: X3dScope): X3dNode {
    const use = this.#reader.attribute('USE');
    if (use !== undefined) {
      this.#skipContent();
      return scope.useNode(use);
    }
    const name = this.#reader.attribute('DEF') ?? '';
    if (type === 'ProtoInstance') return this.#readInstance(name, scope);
    const node = createX3dNode(type, name);
    for (const field of NUMBER_FIELDS) {
      const value = this.#reader.attribute(field);
      if (value !== undefined) node.numbers.set(field, parseNumbers(Buffer.from(value)));
    }
    for (const field of BOOLEAN_FIELDS) {
      const value = parseBoolean(this.#reader.attribute(field));
      if (value !== undefined) node.booleans.set(field, value);
    }
    scope.completeNode(node, this.readContent(node, scope));
    return node;
  }

  #readInstance(name: string, scope: X3dScope): X3dNode {
    const type = this.#reader.attribute('name') ?? '';
    const values = createX3dValues();
    const connections = new Map<string, string>();
    this.#forEachChild((child) => {
      if (child === 'IS') this.#readConnections(connections);
      else if (child === 'fieldValue') this.#readValue(values, scope);
      else this.#skipContent();
    });
    return scope.createInstance({ type, name, values, connections });
  }

  #readPrototype(scope: X3dScope): void {
    const name = this.#reader.attribute('name') ?? '';
    const body = createX3dNode('ProtoBody');
    const defaults = createX3dValues();
    this.#forEachChild((child) => {
      if (child === 'ProtoBody') this.readContent(body, scope.createBody());
      else if (child === 'ProtoInterface') this.#forEachChild(() => this.#readValue(defaults, scope));
      else this.#skipContent();
    });
    scope.declarePrototype(name, { root: body.children[0], defaults });
  }

  /** Reads a `field` or `fieldValue`: its attribute `value`, or the nodes that it contains. */
  #readValue({ numbers, booleans, nodes }: X3dValues, scope: X3dScope): void {
    const field = this.#reader.attribute('name') ?? '';
    const value = this.#reader.attribute('value');
    const boolean = parseBoolean(value);
    if (boolean !== undefined) booleans.set(field, boolean);
    else if (value !== undefined) numbers.set(field, parseNumbers(Buffer.from(value)));
    const content = createX3dNode('field');
    this.readContent(content, scope);
    if (content.children.length > 0) nodes.set(field, content.children);
  }

  #readConnections(connections: Map<string, string>): void {
    this.#forEachChild(() => {
      const field = this.#reader.attribute('nodeField');
      const source = this.#reader.attribute('protoField');
      if (field !== undefined && source !== undefined) connections.set(field, source);
      this.#skipContent();
    });
  }

  #readStatement(name: string, scope: X3dScope): void {
    if (name === 'ExternProtoDeclare') scope.declarePrototype(this.#reader.attribute('name') ?? '', undefined);
    if (name === 'unit' && this.#reader.attribute('category') === 'length') {
      const factor = this.#reader.numberAttribute('conversionFactor');
      if (factor > 0) this.unitInMm = MM_PER_METER * factor;
    }
    this.#skipContent();
  }
}

/** Returns the value of a Boolean field, or `undefined` for other text. */
function parseBoolean(value = ''): boolean | undefined {
  if (/^\s*true\s*$/i.test(value)) return true;
  return /^\s*false\s*$/i.test(value) ? false : undefined;
}

function notX3dError(): MeshError {
  return new MeshError('FILE_MALFORMED', 'Invalid X3D: the root element is not “X3D”.');
}
