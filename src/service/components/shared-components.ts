import type { BlobStore } from '../blobs/blob-store.js';
import { LIMITS } from '../defaults.js';
import { createDamageRecorder } from '../integrity/damage-recorder.js';
import type { RetentionClock } from '../retention-clock.js';
import { createAccounts } from '../store/accounts.js';
import type { Callbacks } from '../store/callbacks.js';
import { createCancellations } from '../store/cancellations.js';
import type { Store } from '../store/database.js';
import { createFiles } from '../store/files.js';
import { createIdempotencyKeys } from '../store/idempotency-keys.js';
import type { JobQueue } from '../store/job-queue.js';
import { createLists } from '../store/lists.js';
import type { Operations } from '../store/operations.js';
import { createSessions } from '../store/sessions.js';
import { createTokens } from '../store/tokens.js';
import { createUsage } from '../store/usage.js';
import type { CommonOptions } from './options.js';

/** What a service on one machine and one on many machines implement differently. */
export interface Backend {
  store: Store;
  queue: JobQueue;
  operations: Operations;
  callbacks: Callbacks;
  blobs: BlobStore;
  clock: RetentionClock;
  /** Returns the time in ms since 1970. */
  now: () => number;
  /** Returns a time in ms that changes of the system clock do not affect. */
  monotonicNow: () => number;
  /** Returns the id of a new file, model or operation, a UUID. */
  createId: () => string;
  /** Whether blobs are sent over a network, so that the next job is to run meanwhile. Default: false. */
  isStorageRemote?: boolean;
  /** See `DamageRecorderDependencies`. */
  damageRemedy?: string;
  /** Called after each change of the users and clients. */
  onAccountsChanged: () => Promise<void>;
}

/** Creates the components that most others depend on. */
export function createSharedComponents<B extends Backend>(backend: B, { logger, limits }: CommonOptions) {
  const { store, queue, blobs, now } = backend;
  const files = createFiles(store);
  let damagedFiles = 0;
  const onDamaged = (count: number): void => {
    damagedFiles += count;
  };
  return {
    ...backend,
    accounts: createAccounts(store, backend.onAccountsChanged, queue, now),
    files,
    usage: createUsage(store),
    damage: createDamageRecorder({ files, blobs, now, logger, damageRemedy: backend.damageRemedy, onDamaged }),
    /** Returns how many files this process has marked as damaged. */
    countDamagedFiles: () => damagedFiles,
    cancellations: createCancellations(store, queue),
    lists: createLists(store),
    tokens: createTokens(store),
    sessions: createSessions(store),
    keys: createIdempotencyKeys(store),
    limits: { ...LIMITS, ...limits },
    logger,
  };
}

/** The components that most others depend on. */
export type SharedComponents = ReturnType<typeof createSharedComponents<Backend>>;
