/** A user whose files are evicted for a new one, and how many bytes of them at most. */
export interface Victim {
  owner: string;
  bytes: number;
}

/**
 * Returns who loses files when the disk quota is exceeded, in order. `usage` has the bytes of every user who holds any,
 * for `owner` together with the new file. An equal share is the quota divided by their number:
 *
 * 1. Whoever needs room and is above the share loses their own files first.
 * 2. Then the other users above the share lose what they hold beyond it, the largest first.
 * 3. Whoever needs room and is within the share loses their own files last.
 *
 * A user within the share never loses files for another one.
 */
export function findVictims(usage: ReadonlyMap<string, number>, quotaBytes: number, owner: string): Victim[] {
  const share = quotaBytes / usage.size;
  const others = [...usage]
    .filter(([id, bytes]) => id !== owner && bytes > share)
    .sort(([, first], [, second]) => second - first)
    .map(([id, bytes]) => ({ owner: id, bytes: Math.ceil(bytes - share) }));
  const own = { owner, bytes: Number.POSITIVE_INFINITY };
  return (usage.get(owner) ?? 0) > share ? [own, ...others] : [...others, own];
}
