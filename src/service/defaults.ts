const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** All limits and durations of the local service. Durations are in ms, sizes in bytes. */
export interface Limits {
  /** Max size of an uploaded file. */
  uploadBytes: number;
  /** Max size of a multipart body in addition to the file. */
  multipartOverheadBytes: number;
  /** Max size of a JSON body. */
  jsonBytes: number;
  /** Max size of a form at the token endpoint. */
  formBytes: number;
  /** Closes a connection that has transferred no byte for this long. */
  idleTimeoutMs: number;
  /** How long a client may take for the headers of a request, also for the first byte of a new connection. */
  headersTimeoutMs: number;
  /** How long a client may take for the body of a request that is not an upload. */
  bodyTimeoutMs: number;
  /** Open connections. If all have requests, further ones are refused with 503. */
  maxConnections: number;
  /** Uploads of one user that are received at the same time. Further ones are refused with 429. */
  maxUploadsPerUser: number;
  /** Requests of one user that wait for the completion of operations at the same time. Further ones are refused with 429. */
  maxWaitsPerUser: number;
  /** HTML reports that are sent to one user at the same time. Further ones are refused with 429. */
  maxReportsPerUser: number;
  /** How long the body of a rejected upload is read, so that the client receives the reply. */
  rejectedUploadDrainMs: number;
  /** How long running replies may take after a stop was requested. */
  shutdownDrainMs: number;
  /** Fails an operation that runs longer. */
  operationTimeoutMs: number;
  /** While all workers are busy, interval of the checks whether a user without a running operation has one that waits. */
  suspensionCheckMs: number;
  /** An operation that began or was resumed is not suspended for this long. */
  minRunMs: number;
  /** Interval of the checks whether another process cancelled a running operation. */
  cancellationCheckMs: number;
  /** Stops an idle kernel process after this time without a job. */
  warmKernelIdleMs: number;
  /** Stops a kernel process that ran a job, and waits for another one of the same user, after this time. */
  usedKernelIdleMs: number;
  /** Stops a kernel process after so many jobs of a user. */
  maxJobsPerKernel: number;
  /** Stops a kernel process that has more resident memory after a job. */
  maxUsedKernelBytes: number;
  /** Warms up idle kernel processes when no job started or ended for this long. */
  warmUpDelayMs: number;
  /** An operation that was running when the service crashed this often runs alone the next time. */
  maxSharedAttempts: number;
  /** Fails an operation that was running when the service crashed this often. */
  maxAttempts: number;
  /** Starts are refused while this many operations of one user wait. */
  maxQueuedPerUser: number;
  /** Starts are refused while this many operations of all users wait. */
  maxQueued: number;
  /** Delay before a failed store access is retried. The store fails while the disk is full. */
  storeRetryMs: number;
  /** Interval between the checks for a full disk. */
  diskCheckMs: number;
  /** How long files and models are kept. */
  retentionMs: number;
  /** How long the records of operations and of deleted files are kept. */
  recordRetentionMs: number;
  /** How long the key of an upload or a start is kept, with which it can be repeated. */
  idempotencyKeyMs: number;
  /** Files created or read within this time are not evicted. */
  evictionGraceMs: number;
  /** How long a check of all stored files takes. 0: they are not checked. */
  scrubPassMs: number;
  /** Delay after the start until the first stored file is checked. */
  scrubStartMs: number;
  /** Minimum pause after each block that the check reads. */
  scrubBlockPauseMs: number;
  /** Interval between the deletions of expired files and records. */
  sweepIntervalMs: number;
  accessTokenMs: number;
  refreshTokenMs: number;
  /** A session of the page ends when it was not used for this long. */
  sessionMs: number;
  /** A session of the page ends after this time, however often it is used. */
  maxSessionMs: number;
  /** How long a browser is known in which a user has signed in. */
  deviceMs: number;
  maxDevicesPerUser: number;
  /** How long a sign-in link can be used, once. */
  signInCodeMs: number;
  /** Failed logins in a row of a caller (network, client and user) before its next one is delayed. */
  freeLogins: number;
  /** The delay after that, which doubles with each further failure. */
  loginDelayMs: number;
  maxLoginDelayMs: number;
  /** Failed logins are forgotten after this time, and after a success. */
  loginMemoryMs: number;
  /** Logins of one caller that wait for the end of its delay. Further ones are refused with 429. */
  maxDelayedLogins: number;
  /** Logins that wait for the check of their password. Further ones are refused with 429. */
  maxWaitingLogins: number;
  maxWaitingLoginsPerNetwork: number;
  /** Timeout of one callback request. */
  callbackTimeoutMs: number;
  /** Callbacks that are sent concurrently. */
  maxConcurrentCallbacks: number;
  maxConcurrentCallbacksPerUser: number;
  /** A host that took this long to fail is tried alone, and not for some time. */
  slowCallbackMs: number;
  /**
   * The delay before each retry of a callback. After the last retry the callback is given up (after 3 days in total).
   */
  callbackRetryDelaysMs: readonly number[];
  /** How long a callback is retried whose receiver replies 404, as Node-RED does while it starts. */
  callbackNotFoundMs: number;
}

