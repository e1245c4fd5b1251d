import type { Box3 } from '../core/mesh.js';

/** Bits per axis, and per digit of the sort. */
const BITS = 10;
/** Values of a digit. */
const DIGIT = 1 << 10;
/** A smaller group of keys is sorted by insertion: counting its digits takes longer. */
const MIN_COUNTED_KEYS = 64;

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
 * Returns the indices of `keys` in ascending order of the keys, by a stable radix sort: first by the highest digit,
 * then each group of equal highest digits by the other two. Overwrites `keys`.
 *
 * A group is a part of space, and fits into the cache. Sorting all keys by the lowest digit first, in three passes
 * over all of them, makes `mortonOrder` take a third longer for a million triangles. The keys are moved along with the
 * indices, because looking them up would miss the cache.
 */
function radixSort(keys: Uint32Array): Uint32Array {
  const count = keys.length;
  const sorted = new Uint32Array(count); // slot → index
  const sortedKeys = new Uint32Array(count);
  const all = new Uint32Array(count);
  for (let i = 0; i < count; i++) all[i] = i;
  const ends = new Uint32Array(DIGIT + 1); // highest digit → end of its group
  sortByDigit(keys, all, 0, count, BITS * 2, sortedKeys, sorted, ends);
  const groupEnds = new Uint32Array(DIGIT + 1);
  for (let digit = 0; digit < DIGIT; digit++) {
    const first = digit === 0 ? 0 : ends[digit - 1];
    const end = ends[digit];
    if (end - first < MIN_COUNTED_KEYS) {
      sortByInsertion(sortedKeys, sorted, first, end);
      continue;
    }
    sortByDigit(sortedKeys, sorted, first, end, 0, keys, all, groupEnds);
    sortByDigit(keys, all, first, end, BITS, sortedKeys, sorted, groupEnds);
  }
  return sorted;
}

/** Sorts the keys from `first` to before `end` and their indices, stably. */
function sortByInsertion(keys: Uint32Array, indices: Uint32Array, first: number, end: number): void {
  for (let i = first + 1; i < end; i++) {
    const key = keys[i];
    const index = indices[i];
    let slot = i;
    for (; slot > first && keys[slot - 1] > key; slot--) {
      keys[slot] = keys[slot - 1];
      indices[slot] = indices[slot - 1];
    }
    keys[slot] = key;
    indices[slot] = index;
  }
}

/**
 * Sorts the keys from `first` to before `end` and their indices by the digit above `shift`, stably, to the same place
 * in the target arrays. Sets `ends`: digit → end of its range.
 */
function sortByDigit(
  sourceKeys: Uint32Array,
  source: Uint32Array,
  first: number,
  end: number,
  shift: number,
  targetKeys: Uint32Array,
  target: Uint32Array,
  ends: Uint32Array,
): void {
  ends.fill(0);
  for (let i = first; i < end; i++) ends[((sourceKeys[i] >>> shift) & (DIGIT - 1)) + 1]++;
  ends[0] = first;
  for (let digit = 0; digit < DIGIT; digit++) ends[digit + 1] += ends[digit];
  for (let i = first; i < end; i++) {
    const key = sourceKeys[i];
    const index = ends[(key >>> shift) & (DIGIT - 1)]++;
    targetKeys[index] = key;
    target[index] = source[i];
  }
}
