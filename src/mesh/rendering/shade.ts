/** Red, green and blue, in proportion to light: 0 to 1. */
export type LinearRgb = readonly [red: number, green: number, blue: number];

/** The colour that a screen shows for this number of sRGB, 0 to 255, as light. */
const srgbToLinear = (value: number): number => {
  const fraction = value / 255;
  return fraction <= 0.04045 ? fraction / 12.92 : ((fraction + 0.055) / 1.055) ** 2.4;
};

const linearColor = (red: number, green: number, blue: number): LinearRgb => [
  srgbToLinear(red),
  srgbToLinear(green),
  srgbToLinear(blue),
];

/** What a front of the surface, its back and an open edge look like. */
export const COLORS = {
  front: linearColor(158, 184, 210),
  back: linearColor(232, 100, 60),
  openEdge: linearColor(214, 20, 44),
} as const;

/** The background from top to bottom, where it is to be seen. */
export const BACKGROUND = { top: linearColor(252, 253, 254), bottom: linearColor(225, 231, 238) } as const;

const unit = (x: number, y: number, z: number): readonly [number, number, number] => {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
};

// Lamps stand still while the model turns: x to the right, y down, z toward the viewer.
const KEY_LIGHT = unit(-0.5, -0.75, 0.75);
const FILL_LIGHT = unit(0.9, 0.1, 0.45);
// Half way between the main lamp and the viewer: where it mirrors.
const HALF_VECTOR = unit(KEY_LIGHT[0], KEY_LIGHT[1], KEY_LIGHT[2] + 1);

/**
 * Writes the light that comes from a surface of this colour: lit by the sky from all sides (`open`: how much of it reaches the spot, 0 to
 * 1), by a main lamp from the upper left, and by a weak one from the right; a little glossy.
 */
export function shade(color: LinearRgb, normal: Float64Array, open: number, result: Float64Array): void {
  const [x, y, z] = normal;
  const sky = 0.3 + 0.16 * -y; // brighter from above than from below
  const key = Math.max(0, x * KEY_LIGHT[0] + y * KEY_LIGHT[1] + z * KEY_LIGHT[2]);
  const fill = Math.max(0, x * FILL_LIGHT[0] + y * FILL_LIGHT[1] + z * FILL_LIGHT[2]);
  const bright = sky * open + (0.82 * key + 0.16 * fill) * (0.45 + 0.55 * open);
  const specular = Math.max(0, x * HALF_VECTOR[0] + y * HALF_VECTOR[1] + z * HALF_VECTOR[2]);
  const gloss = 0.1 * specular ** 24 * open;
  for (let k = 0; k < 3; k++) result[k] = color[k] * bright + gloss;
}

const STEPS = 4096;
// Light in steps → the number of sRGB.
const SRGB_TABLE = Uint8Array.from({ length: STEPS + 1 }, (_, i) => {
  const value = i / STEPS;
  return Math.round((value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055) * 255);
});

/** The number of sRGB for this light. */
export const linearToSrgb = (value: number): number => SRGB_TABLE[Math.round(Math.min(1, Math.max(0, value)) * STEPS)];
