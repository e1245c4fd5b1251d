/**
 * - `FORMAT_UNKNOWN`: no reader or writer for this format.
 * - `FILE_EMPTY`: no bytes, or no triangle in them.
 * - `FILE_MALFORMED`: the bytes are not what the filename says; the message says where.
 * - `TOO_LARGE`: more triangles or bytes than can be held.
 * - `CHECKSUM_WRONG`: a stored model was altered on the disk.
 */
export type MeshErrorCode = 'FORMAT_UNKNOWN' | 'FILE_EMPTY' | 'FILE_MALFORMED' | 'TOO_LARGE' | 'CHECKSUM_WRONG';

/** Thrown by the kernel for what cannot be read or written. A defective mesh is no error: it is a report. */
export class MeshError extends Error {
  override readonly name = 'MeshError';
  readonly code: MeshErrorCode;

  constructor(code: MeshErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
