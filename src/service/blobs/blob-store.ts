import type { BlobRecord } from './blob-record.js';
import type { BlockBuffers } from './block-buffers.js';
import type { BlobDigest } from './digest.js';
import type { BorrowedChunks } from './read-double-buffered.js';
import type { BlockDigest } from './read-verified-blocks.js';

/** The key by which the row of a file refers to its bytes (`blob_key`). Null if its id leads to them. */
export type BlobKey = string | null;

/**
 * Reserves the space for a file of `size` bytes in total, of which some may be written already. `key`: of its object, if it
 * has one.
 */
export type SpaceReserver = (size: number, key?: string) => Promise<void>;

/** Receives bytes in chunks, and computes their digest. */
export interface ByteSink {
  /** The number of bytes passed to `write`. */
  readonly size: number;
  /** Queues bytes, which are not copied: the caller must not change them afterwards. */
  write(bytes: Buffer): void;
  /**
   * Resolves when few bytes are queued. To be awaited after writes. Throws an earlier write error, or that of the space
   * reserver.
   */
  drained(): Promise<void>;
  /** Writes the queued bytes. Resolves with the digest of all bytes. Nothing can be added afterwards. */
  finish(): Promise<BlobDigest>;
}

/** Writes a new blob, which exists once it is committed. Every sink ends with `commit` or `abort`. */
export interface BlobSink extends ByteSink {
  /**
   * Stores the finished bytes with this record, whose id is that of the blob. Both survive a power loss once this
   * resolves. After an error neither remains, except the bytes that `abort` deletes. Resolves with the key for the row of
   * the file, as `fromScratch`.
   */
  commit(record: BlobRecord): Promise<BlobKey>;
  /** Deletes the bytes, complete or not, unless they were committed. */
  abort(): Promise<void>;
}

/** A blob that is open for reading. Its bytes remain readable if it is deleted. */
export interface OpenBlob {
  /** Reads the bytes from `start` to `end`, both inclusive, as `readDoubleBuffered`. */
  read(start: number, end: number, buffers?: BlockBuffers): BorrowedChunks;
  /** Reads these bytes and checks each block before any of it is returned, as `readVerifiedBlocks`. */
  readVerified(start: number, end: number, digest: BlockDigest, buffers?: BlockBuffers): BorrowedChunks;
  close(): Promise<void>;
}

/**
 * Stores immutable blobs by their ids, each with its record. Whoever uses it sees no files, except the scratch files on
 * the local disk from which kernel processes read and to which they write.
 */
export interface BlobStore {
  /**
   * Starts to write the blob `id`. `reserve` is awaited before bytes are written. `owner`: the user to whom the bytes count
   * meanwhile, if the store counts them.
   */
  write(id: string, reserve: SpaceReserver, owner?: string): Promise<BlobSink>;
  /** Opens a blob for reading. The caller has to close it. */
  open(id: string): Promise<OpenBlob>;
  /** Opens a blob, and reads as `OpenBlob.read`. */
  read(id: string, start: number, end: number): BorrowedChunks;
  /** Opens a blob, and reads as `OpenBlob.readVerified`. */
  readVerified(id: string, start: number, end: number, digest: BlockDigest): BorrowedChunks;
  /** Resolves with a text that is equal for blobs that share their bytes, `undefined` if the blob is missing. */
  readIdentity(id: string): Promise<string | undefined>;
  /**
   * Deletes blobs that exist, and their records. The records are gone first, also after a power loss: a blob without
   * record is never mistaken for a stored one.
   */
  remove(ids: readonly string[]): Promise<void>;

  /** Reads the record of a blob. Resolves with `undefined` if it is missing, unreadable or damaged. */
  readRecord(id: string): Promise<BlobRecord | undefined>;
  /** Writes the record of an existing blob, or replaces it. It survives a power loss once this resolves. */
  writeRecord(record: BlobRecord): Promise<void>;

  /**
   * Returns the path of a new scratch file, or of a folder of a kernel process, which does not exist. `discard` or `fromScratch`
   * ends the use of a file.
   */
  scratchPath(): string;
  /**
   * Resolves with the path of a file with the bytes of a blob, for reading only. It is missing if the blob is, or if it was
   * found to be altered. `release` ends its use. Throws the abort reason of `signal` if it has to wait.
   */
  toScratch(id: string, signal?: AbortSignal): Promise<string>;
  /** Ends the use of a file of `toScratch`. */
  release(file: string): void;
  /**
   * Turns a scratch file into a blob with this record. Both survive a power loss once this resolves. After an error
   * neither remains, except the scratch file. `lease`: of the claim that the output belongs to, so that several workers
   * can write it. `reserve` is awaited before; it adds the row of the object, if it is given one. Resolves with the key for
   * the row of the file.
   */
  fromScratch(file: string, record: BlobRecord, lease?: string, reserve?: SpaceReserver): Promise<BlobKey>;
  /**
   * Creates a scratch file with the bytes of a blob, without copying them. `fromScratch` then makes a blob that shares
   * them. Resolves with false if the blob was deleted, or its bytes cannot be shared. `signal`: as for `toScratch`.
   */
  share(id: string, file: string, signal?: AbortSignal): Promise<boolean>;
  /** Deletes a scratch file, if it exists. */
  discard(file: string): Promise<void>;
}
