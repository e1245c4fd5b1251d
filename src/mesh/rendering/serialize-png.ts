import type { RasterImage } from './render-image.js';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BITS_PER_CHANNEL = 8;
const TRUE_COLOR = 2;
const TRUE_COLOR_WITH_ALPHA = 6;

/**
 * The PNG filters in use, each of which predicts a byte from its neighbors: 1 Sub, 2 Up, 4 Paeth (A. W. Paeth 1991).
 */
const FILTERS: readonly { id: number; predict: (left: number, above: number, aboveLeft: number) => number }[] = [
  { id: 1, predict: (left) => left },
  { id: 2, predict: (_left, above) => above },
  { id: 4, predict: (left, above, aboveLeft) => paethPredictor(left + above - aboveLeft, left, above, aboveLeft) },
];

/** The functions of zlib that a PNG requires: those of `node:zlib`, which the kernel does not import. */
export interface Zlib {
  crc32: (bytes: Uint8Array, previous?: number) => number;
  deflateSync: (bytes: Uint8Array) => Uint8Array;
}

/** Serializes an image as PNG (ISO/IEC 15948), without an alpha channel if every pixel is opaque. */
export function serializePng({ width, height, pixels }: RasterImage, zlib: Zlib): Uint8Array[] {
  let isOpaque = true;
  for (let offset = 3; offset < pixels.length; offset += 4) if (pixels[offset] !== 255) isOpaque = false;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([BITS_PER_CHANNEL, isOpaque ? TRUE_COLOR : TRUE_COLOR_WITH_ALPHA], 8);
  const compressed = zlib.deflateSync(filterRows({ width, height, pixels }, isOpaque ? 3 : 4));
  return [
    SIGNATURE,
    ...createChunk('IHDR', header, zlib),
    ...createChunk('sRGB', Uint8Array.of(0), zlib),
    ...createChunk('IDAT', compressed, zlib),
    ...createChunk('IEND', new Uint8Array(), zlib),
  ];
}

/**
 * Returns the filtered rows, each preceded by the id of its filter: the one with the smallest sum of absolute
 * differences, a heuristic of the PNG specification.
 */
function filterRows({ width, height, pixels }: RasterImage, channels: number): Uint8Array {
  const rowBytes = width * channels;
  const rows = new Uint8Array(height * (rowBytes + 1));
  let above = new Uint8Array(rowBytes);
  let row = new Uint8Array(rowBytes);
  const differences = FILTERS.map(() => new Uint8Array(rowBytes));
  for (let y = 0; y < height; y++) {
    for (let i = 0; i < rowBytes; i++) {
      row[i] = pixels[(y * width + Math.floor(i / channels)) * 4 + (i % channels)];
    }
    const costs = FILTERS.map(({ predict }, filter) => applyFilter(row, above, channels, predict, differences[filter]));
    const best = costs.indexOf(Math.min(...costs));
    rows[y * (rowBytes + 1)] = FILTERS[best].id;
    rows.set(differences[best], y * (rowBytes + 1) + 1);
    [above, row] = [row, above];
  }
  return rows;
}

/** Writes the difference of each byte from its prediction. Returns the sum of absolute differences. */
function applyFilter(
  row: Uint8Array,
  above: Uint8Array,
  channels: number,
  predict: (left: number, above: number, aboveLeft: number) => number,
  differences: Uint8Array,
): number {
  let cost = 0;
  for (let i = 0; i < row.length; i++) {
    const isFirst = i < channels;
    const difference =
      (row[i] - predict(isFirst ? 0 : row[i - channels], above[i], isFirst ? 0 : above[i - channels])) & 255;
    differences[i] = difference;
    cost += Math.min(difference, 256 - difference);
  }
  return cost;
}

/** Returns the one of three bytes closest to `value`, the first in case of a tie. */
function paethPredictor(value: number, a: number, b: number, c: number): number {
  const [distanceA, distanceB, distanceC] = [Math.abs(value - a), Math.abs(value - b), Math.abs(value - c)];
  if (distanceA <= distanceB && distanceA <= distanceC) return a;
  return distanceB <= distanceC ? b : c;
}

function createChunk(name: string, content: Uint8Array, { crc32 }: Zlib): Uint8Array[] {
  const header = new Uint8Array(8);
  new DataView(header.buffer).setUint32(0, content.length);
  for (let i = 0; i < name.length; i++) header[4 + i] = name.charCodeAt(i);
  const checksum = new Uint8Array(4);
  new DataView(checksum.buffer).setUint32(0, crc32(content, crc32(header.subarray(4))));
  return [header, content, checksum];
}
