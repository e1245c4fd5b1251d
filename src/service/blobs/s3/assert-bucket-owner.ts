import { randomUUID } from 'node:crypto';
import { delay } from '../../machine/delay.js';
import { ServiceError } from '../../service-error.js';
import { StartError } from '../../start-error.js';
import type { Bucket, ListedObject } from './bucket.js';
import { ANNOUNCEMENTS, STORE_ID_KEY } from './object-keys.js';

// Not every object storage can write an object only if it does not exist, so two stores could mark an empty bucket at the
// same time, and the second mark replace the first. Therefore a store announces itself before, by an object of its own, and
// marks the bucket only if no other store has announced itself. Otherwise it takes that back, and tries again after a
// random time. Of two stores, the one that announced itself last sees the other one, or its mark. An announcement is taken
// back after the mark is written. This needs a storage whose lists contain what was written before, as that of S3.

// Of a process that crashed. One that took half of this time before it marks the bucket announces itself again.
const ABANDONED_AFTER_MS = 10 * 60 * 1000;

const MAX_ATTEMPTS = 20;
const MAX_DELAY_MS = 2000;

/** What `assertBucketOwner` uses of a bucket. */
export type MarkedBucket = Pick<Bucket, 'getText' | 'put' | 'list' | 'remove'>;

/** The options of `assertBucketOwner`. */
export interface MarkOptions {
  /** Ends the wait for another store that marks the bucket. Default: it ends by itself after 40 s at most. */
  signal?: AbortSignal;
  /** Waits before the next attempt, or until the signal is aborted. Default: up to 2 s, random. */
  pause?: (signal: AbortSignal) => Promise<void>;
  /** Returns a time in ms that changes of the system clock do not affect. Default: `performance.now`. */
  monotonicNow?: () => number;
}

function pauseRandomly(signal: AbortSignal): Promise<void> {
  return delay(Math.random() * MAX_DELAY_MS, signal);
}

/** Runs requests to the bucket for a command. Throws `BUCKET_UNAVAILABLE` instead of `STORAGE_UNAVAILABLE`. */
export async function withBucketErrors<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'STORAGE_UNAVAILABLE') throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new StartError(
      'BUCKET_UNAVAILABLE',
      `Could not use the bucket: ${reason}. Check --s3-bucket, --s3-endpoint, --s3-region and the credentials.`,
    );
  }
}

/** Reads the id of the store that a bucket belongs to. Resolves with `undefined` if it has no mark. */
export async function readBucketOwner(bucket: Pick<Bucket, 'getText'>): Promise<string | undefined> {
  return (await bucket.getText(STORE_ID_KEY))?.trim();
}

/** Marks a bucket as that of a store, whatever mark it has. */
export function markBucket(bucket: Bucket, storeId: string): Promise<void> {
  return bucket.put(STORE_ID_KEY, `${storeId}\n`);
}

function refuseForeign(): never {
  const remedy =
    'Use its own bucket or --s3-prefix for each database. If that database is lost, recover it from the bucket';
  throw new StartError(
    'BUCKET_FOREIGN',
    `The bucket belongs to another database. ${remedy}: model-processing recover --take-over`,
  );
}

/** Returns whether this store alone has announced itself. */
async function isAlone(bucket: MarkedBucket, announcement: string, storeId: string): Promise<boolean> {
  const announced: ListedObject[] = [];
  for await (const page of bucket.list({ start: ANNOUNCEMENTS })) announced.push(...page);
  const own = announced.find(({ key }) => key === announcement);
  if (!own) return false;
  const others = announced.filter(({ key }) => !key.startsWith(`${ANNOUNCEMENTS}${storeId}/`));
  return others.every(({ modifiedAt }) => modifiedAt < own.modifiedAt - ABANDONED_AFTER_MS);
}

/** Marks the bucket unless another store does so at the same time. */
async function tryMark(bucket: MarkedBucket, storeId: string, monotonicNow: () => number): Promise<void> {
  const announcement = `${ANNOUNCEMENTS}${storeId}/${randomUUID()}`; // of this process: others may have the same store
  const announcedAt = monotonicNow();
  await bucket.put(announcement, `${storeId}\n`);
  try {
    if (!(await isAlone(bucket, announcement, storeId))) return;
    if ((await readBucketOwner(bucket)) !== undefined) return; // its announcement was taken back before the list
    if (monotonicNow() - announcedAt > ABANDONED_AFTER_MS / 2) return;
    await bucket.put(STORE_ID_KEY, `${storeId}\n`);
  } finally {
    await bucket.remove(announcement);
  }
}

/** Resolves with the store that the bucket belongs to, after marking it if it has none. */
async function findOwner(
  bucket: MarkedBucket,
  storeId: string,
  { signal = new AbortController().signal, pause = pauseRandomly, monotonicNow = () => performance.now() }: MarkOptions,
): Promise<string | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pause(signal);
    signal.throwIfAborted();
    const owner = await readBucketOwner(bucket);
    if (owner !== undefined) return owner;
    await tryMark(bucket, storeId, monotonicNow);
  }
  return readBucketOwner(bucket);
}

/**
 * Checks that a bucket, or the part of it under the prefix, belongs to this store, and marks an unmarked one. A copy of
 * the database has the same id and is not recognized. Throws `BUCKET_FOREIGN` if it belongs to another store, or another
 * one is marking it, `BUCKET_UNAVAILABLE` if it cannot be read or written, and the abort reason of the signal.
 */
export async function assertBucketOwner(
  bucket: MarkedBucket,
  storeId: string,
  options: MarkOptions = {},
): Promise<void> {
  const owner = await withBucketErrors(() => findOwner(bucket, storeId, options));
  if (owner !== storeId) refuseForeign();
}

/** Checks the same, and refuses an unmarked bucket with `BUCKET_FOREIGN`, too: another one is probably meant. */
export async function requireBucketOwner(bucket: Bucket, storeId: string): Promise<void> {
  const owner = await withBucketErrors(() => readBucketOwner(bucket));
  if (owner === undefined) {
    const remedy = 'Check --s3-bucket and --s3-prefix.';
    throw new StartError('BUCKET_FOREIGN', `No service with this database has used the bucket. ${remedy}`);
  }
  if (owner !== storeId) refuseForeign();
}
