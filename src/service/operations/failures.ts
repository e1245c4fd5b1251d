import type { JobFailureCode } from '../kernel/messages.js';
import type { ServiceErrorCode } from '../service-error.js';

/** Failure code of a kernel run → error code of the API. */
export const ERROR_CODE_BY_FAILURE: Record<JobFailureCode, ServiceErrorCode> = {
  FORMAT_UNKNOWN: 'FILE_UNREADABLE',
  FILE_MALFORMED: 'FILE_UNREADABLE',
  FILE_EMPTY: 'FILE_EMPTY',
  TOO_LARGE: 'MODEL_TOO_LARGE',
  CHECKSUM_WRONG: 'MODEL_DAMAGED',
  REPAIR_INCOMPLETE: 'REPAIR_INCOMPLETE',
  NOT_SOLID: 'NOT_SOLID',
  NOTHING_LEFT: 'NOTHING_LEFT',
  SIZE_ZERO: 'SIZE_ZERO',
  INPUT_MISSING: 'INPUT_EXPIRED',
  DISK_FULL: 'DISK_FULL',
  OUT_OF_MEMORY: 'OUT_OF_MEMORY',
  DEADLINE_PASSED: 'DEADLINE_PASSED',
  KERNEL_CRASHED: 'KERNEL_CRASHED',
};
