import { DISK_QUOTA, MIN_FREE_DISK_BYTES } from '../defaults.js';
import { freeSpace } from '../machine/free-space.js';
import { ServiceError } from '../service-error.js';
import type { Usage } from '../store/usage.js';
import { type ReservedSpace, sumArrived, sumGranted, sumOutstanding, sumUnwritten } from './reservations.js';
import type { SpareFile } from './spare-file.js';

/** The dependencies and options of `readSpace`. */
export interface SpaceDependencies {
  usage: Usage;
  folder: string;
  spare: Pick<SpareFile, 'missingBytes'>;
  /** Space for stored files. Default: 20 % of (free disk space + stored files), at most 20 GiB. */
  quotaBytes?: number | undefined;
  /** Space for the stored files of each user who has no quota of their own. Default: no limit. */
  userQuotaBytes?: number | undefined;
  /** Resolves with the free bytes on the disk of a folder. Default: `statfs`. */
  freeSpace?: (folder: string) => Promise<number>;
}

/** What has been stored and may be stored, when space is reserved for a file of one user. Sizes are in bytes. */
export interface Space {
  /** The reservations of all other files. */
  others: readonly ReservedSpace[];
  /** Free bytes of the disk that files may take. */
  freeBytes: number;
  totalBytes: number;
  ownBytes: number;
  quotaBytes: number;
  ownQuotaBytes: number;
}

function computeQuota(bytes: number): number {
  return Math.min(DISK_QUOTA.maxBytes, DISK_QUOTA.fraction * bytes);
}

/**
 * Reads the space for `reserved` beside `others`: copies that were made before. A file that is stored meanwhile counts
 * twice then. Read after the stored bytes, its reservation might be gone, and it would not count at all.
 */
export async function readSpace(
  { owner, arrivedBytes }: ReservedSpace,
  others: readonly ReservedSpace[],
  dependencies: SpaceDependencies,
): Promise<Space> {
  const { usage, folder, spare, quotaBytes, userQuotaBytes = Number.POSITIVE_INFINITY } = dependencies;
  const { totalBytes, ownBytes, quotaBytes: ownQuotaBytes } = await usage.summarize(owner);
  const onDisk = await (dependencies.freeSpace ?? freeSpace)(folder);
  return {
    others,
    freeBytes: onDisk - MIN_FREE_DISK_BYTES - spare.missingBytes(),
    totalBytes,
    ownBytes,
    quotaBytes: quotaBytes ?? computeQuota(onDisk + totalBytes + sumArrived(others) + arrivedBytes),
    ownQuotaBytes: ownQuotaBytes ?? userQuotaBytes,
  };
}

/** Returns whether a file of `bytes` bytes in total fits beside all that has been granted, without evictions. */
export function fits({ owner, arrivedBytes }: ReservedSpace, bytes: number, space: Space): boolean {
  const { others, freeBytes, totalBytes, ownBytes, quotaBytes, ownQuotaBytes } = space;
  const isWithinQuotas =
    totalBytes + sumGranted(others) + bytes <= quotaBytes &&
    ownBytes + sumGranted(others, owner) + bytes <= ownQuotaBytes;
  return isWithinQuotas && sumUnwritten(others) + bytes - arrivedBytes <= freeBytes;
}

/**
 * Throws `DISK_FULL` if the disk has no space for `unwrittenBytes` more beside those that others will write, once
 * `evictedBytes` are evicted.
 */
export function assertOnDisk(unwrittenBytes: number, { others, freeBytes }: Space, evictedBytes = 0): void {
  if (freeBytes + evictedBytes >= sumOutstanding(others) + unwrittenBytes) return;
  throw new ServiceError(
    'DISK_FULL',
    `Disk full: no space for ${describeBytes(unwrittenBytes)} on the disk of the service. Free disk space.`,
  );
}

// The bytes of a file may all be written, and the disk lack the space for what others are writing.
function describeBytes(count: number): string {
  if (count === 0) return 'the files that are being written';
  return count === 1 ? '1 more byte' : `${count} more bytes`;
}
