import { SharedStorageQuota } from '../blobs/shared-storage-quota.js';
import type { CommonOptions } from '../components/options.js';
import type { SharedComponents } from '../components/shared-components.js';
import { createSpaceReservations } from '../store/shared/space-reservations.js';

/** Creates the quotas of a service whose space is not that of a disk. Default: no limits. */
export function createStorageQuota(
  shared: SharedComponents,
  { quotaBytes = Number.POSITIVE_INFINITY, userQuotaBytes = Number.POSITIVE_INFINITY }: CommonOptions,
): SharedStorageQuota {
  const reservations = createSpaceReservations(shared.store, { quotaBytes, userQuotaBytes }, shared.now);
  return new SharedStorageQuota({ ...shared, quotaBytes, reservations });
}
