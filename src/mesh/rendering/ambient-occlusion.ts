import type { Band } from './z-buffer.js';
import { NO_TRIANGLE } from './z-buffer.js';

const TAP_COUNT = 20;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/**
 * Creates the sample offsets for `ambientVisibility`: x and y of each, in samples, evenly distributed on a disc as a
 * sunflower spiral (Vogel 1979).
 */
export function createOcclusionTaps(radius: number): Int32Array {
  return Int32Array.from({ length: TAP_COUNT * 2 }, (_, i) => {
    const tap = Math.floor(i / 2);
    const distance = Math.sqrt((tap + 0.5) / TAP_COUNT) * radius;
    return Math.round(distance * (i % 2 === 0 ? Math.cos(tap * GOLDEN_ANGLE) : Math.sin(tap * GOLDEN_ANGLE)));
  });
}

/** Sine of the elevation below which a sample does not occlude: shallow concavities stay bright. */
const ANGLE_BIAS = 0.12;
const INTENSITY = 1.6;

/**
 * Computes the fraction of ambient light that reaches a sample, by screen-space ambient obscurance (McGuire et al.
 * 2011). Surfaces that rise above the tangent plane of the sample within `radius` samples reduce it; their effect
 * decreases with the distance. `normal`: the unit normal at the sample. `taps`: offsets from `createOcclusionTaps`.
 */
export function ambientVisibility(
  band: Band,
  x: number,
  y: number,
  normal: Float64Array,
  taps: Int32Array,
  radius: number,
): number {
  const { width, firstRow, rows, depth, triangleAt } = band;
  const centerDepth = depth[(y - firstRow) * width + x];
  let occlusion = 0;
  for (let tap = 0; tap < taps.length; tap += 2) {
    const dx = taps[tap];
    const dy = taps[tap + 1];
    const px = x + dx;
    const py = y + dy - firstRow;
    if (px < 0 || px >= width || py < 0 || py >= rows) continue;
    const sample = py * width + px;
    if (triangleAt[sample] === NO_TRIANGLE) continue;
    const dz = depth[sample] - centerDepth;
    const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
    const elevation = (dx * normal[0] + dy * normal[1] + dz * normal[2]) / (distance + 1e-9);
    if (elevation > ANGLE_BIAS)
      occlusion += (elevation - ANGLE_BIAS) / (1 + (distance * distance) / (2 * radius * radius));
  }
  return Math.max(0, 1 - (occlusion * INTENSITY) / TAP_COUNT);
}
