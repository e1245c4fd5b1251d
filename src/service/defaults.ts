const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Every limit and length of time of the local service: lengths of time in ms, sizes in bytes. */
export interface Limits {
  /** Largest uploaded file. */
  uploadBytes: number;
  /** What a multipart body may hold besides the file. */
  multipartOverheadBytes: number;
  /** Largest JSON body. */
  jsonBytes: number;
  /** Largest form at the token endpoint. */
  formBytes: number;
  /** A connection that moves no byte for this long is closed. */
  idleTimeoutMs: number;
  /** How long a refused upload is still read, so that the client gets to see the refusal. */
  rejectedUploadDrainMs: number;
  /** How long running replies may take after the order to stop. */
  shutdownDrainMs: number;
  /** An operation that runs longer is ended. */
  operationTimeoutMs: number;
  /** A kernel process that waits for a job ends when none came for this long. */
  warmKernelIdleMs: number;
  /** It rehearses when no job came or ended for this long. */
  warmUpDelayMs: number;
  /** An operation that was running when the service died this often is not tried again. */
  maxAttempts: number;
  /** How long to wait before the store is asked again after it refused, which it does while the disk is full. */
  storeRetryMs: number;
  /** Files and models are kept this long. */
  retentionMs: number;
  /** Records of operations and of deleted files are kept this long. */
  recordRetentionMs: number;
  /** What was made or read within this time is never deleted to make room. */
  evictionGraceMs: number;
  /** How often expired things are cleared. */
  sweepIntervalMs: number;
  accessTokenMs: number;
  refreshTokenMs: number;
  /** Failed attempts at the token endpoint, per address and client, before it answers 429. */
  maxFailedGrants: number;
  /** How long a failed attempt counts. */
  failedGrantWindowMs: number;
  /** How long one callback may take. */
  callbackTimeoutMs: number;
  /** Callbacks sent at once. */
  maxConcurrentCallbacks: number;
  /** The pauses before each further try of a callback; after the last one it is given up (3 days in all). */
  callbackRetryDelaysMs: readonly number[];
}

/** The defaults, as the documentation names them. */
export const LIMITS: Limits = {
  uploadBytes: 8 * GIB,
  multipartOverheadBytes: 64 * KIB,
  jsonBytes: MIB,
  formBytes: 16 * KIB,
  idleTimeoutMs: 2 * MINUTE,
  rejectedUploadDrainMs: 5 * SECOND,
  shutdownDrainMs: 2 * SECOND,
  operationTimeoutMs: 10 * MINUTE,
  warmKernelIdleMs: MINUTE,
  warmUpDelayMs: 500,
  maxAttempts: 3,
  storeRetryMs: 5 * SECOND,
  retentionMs: 7 * DAY,
  recordRetentionMs: 60 * DAY,
  evictionGraceMs: HOUR,
  sweepIntervalMs: 10 * MINUTE,
  accessTokenMs: 15 * MINUTE,
  refreshTokenMs: 60 * DAY,
  maxFailedGrants: 10,
  failedGrantWindowMs: MINUTE,
  callbackTimeoutMs: 15 * SECOND,
  maxConcurrentCallbacks: 8,
  callbackRetryDelaysMs: [
    5 * SECOND,
    MINUTE,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    20 * HOUR,
  ],
};

/** The share of the machine's memory that one job may take, and the most it ever gets. */
export const JOB_MEMORY = { fraction: 0.6, maxBytes: 4 * GIB };

/** A kernel process that waits for its job takes so much; a machine keeps one for each `machineBytesPerKernel` of its memory, but no more than `maxCount`. */
export const WARM_POOL = { bytesPerKernel: 80 * MIB, machineBytesPerKernel: 2 * GIB, maxCount: 2 };

/** The share of free and held disk space that kept files may take, and the most they ever get. */
export const DISK_QUOTA = { fraction: 0.2, maxBytes: 20 * GIB };

/** What an upload leaves free on the disk, for the store: status and results can then still be written down. */
export const MIN_FREE_DISK_BYTES = 16 * MIB;

/** Where `serve` listens when nothing is said. */
export const LISTEN = { host: '127.0.0.1', port: 8484 };
