import { sql, type Transaction } from 'kysely';
import type { BlobRecord } from '../../blobs/blob-record.js';
import type { Schema } from '../../store/schema.js';

/** What the bucket has under a key, as far as it was listed. `unreadable`: a record that is damaged. */
export interface ListedKey {
  key: string;
  kind: 'bytes' | 'unreadable' | 'unknown';
  /** The last part of the key of bytes; empty for all others. */
  attempt: string;
  size: number;
}

/** A readable record, and the attempt that wrote the bytes which it describes. */
export interface ListedRecord {
  record: BlobRecord;
  attempt: string;
}

/** What the records and bytes in a bucket amount to. */
export interface RecoverableContent {
  fileCount: number;
  modelCount: number;
  ownerCount: number;
  /** Files and models whose bytes are missing or have another size. */
  damagedCount: number;
  /** Owners of files who have no account. */
  unknownOwnerCount: number;
  /** What stays in the bucket without a row: how many objects, and the first keys. */
  remaining: Record<'unreadable' | 'repeated' | 'unrecorded' | 'unknown', { count: number; keys: string[] }>;
}

// How many keys of each kind are named.
const NAMED = 3;

/** Creates the tables of what is in the bucket. They exist until the end of the transaction. */
export async function createRecoveryTables(transaction: Transaction<Schema>): Promise<void> {
  await sql`create temporary table recovery_object (key text primary key, kind text, attempt text, size bigint)
    on commit drop`.execute(transaction);
  await sql`create temporary table recovery_record (
    id text, attempt text, owner text, kind text, filename text, media_type text, created_at bigint, size bigint,
    sha256 text, block_crcs text, request_key text, fingerprint text
  ) on commit drop`.execute(transaction);
}

/** Adds a page of keys. */
export async function addKeys(transaction: Transaction<Schema>, keys: readonly ListedKey[]): Promise<void> {
  await sql`
    insert into recovery_object
    select * from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as listed(key text, kind text, attempt text, size bigint)
    on conflict do nothing`.execute(transaction);
}

/** Adds readable records. */
export async function addRecords(transaction: Transaction<Schema>, records: readonly ListedRecord[]): Promise<void> {
  const rows = records.map(({ record: { mediaType, createdAt, blockCrcs, request, ...record }, attempt }) => ({
    ...{ ...record, attempt, media_type: mediaType, created_at: createdAt, block_crcs: blockCrcs },
    ...{ request_key: request?.key ?? null, fingerprint: request?.fingerprint ?? null },
  }));
  await sql`
    insert into recovery_record
    select * from jsonb_populate_recordset(null::recovery_record, ${JSON.stringify(rows)}::jsonb)`.execute(transaction);
}

/**
 * Finds the bytes of each record, and one record of each file. The bytes have the key of the file or, if a reused result
 * shares them, the key of another file with the same attempt, which is a random id then. Of several records, those of
 * complete bytes come first, then the newest: an attempt that was not completed wrote the same output.
 */
export async function chooseRecords(transaction: Transaction<Schema>): Promise<void> {
  await sql`create index on recovery_object (attempt) where kind = 'bytes'`.execute(transaction);
  await sql`analyze recovery_object`.execute(transaction);
  await sql`
    create temporary table recovery_file on commit drop as
    select distinct on (record.id)
      record.*,
      coalesce(own.key, shared.key, record.own_key) as blob_key,
      coalesce(coalesce(own.size, shared.size) = record.size, false) as is_complete
    from (select *, right(id, 2) || '/' || id || '/' || attempt as own_key from recovery_record) as record
    left join recovery_object as own on own.key = record.own_key
    left join lateral (
      select key, size from recovery_object as other
      where own.key is null and record.attempt <> 'upload' and other.attempt = record.attempt and other.kind = 'bytes'
      order by other.size = record.size desc, key limit 1
    ) as shared on true
    order by record.id, is_complete desc, record.created_at desc, record.attempt`.execute(transaction);
  await sql`create index on recovery_file (blob_key)`.execute(transaction);
  await sql`analyze recovery_file`.execute(transaction);
  await sql`
    update recovery_object set kind = case
      when exists (select from recovery_file where blob_key = recovery_object.key) then 'used'
      when exists (
        select from recovery_record as record
        where right(record.id, 2) || '/' || record.id || '/' || record.attempt = recovery_object.key
      ) then 'repeated'
      else 'unrecorded' end
    where kind = 'bytes'`.execute(transaction);
}

/** Counts what was found. `userIds`: of the recovered users. */
export async function summarize(
  transaction: Transaction<Schema>,
  userIds: readonly string[],
): Promise<RecoverableContent> {
  const { rows } = await sql<Omit<RecoverableContent, 'remaining'>>`
    select
      count(*) filter (where is_complete and kind = 'file') as "fileCount",
      count(*) filter (where is_complete and kind = 'model') as "modelCount",
      count(distinct owner) filter (where is_complete) as "ownerCount",
      count(*) filter (where not is_complete) as "damagedCount",
      count(distinct owner) filter (where is_complete and owner <> all(${userIds}::text[])) as "unknownOwnerCount"
    from recovery_file`.execute(transaction);
  const groups = await sql<{ kind: string; count: number; keys: string[] }>`
    select kind, count(*) as count, (array_agg(key order by key))[1:${sql.lit(NAMED)}] as keys
    from recovery_object group by kind`.execute(transaction);
  const of = (kind: string) => groups.rows.find((group) => group.kind === kind) ?? { count: 0, keys: [] };
  const [counts] = rows;
  if (!counts) throw new Error('The database returned no counts.');
  const remaining = {
    unreadable: of('unreadable'),
    repeated: of('repeated'),
    unrecorded: of('unrecorded'),
    unknown: of('unknown'),
  };
  return { ...counts, remaining };
}
