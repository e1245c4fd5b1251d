import type { Box3 } from '../core/mesh.js';

/** Bits per axis, and per digit of the sort. */
const BITS = 10;
/** Values of a digit. */
const DIGIT = 1 << 10;

/**
 * Returns the triangles sorted along a Morton curve (Morton 1966) through the bounds, by their centroids. Triangles
 * that are close in space are mostly close in the result. Linear time.
 *
 * @returns slot → triangle
 */
export function mortonOrder(positions: Float64Array, triangles: Uint32Array, box: Box3): Uint32Array {
  const count = triangles.length / 3;
  const keys = new Uint32Array(count);
  const cells = (1 << BITS) - 1;
  const scaleOf = (k: 0 | 1 | 2) => {
    const size = box.max[k] - box.min[k];
    return size > 0 ? cells / (3 * size) : 0;
  };
  const [sx, sy, sz] = [scaleOf(0), scaleOf(1), scaleOf(2)];
  const [ox, oy, oz] = box.min.map((part) => part * 3);
  for (let triangle = 0; triangle < count; triangle++) {
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    const x = (positions[a] + positions[b] + positions[c] - ox) * sx;
    const y = (positions[a + 1] + positions[b + 1] + positions[c + 1] - oy) * sy;
    const z = (positions[a + 2] + positions[b + 2] + positions[c + 2] - oz) * sz;
    keys[triangle] = spreadBits(x) | (spreadBits(y) << 1) | (spreadBits(z) << 2);
  }
  return radixSort(keys);
}

/** Returns the lowest ten bits of `value` with two zero bits between each. */
function spreadBits(value: number): number {
  let bits = value & 0x3ff;
  bits = (bits | (bits << 16)) & 0x030000ff;
  bits = (bits | (bits << 8)) & 0x0300f00f;
  bits = (bits | (bits << 4)) & 0x030c30c3;
  return (bits | (bits << 2)) & 0x09249249;
}

/**
 * Returns the indices of `keys` in ascending order of the keys, by a stable radix sort of three digits. The keys are
 * moved along with the indices, because looking them up would miss the cache. Overwrites `keys`.
 */
function radixSort(keys: Uint32Array): Uint32Array {
  const count = keys.length;
  let [sourceKeys, targetKeys]: Uint32Array[] = [keys, new Uint32Array(count)];
  let [source, target] = [new Uint32Array(count), new Uint32Array(count)];
  for (let i = 0; i < count; i++) source[i] = i;
  const offsets = new Uint32Array(DIGIT + 1); // digit → next offset in the target
  for (let shift = 0; shift < 30; shift += BITS) {
    offsets.fill(0);
    for (let i = 0; i < count; i++) offsets[((sourceKeys[i] >>> shift) & (DIGIT - 1)) + 1]++;
    for (let digit = 0; digit < DIGIT; digit++) offsets[digit + 1] += offsets[digit];
    for (let i = 0; i < count; i++) {
      const key = sourceKeys[i];
      const index = offsets[(key >>> shift) & (DIGIT - 1)]++;
      targetKeys[index] = key;
      target[index] = source[i];
    }
    [sourceKeys, targetKeys] = [targetKeys, sourceKeys];
    [source, target] = [target, source];
  }
  return source;
}
