import type { BlobDigest } from '../digest.js';

/** A stored file whose bytes are an object. */
export interface ObjectFile {
  /** The key of the object with its bytes, which other files may share. */
  key: string;
  digest: BlobDigest;
}

/**
 * The rows of the table `object`: one for each object, committed before its first byte is sent, and deleted after its
 * last. An object is `open` until the transaction that adds its file confirms it (`attachObject`), `confirmed` until its
 * last file is deleted, and `deleting` until it is gone.
 */
export interface ObjectRows {
  /** Adds a row that is `open`, or touches it if it is open already. Resolves with false if it has another state. */
  open(key: string, owner: string): Promise<boolean>;
  /** Records that these objects are still being written. Resolves with the keys of those that are `open`. */
  touch(keys: readonly string[]): Promise<string[]>;
  /** Marks an object that is `open` to be deleted. */
  discard(key: string): Promise<void>;
  /** Finds the object of a file, deleted or not. */
  findFile(id: string): Promise<ObjectFile | undefined>;
  /** Returns whether this is the key of the record of a file that is not deleted. */
  isRecordNeeded(fileId: string, recordKey: string): Promise<boolean>;
  /** Returns whether an object is `open`. */
  isOpen(key: string): Promise<boolean>;
  /** Returns whether an object is `confirmed`. */
  isConfirmed(key: string): Promise<boolean>;
  /**
   * Marks the objects of these deleted files to be deleted. Of an object that another file shares, only the record of the
   * deleted file.
   */
  release(ids: readonly string[]): Promise<void>;
  /** Marks the objects to be deleted that are `open`, and that nobody has touched since `before`. */
  discardStale(before: number): Promise<void>;
  /** Finds up to `limit` objects that are to be deleted, the oldest first. */
  findDeleting(limit: number): Promise<string[]>;
  /** Moves an object that could not be deleted behind the others. */
  postpone(key: string): Promise<void>;
  /** Returns those of these keys that are neither an object nor a record of this store. */
  findUnknown(keys: readonly string[]): Promise<string[]>;
  /** Forgets an object that was to be deleted. */
  forget(key: string): Promise<void>;
}
