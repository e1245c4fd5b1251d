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
