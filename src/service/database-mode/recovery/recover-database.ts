import { sql, type Transaction } from 'kysely';
import { markBucket, readBucketOwner, withBucketErrors } from '../../blobs/s3/assert-bucket-owner.js';
import { type Bucket, openBucket } from '../../blobs/s3/bucket.js';
import type { BucketOptions } from '../../blobs/s3/bucket-options.js';
import { ACCOUNTS_KEY, QUARANTINE } from '../../blobs/s3/object-keys.js';
import { parseAccounts, serializeAccounts } from '../../data-folder/accounts-file.js';
import type { Logger } from '../../logger.js';
import { StartError } from '../../start-error.js';
import type { AccountSnapshot } from '../../store/accounts.js';
import type { Store } from '../../store/database.js';
import { createIdentity } from '../../store/identity.js';
import { openPostgres, type PostgresOptions } from '../../store/postgres.js';
import type { Schema } from '../../store/schema.js';
import { migrateDatabase } from '../open-backend.js';
import { insertAccounts, insertFiles, requireEmptyTables } from './insert-content.js';
import { readBucket } from './read-bucket.js';
import { chooseRecords, createRecoveryTables, type RecoverableContent, summarize } from './recovery-tables.js';

/** The options of `recoverDatabase`. */
export interface RecoverDatabaseOptions {
  database: Pick<PostgresOptions, 'url'>;
  bucket: BucketOptions;
  /** Whether to insert the rows. Otherwise nothing is changed. */
  isApplied: boolean;
  /** Whether the bucket of another database may become that of this one. */
  takesOver: boolean;
  logger: Logger;
}

/** What was found in a bucket. */
export interface DatabaseFindings extends RecoverableContent {
  /** Whether the bucket belongs to another database than the one to recover. */
  isForeign: boolean;
  /** `unreadable`: its checksum is wrong. */
  accounts: { state: 'read' | 'missing' | 'unreadable'; userCount: number; clientCount: number };
}

// Statements over all files of a large service take minutes.
const STATEMENT_TIMEOUT_MS = 6 * 60 * 60 * 1000;

const NO_ACCOUNTS: AccountSnapshot = { storeId: '', serial: 0, users: [], clients: [] };

interface SavedAccounts {
  state: DatabaseFindings['accounts']['state'];
  /** The content of the object. */
  text: string | undefined;
  snapshot: AccountSnapshot;
}

async function readAccounts(bucket: Bucket): Promise<SavedAccounts> {
  const text = await bucket.getText(ACCOUNTS_KEY);
  const snapshot = text === undefined ? undefined : parseAccounts(text);
  if (snapshot === undefined) return { state: 'missing', text, snapshot: NO_ACCOUNTS };
  if (snapshot === 'damaged') return { state: 'unreadable', text, snapshot: NO_ACCOUNTS };
  return { state: 'read', text, snapshot };
}

/** Ends the transaction of a dry run. */
class DryRun extends Error {}

/** Makes the bucket that of the database: the copy of the accounts first, so that an interrupted recovery finds it again. */
async function takeBucket(bucket: Bucket, storeId: string, accounts: SavedAccounts, now: number): Promise<void> {
  const time = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  if (accounts.state === 'unreadable') {
    await bucket.put(`${QUARANTINE}accounts-before-recovery-${time}.json`, accounts.text ?? ''); // a worker replaces it
  } else if (accounts.state === 'read') {
    await bucket.put(ACCOUNTS_KEY, serializeAccounts({ ...accounts.snapshot, storeId }));
  }
  await markBucket(bucket, storeId);
}

async function readNow(transaction: Transaction<Schema>): Promise<number> {
  const { rows } = await sql<{ time: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as time`.execute(transaction);
  return rows[0]?.time ?? Date.now();
}

/** Reads the bucket and inserts the rows. Throws `DryRun` after the findings are known. */
async function recoverIn(
  transaction: Transaction<Schema>,
  bucket: Bucket,
  { isApplied }: RecoverDatabaseOptions,
  owner: { storeId: string; isForeign: boolean },
  onFound: (findings: DatabaseFindings) => void,
): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction); // while the bucket is read
  await requireEmptyTables(transaction);
  await createRecoveryTables(transaction);
  const accounts = await readAccounts(bucket);
  await readBucket(bucket, transaction);
  await chooseRecords(transaction);
  const { state, snapshot } = accounts;
  const { users, clients } = snapshot;
  const userIds = users.map(({ id }) => id);
  onFound({
    ...(await summarize(transaction, userIds)),
    accounts: { state, userCount: users.length, clientCount: clients.length },
    isForeign: owner.isForeign,
  });
  if (!isApplied) throw new DryRun();
  const now = await readNow(transaction);
  await insertAccounts(transaction, snapshot);
  await insertFiles(transaction, now);
  await takeBucket(bucket, owner.storeId, accounts, now); // last: nobody can use the bucket without the rows
}

async function recoverStore(store: Store, bucket: Bucket, options: RecoverDatabaseOptions): Promise<DatabaseFindings> {
  const { store_id: storeId } = await createIdentity(store).find();
  const mark = await readBucketOwner(bucket);
  const isForeign = mark !== undefined && mark !== storeId;
  if (isForeign && options.isApplied && !options.takesOver) {
    const remedy =
      'Stop every service that uses it, and repeat the command with --take-over: the other database can no longer use it then.';
    throw new StartError('BUCKET_FOREIGN', `The bucket belongs to another database. ${remedy}`);
  }
  let findings: DatabaseFindings | undefined;
  try {
    await store.transaction().execute((transaction) =>
      recoverIn(transaction, bucket, options, { storeId, isForeign }, (found) => {
        findings = found;
      }),
    );
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
  }
  if (!findings) throw new Error('The recovery has no findings.');
  return findings;
}

/**
 * Recovers a lost database from the bucket of its service: files and models from their records, users and clients from
 * `accounts.json`. The tables must be empty; they are created if `isApplied`. One transaction inserts all rows. Ages start
 * now, and there are no operations and no tokens. Deletes nothing from the bucket. Throws `DATABASE_NOT_EMPTY`,
 * `BUCKET_FOREIGN`, `BUCKET_UNAVAILABLE`, or like `openPostgres`; can be repeated then.
 */
export async function recoverDatabase(options: RecoverDatabaseOptions): Promise<DatabaseFindings> {
  const { database, isApplied, logger } = options;
  if (isApplied) await migrateDatabase({ database, logger });
  const limits = { maxConnections: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const store = await openPostgres({ ...database, ...limits, migrates: false, logger });
  const bucket = openBucket(options.bucket, { logger });
  try {
    return await withBucketErrors(() => recoverStore(store, bucket, options));
  } finally {
    bucket.close();
    await store.destroy();
  }
}
