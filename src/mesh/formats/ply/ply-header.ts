import { MeshError } from '../../core/mesh-error.js';

/** Scalar types of PLY, under both their names, with their bytes. */
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

/** One property of an element; a list where it has a type for its length. */
export interface PlyProperty {
  name: string;
  type: PlyType;
  countType: PlyType | undefined;
}

/** One kind of record, how often it is said to come, and what is in it. */
export interface PlyElement {
  name: string;
  count: number;
  properties: PlyProperty[];
}

/** What the header of a PLY says. */
export interface PlyHeader {
  encoding: 'ascii' | 'binary_little_endian' | 'binary_big_endian';
  elements: PlyElement[];
  /** Where the data begins. */
  bytes: number;
}

const MAX_HEADER_BYTES = 1 << 20;

/** Bytes that a value of this type takes in a binary file. */
export const bytesOfType = (type: PlyType): number => TYPES[type].bytes;

/** Reads the header, whatever its line ends. Throws `FILE_MALFORMED` with the line that is wrong. */
export function readPlyHeader(bytes: Uint8Array): PlyHeader {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_HEADER_BYTES));
  if (!/^ply\s*[\r\n]/i.test(text)) throw malformed('it does not begin with “ply”');
  const end = /^[ \t]*end_header[ \t]*/im.exec(text);
  if (!end) throw malformed('its header has no end_header');
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
      if (!element) throw malformed(`line ${index + 1} has a property of no element`);
      element.properties.push(readProperty(words, index));
    }
  }
  if (!hasFormat) throw malformed('its header names no format');
  return header;
}

/** Behind the line end of `end_header`. Where lines end in CR alone, a byte 10 behind it is the data's own. */
function dataStart(text: string, offset: number): number {
  if (text[offset] !== '\r') return offset + 1;
  const isCrOnly = /^ply\s*?\r(?!\n)/i.test(text);
  return text[offset + 1] === '\n' && !isCrOnly ? offset + 2 : offset + 1;
}

function readEncoding(word: string | undefined): PlyHeader['encoding'] {
  if (word === 'ascii' || word === 'binary_little_endian' || word === 'binary_big_endian') return word;
  throw malformed(`its format “${String(word).slice(0, 40)}” is none of a PLY`);
}

function readElement(words: readonly string[], index: number): PlyElement {
  const count = Number(words[2]);
  if (!words[1] || !Number.isInteger(count) || count < 0) throw malformed(`line ${index + 1} counts no elements`);
  return { name: words[1].toLowerCase(), count, properties: [] };
}

function readProperty(words: readonly string[], index: number): PlyProperty {
  const isList = words[1] === 'list';
  const type = typeOf(words[isList ? 3 : 1]);
  const countType = isList ? typeOf(words[2]) : undefined;
  const name = words[isList ? 4 : 2];
  if (!type || !name || (isList && !countType)) throw malformed(`line ${index + 1} is no property of a known type`);
  return { name: name.toLowerCase(), type, countType };
}

function typeOf(word = ''): PlyType | undefined {
  const lower = word.toLowerCase();
  const names = Object.keys(TYPES) as PlyType[]; // the keys of a literal
  return names.find((name) => name === lower || (TYPES[name].aliases as readonly string[]).includes(lower));
}

const malformed = (why: string): MeshError => new MeshError('FILE_MALFORMED', `This is no sound PLY: ${why}`);
