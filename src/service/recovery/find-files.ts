import { stat } from 'node:fs/promises';
import type { BlobFolder } from '../blobs/blob-folder.js';
import type { BlobRecord } from '../blobs/blob-record.js';
import { createFileRow, findClaim } from '../store/file-row.js';
import type { KeyClaim } from '../store/idempotency-keys.js';
import type { FileRow } from '../store/schema.js';
import type { DamagedTable } from './read-damaged-table.js';

/** The files and models of a data folder, as far as a record or a row describes them. */
export interface RecoverableFiles {
  /** id → row. Includes the deleted ones that the old database has. */
  rows: Map<string, FileRow>;
  /** id → the claim of the key that the record has, those of the newest uploads first: they decide about a key. */
  claims: Map<string, KeyClaim>;
  /** Blobs that neither a record nor a row explains. */
  unknownCount: number;
}

/** The readable rows of the old database, with ages that start at `now`. */
function readRows(table: DamagedTable<FileRow>, now: number): Map<string, FileRow> {
  const rows = new Map<string, FileRow>();
  for (const row of table.rows) {
    // One flipped bit turns null into a small number, and the bytes of deleted files are removed.
    const isDeleted = row.deleted_at !== null && row.deleted_at >= row.retained_from;
    rows.set(row.id, {
      ...row,
      retained_from: now,
      read_at: now,
      deleted_at: isDeleted ? now : null,
    });
  }
  return rows;
}

/** Returns the row of a file that nobody deleted, but whose bytes and record are both gone, as `Files.markLost` does. */
function markLost(row: FileRow, now: number): FileRow {
  return { ...row, deleted_at: now, damaged_at: row.damaged_at ?? now };
}

/** Returns whether a user or an eviction deleted a file. The next start removes what is left of it. */
function isDeleted(row: FileRow): boolean {
  return row.deleted_at !== null && row.damaged_at === null;
}

/** Returns the row of a record. A blob that is missing or has another size is damaged; its bytes are not read. */
async function createRow(record: BlobRecord, old: FileRow | undefined, blobs: BlobFolder, now: number) {
  const size = await stat(blobs.pathOf(record.id)).then(
    (stats) => stats.size,
    () => undefined,
  );
  return { ...createFileRow(record, now), damaged_at: old?.damaged_at ?? (size === record.size ? null : now) };
}

/** Returns the claims of the keys of uploads. */
function findClaims(records: BlobRecord[], now: number): Map<string, KeyClaim> {
  const claims = new Map<string, KeyClaim>();
  for (const record of records.sort((a, b) => b.createdAt - a.createdAt)) {
    const claim = findClaim(record, now);
    if (claim) claims.set(record.id, claim);
  }
  return claims;
}

/**
 * Finds all files and models: those with a sound record, and those of which only the row is readable. A file that the
 * old database has as deleted stays deleted, whatever is left of it. Their ages start at `now`.
 */
export async function findFiles(
  blobs: BlobFolder,
  table: DamagedTable<FileRow>,
  now: number,
): Promise<RecoverableFiles> {
  const oldRows = readRows(table, now);
  const ids = await blobs.listIds();
  const rows = new Map<string, FileRow>();
  const keyed: BlobRecord[] = [];
  let unknownCount = 0;
  for (const id of new Set([...ids.records, ...ids.blobs])) {
    const record = await blobs.readRecord(id);
    const old = oldRows.get(id);
    if (record && !(old && isDeleted(old))) {
      rows.set(id, await createRow(record, old, blobs, now));
      if (record.request) keyed.push(record);
    } else if (old) rows.set(id, old);
    else if (ids.blobs.has(id)) unknownCount += 1;
  }
  for (const [id, row] of oldRows) if (!rows.has(id)) rows.set(id, row.deleted_at === null ? markLost(row, now) : row);
  return { rows, claims: findClaims(keyed, now), unknownCount };
}
