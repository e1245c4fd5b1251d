/**
 * - `FORMAT_UNKNOWN`: no reader or writer for this format.
 * - `FILE_EMPTY`: no bytes, or no triangle in them.
 * - `FILE_MALFORMED`: the bytes are not what the filename says; the message says where.
 * - `TOO_LARGE`: more triangles or bytes than can be held.
 * - `CHECKSUM_WRONG`: a stored model was altered on the disk.
 * - `NOT_SOLID`: what is asked for needs a solid, and the model is none.
 * - `NOTHING_LEFT`: what is asked for would leave nothing.
 * - `SIZE_ZERO`: the model has no extent along an axis.
 */
export type MeshErrorCode =
  | 'FORMAT_UNKNOWN'
  | 'FILE_EMPTY'
  | 'FILE_MALFORMED'
  | 'TOO_LARGE'
  | 'CHECKSUM_WRONG'
  | 'NOT_SOLID'
  | 'NOTHING_LEFT'
  | 'SIZE_ZERO';

/** Thrown by the kernel for what cannot be read or written. A defective mesh is no error: it is a report. */
export class MeshError extends Error {
  override readonly name = 'MeshError';
  readonly code: MeshErrorCode;

  constructor(code: MeshErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
