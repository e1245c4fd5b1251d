import { ServiceError } from '../service-error.js';
import type { Usage } from '../store/usage.js';
import type { Eviction } from './eviction.js';
import { findVictims } from './find-victims.js';
import type { Space } from './space.js';

/** A file for which space is made. Sizes are in bytes. */
export interface PlannedFile {
  owner: string;
  bytes: number;
  /** What is stored, without this file. */
  space: Pick<Space, 'totalBytes' | 'ownBytes' | 'quotaBytes' | 'ownQuotaBytes'>;
  /** What is reserved for other files, by user, as far as it is not part of the stored bytes. */
  reserved: ReadonlyMap<string, number>;
}

/** The dependencies of `planEviction`. */
export interface EvictionPlanDependencies {
  eviction: Pick<Eviction, 'sumEvictable'>;
  /** Returns the stored bytes of each user who has any. */
  byOwner: Usage['byOwner'];
}

/** Returns the bytes of all users together. */
export function sumBytes(bytesByOwner: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const bytes of bytesByOwner.values()) sum += bytes;
  return sum;
}

function userQuotaFull(bytes: number, { ownQuotaBytes }: PlannedFile['space']): ServiceError {
  const needed = `${bytes} bytes needed, quota ${ownQuotaBytes} bytes, and the other files of this user are too recent to evict`;
  const remedy = 'Retry later, or raise the quota with "user quota" or --user-quota.';
  return new ServiceError('USER_QUOTA_FULL', `Quota of the user exceeded: ${needed}. ${remedy}`);
}

function quotaFull(bytes: number, { quotaBytes }: PlannedFile['space']): ServiceError {
  const needed = `${bytes} bytes needed, quota ${Math.floor(quotaBytes)} bytes, and no stored file may be evicted for them`;
  return new ServiceError('QUOTA_FULL', `Disk quota exceeded: ${needed}. Retry later, or raise --disk-quota.`);
}

/**
 * Decides how many bytes of which users to evict for a file. Throws `USER_QUOTA_FULL` or `QUOTA_FULL` if that would free
 * too little.
 */
export async function planEviction(
  { owner, bytes, space, reserved }: PlannedFile,
  { eviction, byOwner }: EvictionPlanDependencies,
): Promise<Map<string, number>> {
  const plan = new Map<string, number>();
  const add = async (victim: string, wantedBytes: number): Promise<number> => {
    const planned = plan.get(victim) ?? 0;
    const evictable = await eviction.sumEvictable(victim, planned + wantedBytes);
    const more = Math.max(0, Math.min(wantedBytes, evictable - planned));
    if (more > 0) plan.set(victim, planned + more);
    return more;
  };

  const ownBytes = (reserved.get(owner) ?? 0) + bytes;
  const ownShortfall = Math.max(0, space.ownBytes + ownBytes - space.ownQuotaBytes);
  if (ownShortfall > 0 && (await add(owner, ownShortfall)) < ownShortfall) throw userQuotaFull(bytes, space);

  let shortfall = space.totalBytes + sumBytes(reserved) + bytes - ownShortfall - space.quotaBytes;
  if (shortfall <= 0) return plan;
  const usage = await byOwner();
  for (const [id, more] of [...reserved, [owner, bytes - ownShortfall] as const]) {
    usage.set(id, (usage.get(id) ?? 0) + more);
  }
  for (const victim of findVictims(usage, space.quotaBytes, owner)) {
    shortfall -= await add(victim.owner, Math.min(shortfall, victim.bytes));
    if (shortfall <= 0) return plan;
  }
  throw quotaFull(bytes, space);
}
