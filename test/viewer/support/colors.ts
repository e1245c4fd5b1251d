import type { Pixels } from './viewer-page.js';

/** Decides whether a pixel counts. */
export type PixelFilter = (red: number, green: number, blue: number, alpha: number) => boolean;

/** Boundary edges, where they are visible: neither shaded nor blended. */
export const isRed: PixelFilter = (red, green, blue) => red > 190 && green < 60 && blue < 80;
/** The back of a surface, in any light. */
export const isBack: PixelFilter = (red, green, blue) =>
  red > 60 && red > green * 1.7 && red > blue * 2.2 && green > 20;
/** The front of a surface, in any light. */
export const isFront: PixelFilter = (red, green, blue) => blue > red * 1.1 && blue > green && blue < 250;
/** A cut face, with its stripes. */
export const isCutFace: PixelFilter = (red, green, blue) =>
  red > 195 && red > green && green > blue + 40 && green > 165;

/** Lists the pixels that count. */
export function findPixels({ width, height, data }: Pixels, filter: PixelFilter): { x: number; y: number }[] {
  const found: { x: number; y: number }[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4);
      if (filter(red, green, blue, alpha)) found.push({ x, y });
    }
  }
  return found;
}
