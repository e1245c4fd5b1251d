import { crc32, deflateSync } from 'node:zlib';
import type { RasterImage } from '../rendering/render-image.js';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BITS = 8;
const TRUE_COLOR = 2;
const TRUE_COLOR_WITH_OPACITY = 6;

/** Predicts a byte from those to the left, above, and above to the left. Their numbers in a PNG: 1 Sub, 2 Up, 4 Paeth. */
const FILTERS: readonly { id: number; predict: (left: number, above: number, corner: number) => number }[] = [
  { id: 1, predict: (left) => left },
  { id: 2, predict: (_left, above) => above },
  { id: 4, predict: (left, above, corner) => paethPredictor(left + above - corner, left, above, corner) },
];

/** Writes a picture as PNG (ISO/IEC 15948), without opacity where all of it is opaque. */
export function serializePng({ width, height, pixels }: RasterImage): Uint8Array[] {
  let isOpaque = true;
  for (let offset = 3; offset < pixels.length; offset += 4) if (pixels[offset] !== 255) isOpaque = false;
  const head = new Uint8Array(13);
  const view = new DataView(head.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  head.set([BITS, isOpaque ? TRUE_COLOR : TRUE_COLOR_WITH_OPACITY], 8);
  const packed = deflateSync(filteredRows({ width, height, pixels }, isOpaque ? 3 : 4));
  return [
    SIGNATURE,
    ...chunk('IHDR', head),
    ...chunk('sRGB', Uint8Array.of(0)),
    ...chunk('IDAT', packed),
    ...chunk('IEND', new Uint8Array()),
  ];
}

/** Each row as differences, by the filter that leaves the smallest, with the filter's number before it. */
function filteredRows({ width, height, pixels }: RasterImage, channels: number): Uint8Array {
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

/** Writes what each byte of a row differs by from what is predicted; answers the sum of the differences. */
function applyFilter(
  row: Uint8Array,
  above: Uint8Array,
  channels: number,
  predict: (left: number, above: number, corner: number) => number,
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

/** Of three bytes the one nearest to a value; the first one of two. */
function paethPredictor(value: number, a: number, b: number, c: number): number {
  const [toA, toB, toC] = [Math.abs(value - a), Math.abs(value - b), Math.abs(value - c)];
  if (toA <= toB && toA <= toC) return a;
  return toB <= toC ? b : c;
}

function chunk(name: string, content: Uint8Array): Uint8Array[] {
  const head = new Uint8Array(8);
  new DataView(head.buffer).setUint32(0, content.length);
  head.set(new TextEncoder().encode(name), 4);
  const sum = new Uint8Array(4);
  new DataView(sum.buffer).setUint32(0, crc32(content, crc32(head.subarray(4))));
  return [head, content, sum];
}
