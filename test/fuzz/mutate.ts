import type { createRandom } from './create-random.js';

export type Random = ReturnType<typeof createRandom>;

/** What a file is made of, and so what can be changed in it. */
export type Structure = 'bytes' | 'text' | 'xml' | 'json' | 'glb';

type Mutation = (bytes: Buffer, random: Random) => Buffer;

export const upTo = (random: Random, end: number): number => Math.floor(random() * end);
const oneOf = <T>(random: Random, values: readonly T[]): T => values[upTo(random, values.length)] as T; // never empty here

// Numbers that break whoever believes them: counts, indices, coordinates.
const NUMBERS = [
  '-1',
  '0',
  '4294967295',
  '1e999',
  'nan',
  '',
  '0.5',
  '99999999999999999999',
  '-2147483648',
  '1e-310',
  '7',
];
const WORDS = [
  0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000, 0x7fc00000,
];

/** Bytes between two places, replaced. */
const splice = (bytes: Buffer, from: number, to: number, by: Uint8Array | string): Buffer =>
  Buffer.concat([bytes.subarray(0, from), Buffer.from(by as string), bytes.subarray(to)]); // Buffer.from takes both

/** The changes that any file suffers: a byte, a cut, a piece twice, a piece gone, a word of 8, 16 or 32 bits that is another. */
const BYTES: readonly Mutation[] = [
  (bytes, random) => splice(bytes, ...around(upTo(random, bytes.length), 1), Uint8Array.of(upTo(random, 256))),
  (bytes, random) => bytes.subarray(0, upTo(random, bytes.length)),
  (bytes, random) => {
    const offset = upTo(random, bytes.length);
    return splice(bytes, offset, offset, bytes.subarray(offset, offset + upTo(random, 200)));
  },
  (bytes, random) => {
    const offset = upTo(random, bytes.length);
    return splice(bytes, offset, offset + upTo(random, 40), '');
  },
  (bytes, random) => {
    const width = oneOf(random, [1, 2, 4]);
    const copy = Buffer.from(bytes);
    if (copy.length < width) return copy;
    // Numbers of a binary file mostly lie at even places.
    const offset = upTo(random, copy.length - width + 1) & (random() < 0.5 ? ~1 : ~0);
    const value = oneOf(random, WORDS) % 2 ** (8 * width);
    if (random() < 0.5) copy.writeUIntLE(value, offset, width);
    else copy.writeUIntBE(value, offset, width);
    return copy;
  },
];

function around(offset: number, length: number): [number, number] {
  return [offset, offset + length];
}

/** A token of the text replaced by another of the same kind, or a number by one that breaks things; a line gone, moved, or many times. */
const TEXT: readonly Mutation[] = [
  (bytes, random) => replaceToken(bytes, random, /[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, () => oneOf(random, NUMBERS)),
  (bytes, random) => replaceToken(bytes, random, /#\d+/g, (tokens) => oneOf(random, tokens)),
  (bytes, random) => replaceToken(bytes, random, /[A-Za-z_]\w*/g, (tokens) => oneOf(random, tokens)),
  (bytes, random) =>
    replaceToken(bytes, random, /\([^()]*\)|"[^"]*"|'[^']*'/g, (tokens) => oneOf(random, ['', ...tokens])),
  (bytes, random) => {
    const lines = bytes.toString('latin1').split('\n');
    const from = upTo(random, lines.length);
    const taken = lines.splice(from, 1 + upTo(random, 3));
    const times = oneOf(random, [0, 1, 2, 300]);
    for (let i = 0; i < times; i++) lines.splice(upTo(random, lines.length + 1), 0, ...taken);
    return Buffer.from(lines.join('\n'), 'latin1');
  },
];

function replaceToken(bytes: Buffer, random: Random, kind: RegExp, by: (tokens: string[]) => string): Buffer {
  const found = [...bytes.toString('latin1').matchAll(kind)];
  if (found.length === 0) return bytes;
  const token = oneOf(random, found);
  const other = by(found.map(([text]) => text));
  return splice(bytes, token.index, token.index + token[0].length, Buffer.from(other, 'latin1'));
}

/** An element gone, within itself, or in the place of another; an attribute of another. */
const XML: readonly Mutation[] = [
  (bytes, random) => {
    const text = bytes.toString('latin1');
    const elements = [...text.matchAll(/<(\w[\w:]*)[^<>]*?(?:\/>|>[^<]*<\/\1>)/g)];
    if (elements.length === 0) return bytes;
    const [target, source] = [oneOf(random, elements), oneOf(random, elements)];
    const depth = oneOf(random, [0, 1, 3, 250]);
    const open = /^<[^<>]*?(?=\/?>)/.exec(source[0])?.[0] ?? '';
    const within =
      depth < 2 ? source[0].repeat(depth) : `${`${open}>`.repeat(depth)}${`</${source[1]}>`.repeat(depth)}`;
    return splice(bytes, target.index, target.index + target[0].length, Buffer.from(within, 'latin1'));
  },
  (bytes, random) => replaceToken(bytes, random, /\w+="[^"]*"/g, (tokens) => oneOf(random, ['', ...tokens])),
  (bytes, random) => replaceToken(bytes, random, /<\/?\w[\w:]*/g, (tokens) => oneOf(random, tokens)),
];

/** A value anywhere in the tree replaced by one that breaks things, by another of the tree, or by nothing. */
function mutateTree(root: unknown, random: Random): void {
  const places: { holder: Record<string, unknown>; key: string }[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const holder = value as Record<string, unknown>; // an object or an array: both have keys
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      visit(holder[key]);
    }
  };
  visit(root);
  if (places.length === 0) return;
  const { holder, key } = oneOf(random, places);
  const other = oneOf(random, places);
  const values = [-1, 0, 1, 2 ** 31, 2 ** 53, 0.5, 1e308, null, '', 'x', [], {}, [0, 0], other.holder[other.key]];
  if (random() < 0.15) delete holder[key];
  else holder[key] = structuredClone(oneOf(random, values));
}

const JSON_TREE: Mutation = (bytes, random) => {
  try {
    const root: unknown = JSON.parse(bytes.toString('utf8'));
    mutateTree(root, random);
    return Buffer.from(JSON.stringify(root));
  } catch {
    return bytes; // an earlier change made it none
  }
};

/** The JSON of a GLB changed, and put back with the right lengths. */
const GLB_TREE: Mutation = (bytes, random) => {
  const length = bytes.length >= 20 ? bytes.readUInt32LE(12) : 0;
  if (length === 0 || 20 + length > bytes.length) return bytes;
  const json = JSON_TREE(bytes.subarray(20, 20 + length), random);
  const padded = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, 0x20)]);
  const changed = splice(bytes, 20, 20 + length, padded);
  changed.writeUInt32LE(padded.length, 12);
  changed.writeUInt32LE(changed.length, 8);
  return changed;
};

const MUTATIONS: Record<Structure, readonly Mutation[]> = {
  bytes: BYTES,
  text: [...TEXT, ...TEXT, ...BYTES],
  xml: [...XML, ...XML, ...TEXT, ...BYTES],
  json: [JSON_TREE, JSON_TREE, JSON_TREE, ...BYTES],
  glb: [GLB_TREE, GLB_TREE, GLB_TREE, ...BYTES],
};

/** A file as somebody might have damaged it, or made it to do harm: one change, and each time with an even chance one more. */
export function mutate(bytes: Buffer, structure: Structure, random: Random): Buffer {
  let mutated = bytes;
  do {
    mutated = oneOf(random, MUTATIONS[structure])(mutated, random);
  } while (random() < 0.5 && mutated.length > 0);
  return mutated;
}
