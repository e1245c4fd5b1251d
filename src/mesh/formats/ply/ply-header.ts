import { MeshError } from '../../core/mesh-error.js';

/** The scalar types of PLY with their older names and sizes. */
const TYPES = {
  int8: { aliases: ['char'], bytes: 1 },
  uint8: { aliases: ['uchar'], bytes: 1 },
  int16: { aliases: ['short'], bytes: 2 },
  uint16: { aliases: ['ushort'], bytes: 2 },
  int32: { aliases: ['int'], bytes: 4 },
  uint32: { aliases: ['uint'], bytes: 4 },
  float32: { aliases: ['float'], bytes: 4 },
  float64: { aliases: ['double'], bytes: 8 },
} as const;

/** A scalar type of PLY. */
export type PlyType = keyof typeof TYPES;

/** A property of an element; a list if `countType` is set. */
export interface PlyProperty {
  name: string;
  type: PlyType;
  countType: PlyType | undefined;
}

/** A kind of record: its declared count and its properties. */
export interface PlyElement {
  name: string;
  count: number;
  properties: PlyProperty[];
}

/** The parsed header of a PLY. */
export interface PlyHeader {
  encoding: 'ascii' | 'binary_little_endian' | 'binary_big_endian';
  elements: PlyElement[];
  /** The length of the header: the data begin at this offset. */
  bytes: number;
}

const MAX_HEADER_BYTES = 1 << 20;

/** Returns the size of a value of this type in a binary file. */
export function bytesOfType(type: PlyType): number {
  return TYPES[type].bytes;
}

/** Parses the header with any line ends. Throws `FILE_MALFORMED` with the line number. */
export function readPlyHeader(bytes: Uint8Array): PlyHeader {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_HEADER_BYTES));
  if (!/^ply\s*[\r\n]/i.test(text)) throw malformedPly('it does not begin with “ply”');
  const end = /^[ \t]*end_header[ \t]*/im.exec(text);
  if (!end) throw malformedPly('the header has no end_header');
  const header: PlyHeader = { encoding: 'ascii', elements: [], bytes: dataStart(text, end.index + end[0].length) };
  const lines = text.slice(0, end.index).split(/\r\n|\r|\n/);
  let hasFormat = false;
  for (const [index, line] of lines.entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === 'format') {
      header.encoding = readEncoding(words[1]);
      hasFormat = true;
    } else if (words[0] === 'element') header.elements.push(readElement(words, index));
    else if (words[0] === 'property') {
      const element = header.elements.at(-1);
      if (!element) throw malformedPly(`line ${index + 1} has a property before any element`);
      element.properties.push(readProperty(words, index));
    }
  }
  if (!hasFormat) throw malformedPly('the header has no format');
  return header;
}

/**
 * Returns the offset after the line end of `end_header`. If lines end in CR alone, a following byte 10 belongs to the
 * data.
 */
function dataStart(text: string, offset: number): number {
  if (text[offset] !== '\r') return offset + 1;
  const hasCrLineEnds = /^ply\s*?\r(?!\n)/i.test(text);
  return text[offset + 1] === '\n' && !hasCrLineEnds ? offset + 2 : offset + 1;
}

function readEncoding(word: string | undefined): PlyHeader['encoding'] {
  if (word === 'ascii' || word === 'binary_little_endian' || word === 'binary_big_endian') return word;
  throw malformedPly(`unknown format “${String(word).slice(0, 40)}”`);
}

function readElement(words: readonly string[], index: number): PlyElement {
  const count = Number(words[2]);
  if (!words[1] || !Number.isInteger(count) || count < 0) throw malformedPly(`line ${index + 1} has no element count`);
  return { name: words[1].toLowerCase(), count, properties: [] };
}

function readProperty(words: readonly string[], index: number): PlyProperty {
  const isList = words[1] === 'list';
  const type = typeOf(words[isList ? 3 : 1]);
  const countType = isList ? typeOf(words[2]) : undefined;
  const name = words[isList ? 4 : 2];
  if (!type || !name || (isList && !countType))
    throw malformedPly(`line ${index + 1} has an unknown property type or no name`);
  return { name: name.toLowerCase(), type, countType };
}

function typeOf(word = ''): PlyType | undefined {
  const lower = word.toLowerCase();
  const names = Object.keys(TYPES) as PlyType[]; // the keys of a literal
  return names.find((name) => name === lower || (TYPES[name].aliases as readonly string[]).includes(lower));
}

function malformedPly(reason: string): MeshError {
  return new MeshError('FILE_MALFORMED', `Invalid PLY: ${reason}.`);
}
