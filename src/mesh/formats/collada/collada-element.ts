import { MeshError } from '../../core/mesh-error.js';
import { parseNumbers } from '../text/parse-numbers.js';
import { XmlReader } from '../text/xml-reader.js';
import { parseDecimals } from './collada-numbers.js';

/** An element of a Collada document, with the attributes and content that define geometry. */
export interface ColladaElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: ColladaElement[];
  /** The text of an element that contains numbers; empty for others. */
  numbers: Float64Array;
  /** The text of any other element without children. */
  text: string;
}

/** The elements of a document. */
export interface ColladaDocument {
  root: ColladaElement;
  /** element name and id, with a space between them → element; ids of elements with different names may be equal */
  elements: ReadonlyMap<string, ColladaElement>;
  /** Whether the file is truncated. */
  isTruncated: boolean;
}

// Shared by the elements without any: a file may have one element per polygon.
const NO_NUMBERS = new Float64Array();
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

const ATTRIBUTES = ['id', 'sid', 'name', 'url', 'source', 'semantic', 'method', 'offset', 'stride', 'count', 'meter'];
/** Nodes nest at most so deep. */
export const MAX_DEPTH = 1000;
/** Elements whose text is a list of integers, which may be separated by commas. */
const INTEGERS = new Set(['p', 'h', 'vcount', 'v']);
/** Elements whose text is a list of decimal numbers. */
const DECIMALS = new Set([
  'float_array',
  'bind_shape_matrix',
  'matrix',
  'translate',
  'rotate',
  'scale',
  'skew',
  'lookat',
]);
/** Elements whose content does not define geometry. */
const SKIPPED = new Set(['extra', 'effect', 'material', 'image', 'light', 'camera', 'animation', 'animation_clip']);

/** Parses a Collada document (Khronos COLLADA 1.4 and 1.5). Throws `FILE_MALFORMED` if it is not one. */
export function readColladaDocument(bytes: Uint8Array): ColladaDocument {
  const reader = new XmlReader(bytes);
  const elements = new Map<string, ColladaElement>();
  const document = createElement('', NO_ATTRIBUTES);
  const open = [document];
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    const current = open[open.length - 1];
    if (event === 'close') {
      open.pop();
      parseText(current);
    } else if (event === 'text') {
      if (isNumeric(current)) current.text += current.text === '' ? reader.text() : ` ${reader.text()}`;
      else if (current.children.length === 0 && reader.depth > 0) current.text += reader.text();
    } else {
      if (reader.depth === 1 && reader.name !== 'COLLADA') throw malformedCollada('the root element is not “COLLADA”');
      const element = readElement(reader);
      const key = `${element.name} ${element.attributes.get('id')}`;
      if (!elements.has(key)) elements.set(key, element);
      current.children.push(element);
      if (SKIPPED.has(reader.name)) skipContent(reader);
      else open.push(element);
    }
  }
  for (const element of open) parseText(element);
  const [root] = document.children;
  if (!root) throw malformedCollada('it has no root element');
  return { root, elements, isTruncated: reader.depth > 0 };
}

/** Returns the first child of this name, or `undefined`. */
export function findChild(element: ColladaElement | undefined, name: string): ColladaElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** Returns all children of this name of all elements of another name below the root. */
export function findInLibraries({ root }: ColladaDocument, library: string, name: string): ColladaElement[] {
  return root.children
    .filter((element) => element.name === library)
    .flatMap(({ children }) => children.filter((child) => child.name === name));
}

/** Returns the element of one of these names that an attribute references in the same document, or `undefined`. */
export function resolveReference(
  { elements }: ColladaDocument,
  element: ColladaElement | undefined,
  attribute: 'url' | 'source',
  names: readonly string[],
): ColladaElement | undefined {
  const reference = element?.attributes.get(attribute);
  if (!reference?.startsWith('#')) return undefined;
  const name = names.find((candidate) => elements.has(`${candidate} ${reference.slice(1)}`));
  return elements.get(`${name} ${reference.slice(1)}`);
}

/** Returns an attribute as a non-negative integer, or `fallback`. */
export function readCount(element: ColladaElement, attribute: string, fallback: number): number {
  const value = Number(element.attributes.get(attribute) ?? fallback);
  return Number.isSafeInteger(value) && value >= 0 ? value : fallback;
}

/** Returns the error for an invalid Collada. */
export function malformedCollada(reason: string): MeshError {
  return new MeshError('FILE_MALFORMED', `Invalid Collada: ${reason}.`);
}

function createElement(name: string, attributes: ReadonlyMap<string, string>): ColladaElement {
  return { name, attributes, children: [], numbers: NO_NUMBERS, text: '' };
}

function readElement(reader: XmlReader): ColladaElement {
  const values = ATTRIBUTES.flatMap((name): [string, string][] => {
    const value = reader.attribute(name);
    return value === undefined ? [] : [[name, value]];
  });
  return createElement(reader.name, values.length > 0 ? new Map(values) : NO_ATTRIBUTES);
}

/** Moves past the end of the element just opened. */
function skipContent(reader: XmlReader): void {
  const { depth } = reader;
  for (let event = reader.next(); event !== 'end'; event = reader.next())
    if (event === 'close' && reader.depth < depth) return;
}

function isNumeric({ name }: ColladaElement): boolean {
  return INTEGERS.has(name) || DECIMALS.has(name);
}

/** Parses the text of an element that contains numbers. Once, at its end: any number of comments may divide it. */
function parseText(element: ColladaElement): void {
  if (!isNumeric(element)) return;
  const text = Buffer.from(element.text);
  const count = element.attributes.get('count');
  element.numbers = INTEGERS.has(element.name)
    ? parseNumbers(text)
    : parseDecimals(text, count === undefined ? undefined : Number(count));
  element.text = '';
}
