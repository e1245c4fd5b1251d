import type { Band } from './z-buffer.js';
import { NO_TRIANGLE } from './z-buffer.js';

const TAP_COUNT = 20;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Where to look for what takes light away: x and y of each, in samples; evenly spread on a disc, as the seeds of a sunflower. */
export const createOcclusionTaps = (radius: number): Int32Array =>
  Int32Array.from({ length: TAP_COUNT * 2 }, (_, i) => {
    const tap = Math.floor(i / 2);
    const away = Math.sqrt((tap + 0.5) / TAP_COUNT) * radius;
    return Math.round(away * (i % 2 === 0 ? Math.cos(tap * GOLDEN_ANGLE) : Math.sin(tap * GOLDEN_ANGLE)));
  });

// Bends of a surface that are as flat as this shade nothing.
const ANGLE_BIAS = 0.12;
const INTENSITY = 1.6;

/**
 * How much light from all sides reaches a sample: 1 all, 0 none. What stands out above the plane of the sample within `radius` samples
 * takes some away (looked for at `taps`); what is much nearer to the viewer is another body, and does not (after M. McGuire, The Alchemy screen-space ambient
 * obscurance algorithm, 2011). `normal`: of the surface there.
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
  const here = depth[(y - firstRow) * width + x];
  let occlusion = 0;
  for (let tap = 0; tap < taps.length; tap += 2) {
    const dx = taps[tap];
    const dy = taps[tap + 1];
    const px = x + dx;
    const py = y + dy - firstRow;
    if (px < 0 || px >= width || py < 0 || py >= rows) continue;
    const sample = py * width + px;
    if (triangleAt[sample] === NO_TRIANGLE) continue;
    const dz = depth[sample] - here;
    const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
    const rise = (dx * normal[0] + dy * normal[1] + dz * normal[2]) / (distance + 1e-9);
    if (rise > ANGLE_BIAS) occlusion += (rise - ANGLE_BIAS) / (1 + (distance * distance) / (2 * radius * radius));
  }
  return Math.max(0, 1 - (occlusion * INTENSITY) / TAP_COUNT);
}
