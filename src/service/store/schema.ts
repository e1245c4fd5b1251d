import type { Generated } from 'kysely';
import type { FailedLoginRow, OwnerRow, SessionRow } from './sign-in-rows.js';

/**
 * The tables. Times are in ms since 1970, those of the retention clock in ms of an arbitrary epoch, flags are 0 or 1, objects are JSON. All ids except those of clients and
 * tokens are UUIDs.
 */
export interface Schema {
  store: StoreRow;
  identity: IdentityRow;
  retention_time: RetentionTimeRow;
  account_serial: AccountSerialRow;
  scrub: ScrubRow;
  user: UserRow;
  client: ClientRow;
  token: TokenRow;
  session: SessionRow;
  owner: OwnerRow;
  file: FileTable;
  usage: UsageTable;
  operation: OperationTable;
  queue: QueueTable;
  user_queue: UserQueueTable;
  idempotency_key: IdempotencyKeyRow;
  object: ObjectRow;
  failed_login: FailedLoginRow;
}

/** The version of the tables, in one row. */
export interface StoreRow {
  version: number;
}

/** The identity of the store, in one row. The data folder has a copy of it. */
export interface IdentityRow {
  /** Random. Tells the databases of different folders apart. */
  store_id: string;
  /** Raised by each start of a service. Tells an older copy of the database from the current one. */
  generation: number;
}

/** The time of the retention clock when it was last saved, in one row. */
export interface RetentionTimeRow {
  time: number;
  /** The time of the system clock then. */
  saved_at: number;
}

/** The number of changes to users and clients so far, in one row. Tells an older copy of them from the current one. */
export interface AccountSerialRow {
  serial: number;
}

/** How far the scrub has come, in one row. None before its first file. */
export interface ScrubRow {
  /** The id of the file that was checked last. */
  last_id: string;
}

/** A user account. */
export interface UserRow {
  id: string;
  username: string;
  /** scrypt with its parameters and salt. */
  password_hash: string;
  created_at: number;
  /** Space for the stored files of this user. Null: the default of the service. */
  quota_bytes: number | null;
}

/** An OAuth client. */
export interface ClientRow {
  id: string;
  /** SHA-256 of a random secret. */
  secret_hash: string;
  created_at: number;
}

/** An access or refresh token. */
export interface TokenRow {
  /** SHA-256 of the token. */
  hash: string;
  kind: 'access' | 'refresh';
  /** The id of the token family: all tokens that descend from one password grant (RFC 6819, section 5.2.2.3). */
  family: string;
  user_id: string;
  client_id: string;
  created_at: number;
  expires_at: number;
  /** Of a refresh token, which can be used once. */
  used_at: number | null;
  revoked_at: number | null;
}

/** A stored file. A `file` was uploaded or exported; a `model` is in the internal format. */
export interface FileRow {
  id: string;
  owner: string;
  kind: 'file' | 'model';
  /** Of a model: the filename that it was imported from. */
  filename: string;
  media_type: string;
  size: number;
  created_at: number;
  /** The time of its creation on the retention clock. */
  retained_from: number;
  /** On the retention clock. */
  read_at: number;
  /** As in `BlobDigest`. Null for a file of an earlier version until its bytes were read once. */
  sha256: string | null;
  block_crcs: string | null;
  /** When its bytes were found to be missing or altered, in ms since 1970. */
  damaged_at: number | null;
  /** When the blob was deleted, on the retention clock. The row stays, to distinguish an expired id from an unknown one. */
  deleted_at: number | null;
}

/** The row of a new file. `blob_key`: of its object, if it has one. */
export interface NewFileRow extends FileRow {
  blob_key?: string;
}

/** The table of files. The columns of its own are only in PostgreSQL. */
export interface FileTable extends FileRow {
  /** The key of the object that holds the bytes. Null: the id. */
  blob_key: Generated<string | null>;
}

/** Low: runs only while no normal operation waits. */
export type Priority = 'normal' | 'low';

/** The size of all stored files of a user. Triggers update it with every change of `file`. */
export interface UsageRow {
  owner: string;
  bytes: number;
}

