/** Returns at most `maxCount` entries of a list, evenly spaced and in order, beginning with the first. */
export function sampleEvenly(all: ArrayLike<number>, maxCount: number): number[] {
  const count = Math.min(all.length, maxCount);
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)]);
}
