import { StorageQuota } from '../blobs/storage-quota.js';
import type { CommonOptions } from '../components/options.js';
import type { SharedComponents } from '../components/shared-components.js';

/** Creates the quotas of a service whose space is not that of a disk: without `quotaBytes` it has no limit. */
export function createStorageQuota(
  shared: SharedComponents,
  { quotaBytes = Number.POSITIVE_INFINITY, userQuotaBytes }: CommonOptions,
): StorageQuota {
  const space = {
    folder: '',
    spare: { missingBytes: () => 0 },
    freeSpace: () => Promise.resolve(Number.POSITIVE_INFINITY),
  };
  return new StorageQuota({ ...shared, ...space, quotaBytes, userQuotaBytes });
}