/** The table of stored bytes. The column of its own is only in PostgreSQL. */
export interface UsageTable extends UsageRow {
  /** The space of all open objects of the user. Triggers update it with every change of `object`. */
  reserved: Generated<number>;
}

/** An operation and its callback. */
export interface OperationRow {
  id: string;
  owner: string;
  kind: string;
  state: 'queued' | 'running' | 'completed';
  /** The order of the queued operations of a user: all normal ones come first, then the lowest tag, then the oldest. */
  priority: Priority;
  tag: number;
  /** Null until the operation has completed. */
  is_successful: 0 | 1 | null;
  input_id: string;
  /** The id of the output, which exists once the operation has succeeded. Null for operations without output. */
  output_id: string | null;
  /** The filename of the input. */
  filename: string;
  parameters: string;
  /** The fields of the result besides the ids. */
  result: string | null;
  report: string | null;
  /** `{ code, message }`, as in the status record. */
  error: string | null;
  attempts: number;
  progress: number | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  /** The time of its completion on the retention clock. */
  retained_from: number | null;
  callback_url: string | null;
  /** `due` from the completion of the operation until the callback is delivered or given up. */
  callback_state: 'none' | 'waiting' | 'due' | 'delivered' | 'given-up';
  callback_attempts: number;
  callback_next_at: number | null;
  /** SHA-256 of the input, as reported by the kernel process that completed the operation. */
  input_hash: string | null;
  /** The version of the kernel that completed the operation. */
  kernel: string | null;
}

/** The table of operations. The columns of its own are only in PostgreSQL. */
export interface OperationTable extends OperationRow {
  /** A random id of each claim, if several processes have workers: only the last claim may write the row. */
  lease: Generated<string | null>;
}

/** The queue of all users, in one row. */
export interface QueueRow {
  /** The number of queued operations. */
  waiting: number;
  /** The highest tag of each priority that was claimed since the queue was empty. */
  normal_tag: number;
  low_tag: number;
  /** The time of the last claim. Null if the queue was empty since. */
  claimed_at: number | null;
  /** A moving average of the time between claims while operations wait, in ms. */
  claim_interval_ms: number;
}

/** The table of the queue. The columns of its own are only in PostgreSQL. */
export interface QueueTable extends QueueRow {
  /** The tag whose job has priority 0 among those of its own priority, since a priority of pg-boss has 32 bits. */
  normal_base: Generated<number>;
  low_base: Generated<number>;
  /** The virtual time of the last claim: see `shares.ts`. */
  virtual_ms: Generated<number>;
}

/** The queued operations of one user. */
export interface UserQueueRow {
  owner: string;
  waiting: number;
  /** The highest tag of each priority that the user's operations got since the queue was empty; -1 for none. */
  normal_tag: number;
  low_tag: number;
}

/** The table of the queues of users. The column of its own is only in PostgreSQL. */
export interface UserQueueTable extends UserQueueRow {
  /** The virtual time of the user: see `shares.ts`. If that of the queue is later, it counts. */
  virtual_ms: Generated<number>;
}

/**
 * An idempotency key, with what the first request with it created. Unique for its owner and route.
 */
export interface IdempotencyKeyRow {
  owner: string;
  /** `file`, or the name of the operation. */
  route: string;
  key: string;
  /** SHA-256 of what the request asked for. */
  fingerprint: string;
  /** The id of the file or operation. */
  resource_id: string;
  /** On the retention clock: a system clock that jumps neither forgets a key early nor keeps it for years. */
  created_at: number;
}

/**
 * An object of an object store. Only in PostgreSQL. Its row is committed before its first byte is sent, so that no object exists without a
 * row. Several files can have the same object.
 */
export interface ObjectRow {
  key: string;
  owner: string;
  /** Space that is reserved for it; once it is confirmed, its size in bytes. */
  size: number;
  /** Open: being written. Confirmed: complete, and a file has it. Deleting: no file has it. */
  state: 'open' | 'confirmed' | 'deleting';
  created_at: number;
  /** When its writer last reported that it still writes. */
  touched_at: number;
}
