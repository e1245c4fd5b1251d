/**
 * Stable codes of `MeshError`:
 *
 * - `FORMAT_UNKNOWN`: no reader or writer for this format.
 * - `FILE_EMPTY`: the file has no bytes, or its content has no triangles.
 * - `FILE_MALFORMED`: the bytes are not a valid file of the format; the message gives the location.
 * - `FILE_ENCRYPTED`: the content of the file, or a part of it, is encrypted.
 * - `SEVERAL_MODELS`: an archive contains more than one model; `entries` has their names.
 * - `ENTRY_UNKNOWN`: an archive has no such entry, or the file is none; `entries` has the models in it.
 * - `EXTENSION_UNSUPPORTED`: the file requires an extension of its format that is not read; the message names it.
 * - `PLATE_UNKNOWN`: the project does not have the plate to read; the message names those that it has.
 * - `TOO_LARGE`: more triangles or bytes than fit in memory.
 * - `CHECKSUM_WRONG`: the checksum of a stored model does not match its bytes.
 * - `NOT_SOLID`: the operation requires a solid, and the model is not one.
 * - `NOTHING_LEFT`: the result of the operation would be empty.
 * - `SIZE_ZERO`: the size of the model along an axis is zero.
 */
export type MeshErrorCode =
  | 'FORMAT_UNKNOWN'
  | 'FILE_EMPTY'
  | 'FILE_MALFORMED'
  | 'FILE_ENCRYPTED'
  | 'SEVERAL_MODELS'
  | 'EXTENSION_UNSUPPORTED'
  | 'PLATE_UNKNOWN'
  | 'ENTRY_UNKNOWN'
  | 'TOO_LARGE'
  | 'CHECKSUM_WRONG'
  | 'NOT_SOLID'
  | 'NOTHING_LEFT'
  | 'SIZE_ZERO';

/** Options of a `MeshError`. */
export interface MeshErrorOptions extends ErrorOptions {
  entries?: readonly string[] | undefined;
  hasMoreEntries?: boolean;
}

/**
 * Thrown by the kernel if a file or an operation fails. A defective mesh is not an error: its defects go into a report.
 */
export class MeshError extends Error {
  override readonly name = 'MeshError';
  readonly code: MeshErrorCode;
  /** The names of the models in an archive, as far as they fit into a list. */
  readonly entries: readonly string[] | undefined;
  /** Whether there are more models than `entries` lists. */
  readonly hasMoreEntries: boolean;

  constructor(code: MeshErrorCode, message: string, options?: MeshErrorOptions) {
    super(message, options);
    this.code = code;
    this.entries = options?.entries;
    this.hasMoreEntries = options?.hasMoreEntries ?? false;
  }
}
