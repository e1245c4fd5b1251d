/** Red, green and blue, in proportion to light: 0 to 1. */
export type Light = readonly [red: number, green: number, blue: number];

/** The colour that a screen shows for this number of sRGB, 0 to 255, as light. */
const lightOf = (value: number): number => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

const light = (red: number, green: number, blue: number): Light => [lightOf(red), lightOf(green), lightOf(blue)];

/** What a front of the surface, its back and an open edge look like. */
export const COLOURS = {
  front: light(158, 184, 210),
  back: light(232, 100, 60),
  openEdge: light(214, 20, 44),
} as const;

/** The background from top to bottom, where it is to be seen. */
export const BACKGROUND = { top: light(252, 253, 254), bottom: light(225, 231, 238) } as const;

const unit = (x: number, y: number, z: number): readonly [number, number, number] => {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
};

// Lamps stand still while the model turns: x to the right, y down, z toward the viewer.
const KEY = unit(-0.5, -0.75, 0.75);
const FILL = unit(0.9, 0.1, 0.45);
// Half way between the main lamp and the viewer: where it mirrors.
const GLOSS = unit(KEY[0], KEY[1], KEY[2] + 1);

/**
 * Writes the light that comes from a surface of this colour: lit by the sky from all sides (`open`: how much of it reaches the spot, 0 to
 * 1), by a main lamp from the upper left, and by a weak one from the right; a little glossy.
 */
export function shade(colour: Light, normal: Float64Array, open: number, result: Float64Array): void {
  const [x, y, z] = normal;
  const sky = 0.3 + 0.16 * -y; // brighter from above than from below
  const key = Math.max(0, x * KEY[0] + y * KEY[1] + z * KEY[2]);
  const fill = Math.max(0, x * FILL[0] + y * FILL[1] + z * FILL[2]);
  const bright = sky * open + (0.82 * key + 0.16 * fill) * (0.45 + 0.55 * open);
  const mirrored = Math.max(0, x * GLOSS[0] + y * GLOSS[1] + z * GLOSS[2]);
  const gloss = 0.1 * mirrored ** 24 * open;
  for (let k = 0; k < 3; k++) result[k] = colour[k] * bright + gloss;
}

const STEPS = 4096;
// Light in steps → the number of sRGB.
const SCREEN = Uint8Array.from({ length: STEPS + 1 }, (_, i) => {
  const value = i / STEPS;
  return Math.round((value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055) * 255);
});

/** The number of sRGB for this light. */
export const toScreen = (value: number): number => SCREEN[Math.round(Math.min(1, Math.max(0, value)) * STEPS)];
