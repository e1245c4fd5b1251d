/** Red, green and blue, proportional to light, 0 to 1. */
export type LinearRgb = readonly [red: number, green: number, blue: number];

/** Converts an sRGB component, 0 to 255, to linear light (IEC 61966-2-1). */
function srgbToLinear(value: number): number {
  const fraction = value / 255;
  return fraction <= 0.04045 ? fraction / 12.92 : ((fraction + 0.055) / 1.055) ** 2.4;
}

function linearColor(red: number, green: number, blue: number): LinearRgb {
  return [srgbToLinear(red), srgbToLinear(green), srgbToLinear(blue)];
}

/** The colors of the front, the back and the boundary edges of a surface. */
export const COLORS = {
  front: linearColor(158, 184, 210),
  back: linearColor(232, 100, 60),
  openEdge: linearColor(214, 20, 44),
} as const;

/** The gradient of the background. */
export const BACKGROUND = { top: linearColor(252, 253, 254), bottom: linearColor(225, 231, 238) } as const;

function normalize(x: number, y: number, z: number): readonly [number, number, number] {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}

// The lights are fixed relative to the viewer: x to the right, y down, z toward the viewer.
const KEY_LIGHT = normalize(-0.5, -0.75, 0.75);
const FILL_LIGHT = normalize(0.9, 0.1, 0.45);
// The direction halfway between the key light and the viewer (Blinn 1977).
const HALF_VECTOR = normalize(KEY_LIGHT[0], KEY_LIGHT[1], KEY_LIGHT[2] + 1);

/**
 * Computes the light that a surface reflects, as Blinn-Phong shading (Blinn 1977), and writes it into `result`. The
 * surface is lit by ambient light, of which the fraction `visibility` (0 to 1) reaches it, by a key light from the
 * upper left and by a weak fill light from the right.
 */
export function shade(color: LinearRgb, normal: Float64Array, visibility: number, result: Float64Array): void {
  const [x, y, z] = normal;
  const sky = 0.3 + 0.16 * -y; // brighter from above than from below
  const key = Math.max(0, x * KEY_LIGHT[0] + y * KEY_LIGHT[1] + z * KEY_LIGHT[2]);
  const fill = Math.max(0, x * FILL_LIGHT[0] + y * FILL_LIGHT[1] + z * FILL_LIGHT[2]);
  const diffuse = sky * visibility + (0.82 * key + 0.16 * fill) * (0.45 + 0.55 * visibility);
  const specular = Math.max(0, x * HALF_VECTOR[0] + y * HALF_VECTOR[1] + z * HALF_VECTOR[2]);
  const gloss = 0.1 * specular ** 24 * visibility;
  for (let k = 0; k < 3; k++) result[k] = color[k] * diffuse + gloss;
}

/** Resolution of `SRGB_TABLE`. */
const STEPS = 4096;
/** linear light * STEPS → sRGB component */
const SRGB_TABLE = Uint8Array.from({ length: STEPS + 1 }, (_, i) => {
  const value = i / STEPS;
  return Math.round((value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055) * 255);
});

/** Converts linear light, 0 to 1, to an sRGB component, 0 to 255. Clamps values out of range. */
export function linearToSrgb(value: number): number {
  return SRGB_TABLE[Math.round(Math.min(1, Math.max(0, value)) * STEPS)];
}
