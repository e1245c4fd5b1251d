import { readdirSync } from 'node:fs';
import { ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { abortAbandonedUploads } from '../../../src/service/blobs/s3/abort-abandoned-uploads.js';
import { openBucket } from '../../../src/service/blobs/s3/bucket.js';
import { ACCOUNTS_KEY, createRecordKey } from '../../../src/service/blobs/s3/object-keys.js';
import { LOCK_NAME } from '../../../src/service/data-folder/lock-folder.js';
import { openBackend } from '../../../src/service/database-mode/open-backend.js';
import { createLogger } from '../../../src/service/logger.js';
import { createObjects } from '../../../src/service/store/objects.js';
import { maintainQueue } from '../../../src/service/store/shared/maintain-queue.js';
import type { Findings } from '../support/audit.js';
import type { Cluster } from './cluster.js';
import type { Witness } from './witness.js';

const STALE_MS = 60 * 60 * 1000 + 1;
const DAY_MS = 24 * STALE_MS;

/** What must be empty in the database of a service that is idle: description → query of what must not exist. */
const FORBIDDEN_ROWS: Record<string, string> = {
  'unfinished operation': `select id from operation where state <> 'completed'`,
  'job of a completed operation': `select id from pgboss.job where name = 'operation' and state in ('created', 'retry', 'active')`,
  'success without its output': `select operation.id from operation left join file on file.id = output_id
    where is_successful = 1 and output_id is not null and file.id is null`,
  'output of an operation that failed': `select operation.id from operation join file on file.id = output_id
    where is_successful = 0`,
  'file without a confirmed object': `select file.id from file left join object on key = blob_key
    where deleted_at is null and state is distinct from 'confirmed'`,
  'confirmed object without a file': `select key from object where state = 'confirmed'
    and not exists (select from file where blob_key = key and deleted_at is null)`,
  'object that is not confirmed': `select key from object where state <> 'confirmed'`,
  'wrong usage of a user': `select owner from usage full join
    (select owner, sum(size) as stored from file where deleted_at is null group by owner) as own using (owner)
    where coalesce(bytes, 0) <> coalesce(stored, 0)`,
  'wrong counter of a queue': `select owner from user_queue where waiting <> 0`,
  'callback that was not delivered': `select id from operation where callback_url is not null and callback_state <> 'delivered'`,
};

/** Does the maintenance of a day later, by which everything is given up that a killed process or bucket left. */
async function maintain({ environment, bucket, database, databaseName }: Cluster): Promise<void> {
  await database.query(`update object set touched_at = touched_at - ${STALE_MS} where state = 'open'`, databaseName);
  const logger = createLogger('warn');
  const backend = await openBackend({
    database: { url: environment.MODEL_PROCESSING_DATABASE_URL ?? '', migrates: false },
    bucket,
    ...{ host: '', port: 0, logger }, // it listens nowhere
  });
  try {
    await maintainQueue(backend);
    const { signal } = new AbortController();
    await backend.removeObjects(signal);
    const rows = createObjects(backend.store, Date.now);
    const uploads = openBucket(bucket, { logger });
    await abortAbandonedUploads({ bucket: uploads, rows, now: () => Date.now() + DAY_MS, logger }, signal);
    uploads.close();
  } finally {
    await backend.close();
  }
}

async function listBucket({ bucket }: Cluster): Promise<{ keys: Set<string>; uploads: number }> {
  const client = new S3Client({ endpoint: bucket.endpoint ?? '', region: 'us-east-1', forcePathStyle: true });
  try {
    const keys = new Set<string>();
    for (let token: string | undefined, isLast = false; !isLast; isLast = token === undefined) {
      const list = new ListObjectsV2Command({ Bucket: bucket.bucket, ContinuationToken: token });
      const { Contents = [], NextContinuationToken } = await client.send(list);
      for (const { Key } of Contents) if (Key !== undefined) keys.add(Key);
      token = NextContinuationToken;
    }
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket.bucket }));
    return { keys, uploads: Uploads.length };
  } finally {
    client.destroy();
  }
}

/** Compares the bucket with the rows of the files: an object and a record of each, and the mark of the owner. */
async function auditBucket(cluster: Cluster, { violations, counts }: Findings): Promise<void> {
  const { keys, uploads } = await listBucket(cluster);
  const text = 'select id, blob_key from file where deleted_at is null';
  const files = await cluster.database.query(text, cluster.databaseName);
  const expected = new Set(['store-id']);
  for (const { id, blob_key: key } of files) {
    expected.add(String(key)).add(createRecordKey(String(id), String(key)));
  }
  for (const key of expected) if (!keys.has(key)) violations.push(`the object ${key} is missing`);
  expected.add(ACCOUNTS_KEY); // a maintenance writes it, which need not have run
  for (const key of keys) if (!expected.has(key)) violations.push(`the object ${key} has no row`);
  if (uploads > 0) violations.push(`${uploads} multipart uploads remain`);
  Object.assign(counts, { files: files.length, objects: keys.size });
}

function auditScratch({ scratchFolders }: Cluster, { violations }: Findings): void {
  const isKept = (name: string): boolean => name.endsWith('.input') || name === LOCK_NAME;
  const names = scratchFolders.flatMap((folder) => readdirSync(folder)).filter((name) => !isKept(name));
  if (names.length > 0) violations.push(`scratch files remain: ${names.join(', ')}`);
}

async function readCounts({ database, databaseName }: Cluster): Promise<Record<string, number>> {
  const [row = {}] = await database.query(
    `select count(*)::int as operations, count(*) filter (where attempts > 1)::int as redelivered,
      coalesce(max(attempts), 0)::int as "mostAttempts", (select count(*)::int from file) as "fileRows" from operation`,
    databaseName,
  );
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]));
}

/** Finds the operations whose callbacks are not delivered yet. */
export function findDueCallbacks({ database, databaseName }: Cluster): Promise<Record<string, unknown>[]> {
  return database.query("select id from operation where callback_state = 'due'", databaseName);
}

/** Each operation and each upload exists once, and a user was told of it: all requests were repeated until then. */
async function auditCreated(cluster: Cluster, witnesses: readonly Witness[], { violations }: Findings): Promise<void> {
  const known = new Set(witnesses.flatMap(({ log }) => [...log.operations.keys(), ...log.files.keys()]));
  const rows = await cluster.database.query(
    `select id, 'operation' as what from operation union all
     select id, 'upload' from file where not exists (select from operation where output_id = file.id)`,
    cluster.databaseName,
  );
  for (const { id, what } of rows) if (!known.has(String(id))) violations.push(`nobody was told of the ${what} ${id}`);
}

/** Compares the database, the bucket and the scratch folders of a service whose processes have stopped. */
export async function auditStore(cluster: Cluster, witnesses: readonly Witness[]): Promise<Findings> {
  const findings: Findings = { violations: [], counts: await readCounts(cluster) };
  await auditCreated(cluster, witnesses, findings);
  await maintain(cluster);
  for (const [description, text] of Object.entries(FORBIDDEN_ROWS)) {
    const rows = await cluster.database.query(text, cluster.databaseName);
    const ids = rows.slice(0, 5).map((row) => Object.values(row)[0]);
    if (rows.length > 0) findings.violations.push(`${rows.length} × ${description}: ${ids.join(', ')}`);
  }
  await auditBucket(cluster, findings);
  auditScratch(cluster, findings);
  return findings;
}
