import zlib, { crc32, inflateSync } from 'node:zlib';
import should from 'should';
import type { RasterImage } from '../../../src/mesh/rendering/render-image.js';
import { serializePng } from '../../../src/mesh/rendering/serialize-png.js';
import { createRandom } from '../models/random.js';

/** Decodes a PNG by the specification and checks its checksums. */
function readPng(bytes: Buffer): RasterImage & { colorType: number } {
  bytes.subarray(0, 8).toString('latin1').should.equal('\x89PNG\r\n\x1a\n');
  const content = new Map<string, Buffer>();
  for (let offset = 8; offset < bytes.length; ) {
    const end = offset + 8 + bytes.readUInt32BE(offset);
    bytes.readUInt32BE(end).should.equal(crc32(bytes.subarray(offset + 4, end)));
    content.set(bytes.toString('latin1', offset + 4, offset + 8), bytes.subarray(offset + 8, end));
    offset = end + 4;
  }
  const head = content.get('IHDR') ?? Buffer.alloc(0);
  const [width, height, colorType] = [head.readUInt32BE(0), head.readUInt32BE(4), head.readUInt8(9)];
  const channels = colorType === 6 ? 4 : 3;
  const rows = inflateSync(content.get('IDAT') ?? Buffer.alloc(0));
  const pixels = new Uint8Array(width * height * 4).fill(255);
  const valueAt = (x: number, y: number, k: number): number =>
    x < 0 || y < 0 ? 0 : (pixels[(y * width + x) * 4 + k] ?? 0);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (width * channels + 1)];
    for (let i = 0; i < width * channels; i++) {
      const [x, k] = [Math.floor(i / channels), i % channels];
      const [left, above, corner] = [valueAt(x - 1, y, k), valueAt(x, y - 1, k), valueAt(x - 1, y - 1, k)];
      const estimate = left + above - corner;
      const nearest = [left, above, corner].reduce((best, one) =>
        Math.abs(estimate - one) < Math.abs(estimate - best) ? one : best,
      );
      const predicted = [0, left, above, Math.floor((left + above) / 2), nearest][filter ?? 0] ?? 0;
      pixels[(y * width + x) * 4 + k] = (rows[y * (width * channels + 1) + 1 + i] ?? 0) + predicted;
    }
  }
  return { width, height, pixels, colorType };
}

function createImage(width: number, height: number, pick: (i: number) => number): RasterImage {
  return {
    width,
    height,
    pixels: Uint8Array.from({ length: width * height * 4 }, (_, i) => pick(i)),
  };
}

function roundTrip(image: RasterImage) {
  return readPng(Buffer.concat(serializePng(image, zlib)));
}

describe('serializePng', () => {
  it('round-trips every pixel', () => {
    const random = createRandom(3);
    const noise = createImage(37, 23, () => Math.floor(random() * 256));
    should(roundTrip(noise)).deepEqual({ ...noise, colorType: 6 });
    const slope = createImage(40, 30, (i) => (i % 4 === 3 ? 200 : Math.floor(i / 160) * 3 + (Math.floor(i / 4) % 40)));
    should(roundTrip(slope)).deepEqual({ ...slope, colorType: 6 });
  });

  it('omits the alpha channel if every pixel is opaque', () => {
    const opaque = createImage(5, 4, (i) => (i % 4 === 3 ? 255 : i));
    should(roundTrip(opaque)).deepEqual({ ...opaque, colorType: 2 });
  });

  it('compresses a smooth gradient to less than 2000 bytes', () => {
    const slope = createImage(200, 200, (i) => (i % 4 === 3 ? 255 : Math.floor(i / 800)));
    Buffer.concat(serializePng(slope, zlib)).length.should.be.below(2000);
  });
});