/** The defaults, documented in docs/api.md. */
export const LIMITS: Limits = {
  uploadBytes: 8 * GIB,
  multipartOverheadBytes: 64 * KIB,
  jsonBytes: MIB,
  formBytes: 16 * KIB,
  idleTimeoutMs: 2 * MINUTE,
  headersTimeoutMs: 10 * SECOND,
  bodyTimeoutMs: 30 * SECOND,
  maxConnections: 1000,
  maxUploadsPerUser: 100,
  maxWaitsPerUser: 12, // two browsers
  maxReportsPerUser: 2,
  rejectedUploadDrainMs: 5 * SECOND,
  shutdownDrainMs: 2 * SECOND,
  operationTimeoutMs: 10 * MINUTE,
  suspensionCheckMs: SECOND / 2,
  minRunMs: SECOND,
  cancellationCheckMs: SECOND / 2,
  warmKernelIdleMs: MINUTE,
  usedKernelIdleMs: 10 * SECOND,
  maxJobsPerKernel: 500,
  maxUsedKernelBytes: 200 * MIB,
  warmUpDelayMs: 500,
  maxSharedAttempts: 3,
  maxAttempts: 10,
  maxQueuedPerUser: 10_000,
  maxQueued: 100_000,
  storeRetryMs: 5 * SECOND,
  diskCheckMs: 5 * SECOND,
  retentionMs: 7 * DAY,
  recordRetentionMs: 60 * DAY,
  idempotencyKeyMs: DAY,
  evictionGraceMs: HOUR,
  scrubPassMs: 30 * DAY,
  scrubStartMs: MINUTE,
  scrubBlockPauseMs: 50,
  sweepIntervalMs: 10 * MINUTE,
  accessTokenMs: 15 * MINUTE,
  refreshTokenMs: 60 * DAY,
  sessionMs: 12 * HOUR,
  maxSessionMs: 30 * DAY,
  deviceMs: 180 * DAY,
  maxDevicesPerUser: 20,
  signInCodeMs: 10 * MINUTE,
  freeLogins: 5,
  loginDelayMs: 500,
  maxLoginDelayMs: 5 * SECOND,
  loginMemoryMs: HOUR,
  maxDelayedLogins: 4, // the last one waits for 20 s, less than clients wait for a reply
  maxWaitingLogins: 1024,
  maxWaitingLoginsPerNetwork: 256,
  callbackTimeoutMs: 15 * SECOND,
  maxConcurrentCallbacks: 64,
  maxConcurrentCallbacksPerUser: 8,
  slowCallbackMs: 2 * SECOND,
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
  callbackNotFoundMs: HOUR,
};

/**
 * The memory limit of one job: a fraction of the available memory, at most `maxBytes`. A limit below `minBytes` is
 * invalid: a kernel process needs about 60 MiB before it loads a model.
 */
export const JOB_MEMORY = { fraction: 0.6, minBytes: 128 * MIB, maxBytes: 4 * GIB };

/** A third thread gains little: parts of an analysis run in one thread only, two at a time. */
export const MAX_JOB_THREADS = 2;

/**
 * The warm pool: one idle kernel process per `machineBytesPerKernel` of memory, at most `maxCount`; each takes
 * `bytesPerKernel`.
 */
export const WARM_POOL = { bytesPerKernel: 80 * MIB, machineBytesPerKernel: 2 * GIB, maxCount: 2 };

/** The default disk quota: a fraction of the free disk space plus the stored files, at most `maxBytes`. */
export const DISK_QUOTA = { fraction: 0.2, maxBytes: 20 * GIB };

/** The smallest quota of the disk or of a user that can be set. */
export const MIN_QUOTA_BYTES = MIB;

/**
 * Disk space that uploads and outputs leave free for the database, so that statuses and results can still be written.
 */
export const MIN_FREE_DISK_BYTES = 16 * MIB;

/** The size of the file `spare`, which is deleted on a full disk so that the database can still be written. */
export const SPARE_BYTES = 16 * MIB;

/** The file `spare` is deleted when less disk space than this is free. */
export const SPARE_RELEASE_BYTES = MIB;

/** The default address and port of `serve`. */
export const LISTEN = { host: '127.0.0.1', port: 8484 };
