import { MeshError } from '../../core/mesh-error.js';
import { parseNumbers } from '../text/parse-numbers.js';
import { XmlReader } from '../text/xml-reader.js';
import { createX3dNode, MISSING, PROXY_FIELD, type X3dDocument, type X3dNode } from './x3d-node.js';

const MM_PER_METER = 1000;
const NUMBER_FIELDS = [
  'point',
  'coordIndex',
  'index',
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

/**
 * Parses the XML encoding of X3D (ISO/IEC 19776-1): nodes with the fields that define geometry. Throws `FILE_MALFORMED`
 * if it is not X3D.
 */
export function readX3dXml(bytes: Uint8Array): X3dDocument {
  const reader = new XmlReader(bytes);
  const root = createX3dNode('X3D');
  const open: X3dNode[] = [root];
  const namedNodes = new Map<string, X3dNode>();
  let unitInMm = MM_PER_METER;
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    if (event === 'close') registerName(namedNodes, open.pop());
    if (event !== 'open') continue;
    if (reader.depth === 1 && reader.name !== 'X3D') throw notX3dError();
    if (reader.name === 'unit' && reader.attribute('category') === 'length') {
      const factor = reader.numberAttribute('conversionFactor');
      if (factor > 0) unitInMm = MM_PER_METER * factor;
    }
    const node = readNode(reader, namedNodes);
    if (reader.attribute('containerField') !== PROXY_FIELD) open.at(-1)?.children.push(node);
    open.push(node);
  }
  if (root.children.length === 0) throw notX3dError();
  return { roots: root.children, unitInMm, isTruncated: reader.depth > 0 };
}

/** Registers a name after its node is complete, so that no node can contain itself. */
function registerName(namedNodes: Map<string, X3dNode>, node: X3dNode | undefined): void {
  if (node && node.name !== '' && !namedNodes.has(node.name)) namedNodes.set(node.name, node);
}

function readNode(reader: XmlReader, namedNodes: Map<string, X3dNode>): X3dNode {
  const use = reader.attribute('USE');
  if (use !== undefined) return namedNodes.get(use) ?? createX3dNode(MISSING);
  const node = createX3dNode(reader.name, reader.attribute('DEF') ?? '');
  for (const field of NUMBER_FIELDS) {
    const value = reader.attribute(field);
    if (value !== undefined) node.numbers.set(field, parseNumbers(Buffer.from(value)));
  }
  for (const field of BOOLEAN_FIELDS)
    if (/^\s*false\s*$/i.test(reader.attribute(field) ?? '')) node.falseFields.add(field);
  return node;
}

function notX3dError(): MeshError {
  return new MeshError('FILE_MALFORMED', 'Invalid X3D: the root element is not “X3D”.');
}
