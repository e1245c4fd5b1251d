import type { createPrng } from '../../src/mesh/core/prng.js';

export type Random = ReturnType<typeof createPrng>;

/** The structure of a file, which determines the mutations that apply. */
export type Structure = 'bytes' | 'text' | 'xml' | 'json' | 'glb';

type Mutation = (bytes: Buffer, random: Random) => Buffer;

/** Returns a random integer from 0 to `end` - 1. */
export function randomBelow(random: Random, end: number): number {
  return Math.floor(random() * end);
}
function pickRandom<T>(random: Random, values: readonly T[]): T {
  return values[randomBelow(random, values.length)] as T;
} // `values` is never empty

// Counts, indices and coordinates that break unchecked readers.
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

/** Returns the bytes with the range from `from` to `to` replaced. */
function splice(bytes: Buffer, from: number, to: number, by: Uint8Array | string): Buffer {
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(by as string), bytes.subarray(to)]);
} // Buffer.from accepts both

/** Mutations of any file: change a byte, truncate, repeat or delete a range, replace an integer of 8, 16 or 32 bits. */
const BYTES: readonly Mutation[] = [
  (bytes, random) =>
    splice(bytes, ...around(randomBelow(random, bytes.length), 1), Uint8Array.of(randomBelow(random, 256))),
  (bytes, random) => bytes.subarray(0, randomBelow(random, bytes.length)),
  (bytes, random) => {
    const offset = randomBelow(random, bytes.length);
    return splice(bytes, offset, offset, bytes.subarray(offset, offset + randomBelow(random, 200)));
  },
  (bytes, random) => {
    const offset = randomBelow(random, bytes.length);
    return splice(bytes, offset, offset + randomBelow(random, 40), '');
  },
  (bytes, random) => {
    const width = pickRandom(random, [1, 2, 4]);
    const copy = Buffer.from(bytes);
    if (copy.length < width) return copy;
    // Numbers of a binary file are mostly at even offsets.
    const offset = randomBelow(random, copy.length - width + 1) & (random() < 0.5 ? ~1 : ~0);
    const value = pickRandom(random, WORDS) % 2 ** (8 * width);
    if (random() < 0.5) copy.writeUIntLE(value, offset, width);
    else copy.writeUIntBE(value, offset, width);
    return copy;
  },
];

function around(offset: number, length: number): [number, number] {
  return [offset, offset + length];
}

/**
 * Mutations of text: replace a token by another of its kind, or a number by an extreme one; delete, move or repeat
 * lines.
 */
const TEXT: readonly Mutation[] = [
  (bytes, random) =>
    replaceToken(bytes, random, /[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, () => pickRandom(random, NUMBERS)),
  (bytes, random) => replaceToken(bytes, random, /#\d+/g, (tokens) => pickRandom(random, tokens)),
  (bytes, random) => replaceToken(bytes, random, /[A-Za-z_]\w*/g, (tokens) => pickRandom(random, tokens)),
  (bytes, random) =>
    replaceToken(bytes, random, /\([^()]*\)|"[^"]*"|'[^']*'/g, (tokens) => pickRandom(random, ['', ...tokens])),
  (bytes, random) => {
    const lines = bytes.toString('latin1').split('\n');
    const from = randomBelow(random, lines.length);
    const removed = lines.splice(from, 1 + randomBelow(random, 3));
    const times = pickRandom(random, [0, 1, 2, 300]);
    for (let i = 0; i < times; i++) lines.splice(randomBelow(random, lines.length + 1), 0, ...removed);
    return Buffer.from(lines.join('\n'), 'latin1');
  },
];

function replaceToken(bytes: Buffer, random: Random, kind: RegExp, by: (tokens: string[]) => string): Buffer {
  const matches = [...bytes.toString('latin1').matchAll(kind)];
  if (matches.length === 0) return bytes;
  const token = pickRandom(random, matches);
  const other = by(matches.map(([text]) => text));
  return splice(bytes, token.index, token.index + token[0].length, Buffer.from(other, 'latin1'));
}

/** Mutations of XML: delete an element, nest it in itself, or replace it by another; replace an attribute. */
const XML: readonly Mutation[] = [
  (bytes, random) => {
    const text = bytes.toString('latin1');
    const elements = [...text.matchAll(/<(\w[\w:]*)[^<>]*?(?:\/>|>[^<]*<\/\1>)/g)];
    if (elements.length === 0) return bytes;
    const [target, source] = [pickRandom(random, elements), pickRandom(random, elements)];
    const depth = pickRandom(random, [0, 1, 3, 250]);
    const open = /^<[^<>]*?(?=\/?>)/.exec(source[0])?.[0] ?? '';
    const replacement =
      depth < 2 ? source[0].repeat(depth) : `${`${open}>`.repeat(depth)}${`</${source[1]}>`.repeat(depth)}`;
    return splice(bytes, target.index, target.index + target[0].length, Buffer.from(replacement, 'latin1'));
  },
  (bytes, random) => replaceToken(bytes, random, /\w+="[^"]*"/g, (tokens) => pickRandom(random, ['', ...tokens])),
  (bytes, random) => replaceToken(bytes, random, /<\/?\w[\w:]*/g, (tokens) => pickRandom(random, tokens)),
];

/** Replaces a value anywhere in the tree by an extreme one or by another of the tree, or deletes it. */
function mutateTree(root: unknown, random: Random): void {
  const entries: { holder: Record<string, unknown>; key: string }[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const holder = value as Record<string, unknown>; // objects and arrays both have keys
    for (const key of Object.keys(holder)) {
      entries.push({ holder, key });
      visit(holder[key]);
    }
  };
  visit(root);
  if (entries.length === 0) return;
  const { holder, key } = pickRandom(random, entries);
  const other = pickRandom(random, entries);
  const values = [-1, 0, 1, 2 ** 31, 2 ** 53, 0.5, 1e308, null, '', 'x', [], {}, [0, 0], other.holder[other.key]];
  if (random() < 0.15) delete holder[key];
  else holder[key] = structuredClone(pickRandom(random, values));
}

const JSON_TREE: Mutation = (bytes, random) => {
  try {
    const root: unknown = JSON.parse(bytes.toString('utf8'));
    mutateTree(root, random);
    return Buffer.from(JSON.stringify(root));
  } catch {
    return bytes; // an earlier mutation made it invalid
  }
};

/** Mutates the JSON of a GLB and updates the lengths. */
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

/**
 * Returns a damaged or malicious variant of a file: one mutation, and each time with a probability of one half another.
 */
export function mutate(bytes: Buffer, structure: Structure, random: Random): Buffer {
  let mutated = bytes;
  do {
    mutated = pickRandom(random, MUTATIONS[structure])(mutated, random);
  } while (random() < 0.5 && mutated.length > 0);
  return mutated;
}
