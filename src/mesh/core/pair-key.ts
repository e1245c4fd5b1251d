/** Returns a key for the unordered pair of two indices below `count`: the lower one times `count`, plus the higher one. */
export function pairKey(a: number, b: number, count: number): number {
  return Math.min(a, b) * count + Math.max(a, b);
}
