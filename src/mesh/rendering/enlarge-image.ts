import type { RasterImage } from './render-image.js';

/** Enlarges an image: each of its pixels becomes a square of `pixelSize` pixels. Cuts off what exceeds the size. */
export function enlargeImage(source: RasterImage, width: number, height: number, pixelSize: number): RasterImage {
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (Math.floor(y / pixelSize) * source.width + Math.floor(x / pixelSize)) * 4;
      pixels.set(source.pixels.subarray(from, from + 4), (y * width + x) * 4);
    }
  }
  return { width, height, pixels };
}
