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
  idleMs: number;
  /** How long a refused upload is still read, so that the client gets to see the refusal. */
  refusedUploadMs: number;
  /** How long running replies may take after the order to stop. */
  drainMs: number;
  /** An operation that runs longer is ended. */
  operationMs: number;
  /** A kernel process that waits for a job ends when none came for this long. */
  spareMs: number;
  /** It rehearses when no job came or ended for this long. */
  quietMs: number;
  /** An operation that was running when the service died this often is not tried again. */
  attempts: number;
  /** How long to wait before the store is asked again after it refused, which it does while the disk is full. */
  storeRetryMs: number;
  /** Files and models are kept this long. */
  keepMs: number;
  /** Records of operations and of deleted files are kept this long. */
  keepRecordsMs: number;
  /** What was made or read within this time is never deleted to make room. */
  recentMs: number;
  /** How often expired things are cleared. */
  clearingMs: number;
  accessTokenMs: number;
  refreshTokenMs: number;
  /** Failed attempts at the token endpoint, per address and client, before it answers 429. */
  failedGrants: number;
  /** How long a failed attempt counts. */
  failedGrantMs: number;
  /** How long one callback may take. */
  callbackMs: number;
  /** Callbacks sent at once. */
  callbacksAtOnce: number;
  /** The pauses before each further try of a callback; after the last one it is given up (3 days in all). */
  callbackPausesMs: readonly number[];
}

/** The defaults, as the documentation names them. */
export const LIMITS: Limits = {
  uploadBytes: 8 * GIB,
  multipartOverheadBytes: 64 * KIB,
  jsonBytes: MIB,
  formBytes: 16 * KIB,
  idleMs: 2 * MINUTE,
  refusedUploadMs: 5 * SECOND,
  drainMs: 2 * SECOND,
  operationMs: 10 * MINUTE,
  spareMs: MINUTE,
  quietMs: 500,
  attempts: 3,
  storeRetryMs: 5 * SECOND,
  keepMs: 7 * DAY,
  keepRecordsMs: 60 * DAY,
  recentMs: HOUR,
  clearingMs: 10 * MINUTE,
  accessTokenMs: 15 * MINUTE,
  refreshTokenMs: 60 * DAY,
  failedGrants: 10,
  failedGrantMs: MINUTE,
  callbackMs: 15 * SECOND,
  callbacksAtOnce: 8,
  callbackPausesMs: [
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
export const JOB_MEMORY = { share: 0.6, mostBytes: 4 * GIB };

/** A kernel process that waits for its job takes so much; a machine keeps one for each `machineBytesEach` of its memory, but no more than `most`. */
export const SPARE_KERNELS = { bytesEach: 80 * MIB, machineBytesEach: 2 * GIB, most: 2 };

/** The share of free and held disk space that kept files may take, and the most they ever get. */
export const DISK_QUOTA = { share: 0.2, mostBytes: 20 * GIB };

/** What an upload leaves free on the disk, for the store: status and results can then still be written down. */
export const DISK_SPARE_BYTES = 16 * MIB;

/** Where `serve` listens when nothing is said. */
export const LISTEN = { host: '127.0.0.1', port: 8484 };
