// An object is `<last two digits of the id>/<file id>/<lease>`, so that the ids may begin with a time. The last part is
// `upload` for an upload, which is attempted once.
const UPLOAD = 'upload';
const RECORDS = 'records/';

/** Returns the key of the bytes of a file that the holder of `lease` writes. Default: of an upload. */
export function createObjectKey(fileId: string, lease = UPLOAD): string {
  return `${fileId.slice(-2)}/${fileId}/${lease}`;
}

/**
 * Returns the key of the record of a file whose bytes have the key `objectKey`. The bytes of a reused result have the key
 * of another file.
 */
export function createRecordKey(fileId: string, objectKey: string): string {
  return `${RECORDS}${fileId}/${objectKey.slice(objectKey.lastIndexOf('/') + 1)}.json`;
}

/** Returns the file whose record has this key; `undefined` if the object is not a record. */
export function findRecordedFile(key: string): string | undefined {
  return key.startsWith(RECORDS) ? key.split('/')[1] : undefined;
}

/** Returns the file for which an object was written. Others may share its bytes. */
export function writtenFor(objectKey: string): string {
  return objectKey.split('/')[1] ?? '';
}

/** The id of the store that a bucket belongs to. */
export const STORE_ID_KEY = 'store-id';

/** Precedes what stores write while they mark an empty bucket. */
export const ANNOUNCEMENTS = 'store-candidates/';

/** The copy of the users and clients. */
export const ACCOUNTS_KEY = 'accounts.json';

/** Precedes what a recovery could not read, and replaced. */
export const QUARANTINE = 'quarantine/';

const OWN_FOLDERS = [ANNOUNCEMENTS, QUARANTINE];

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const BYTES_KEY = new RegExp(`^([0-9a-f]{2})/(${ID})/([\\w-]+)$`);
const RECORD_KEY = new RegExp(`^${RECORDS}(${ID})/([\\w-]+)\\.json$`);

/**
 * The parts of a key. `own`: another object that this program writes. `unknown`: it writes no such object. `attempt`: the
 * last part of the key of the bytes.
 */
export type ParsedKey =
  | { type: 'bytes' | 'record'; fileId: string; attempt: string }
  | { type: 'own' | 'unknown'; fileId?: never; attempt?: never };

/** Returns what a key in a bucket stands for. */
export function parseKey(key: string): ParsedKey {
  const [, part, bytesId = '', attempt = ''] = BYTES_KEY.exec(key) ?? [];
  if (part !== undefined && bytesId.endsWith(part)) return { type: 'bytes', fileId: bytesId, attempt };
  const [, recordId, recordAttempt = ''] = RECORD_KEY.exec(key) ?? [];
  if (recordId !== undefined) return { type: 'record', fileId: recordId, attempt: recordAttempt };
  const isOwn = key === STORE_ID_KEY || key === ACCOUNTS_KEY || OWN_FOLDERS.some((folder) => key.startsWith(folder));
  return { type: isOwn ? 'own' : 'unknown' };
}
