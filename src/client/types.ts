import type { FileHandle } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import type {
  FileRecord,
  OperationHandle,
  OperationRecord,
  OperationStatus,
  Report,
  UploadedFile,
  Verdict,
} from '../api/index.js';
import type { IdempotencyKey } from './calls/idempotency-key.js';
import type { ClientError } from './client-error.js';

/**
 * The address of a service and the credentials for it. `baseUrl` is the http or https URL to which API paths are
 * appended.
 */
export interface Account {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}

/**
 * The source of an upload. The filename needs an extension, from which the service determines the format. `open` opens
 * the file of a path for reading; the upload closes it. Callers that decide by the opened file whether a path is
 * permitted pass it, since a path can lead to another file a moment later. Default: the file at the path.
 */
export type UploadSource =
  | { path: string; filename?: string; open?: () => Promise<FileHandle> }
  | { data: Uint8Array; filename: string }
  | { stream: Readable; filename: string; size?: number };

/** The options of every call. When `signal` is aborted, the call throws `ABORTED` immediately. */
export interface CallOptions {
  signal?: AbortSignal;
}

/** The options of an upload or download. */
export interface TransferOptions extends CallOptions {
  /** Receives the number of transferred bytes and the total, `undefined` if unknown, after each chunk. */
  onProgress?: (bytes: number, total: number | undefined) => void;
}

/** The options of `upload`. */
export interface UploadOptions extends TransferOptions {
  /**
   * The key with which an earlier upload of the same source was sent (`createIdempotencyKey`): the service stores the file
   * once. Has an effect with the option `idempotencyKeys` of the client. Default: a new key.
   */
  idempotencyKey?: IdempotencyKey;
}

/** The options of a wait. */
export interface WaitOptions extends CallOptions {
  /** The time until `WAIT_TIMEOUT`, in ms. Default: the limit `waitTimeoutMs` of the client. */
  timeoutMs?: number;
  /** The type of the operation if neither the caller nor the status record contains it. */
  defaultOperation?: string | undefined;
  /** Receives each status record. */
  onStatus?: (status: OperationStatus) => void;
  /** Receives the error of each failed poll after which the wait continues. */
  onFailure?: (error: ClientError) => void;
  /** The source of callbacks if the operation was started with a `callbackUrl`. Default: polls only. */
  callbacks?: CallbackSource | undefined;
}

/** The result of a wait. */
export interface CompletedOperation {
  operation: string;
  status: OperationStatus;
  result: OperationResult;
}

/** The record of an uploaded file. Services may omit all fields but the id. */
export type UploadResult = Pick<UploadedFile, 'fileId'> & Partial<UploadedFile>;

/**
 * Delivers the callbacks for one operation. A callback is a hint to poll the operation now, never proof of its status.
 */
export interface CallbackSource {
  /**
   * Returns whether callbacks are expected to arrive. The poll interval is then longer. Called before each interval.
   */
  isExpected(): boolean;
  /**
   * Calls `onCallback` for each callback, immediately if one has already arrived. Returns a function that stops this.
   */
  listen(onCallback: () => void): () => void;
}

/** The result record of an operation: `operationId`, and `resultId`, `fileId` or fields specific to the operation. */
export type OperationResult = {
  operationId: string;
  resultId?: string;
  fileId?: string;
  report?: Report;
  verdict?: Verdict;
} & Record<string, unknown>;

/**
 * The target of a download. `maxBytes` limits the size of a Buffer; the default and the maximum are the limit
 * `maxBufferBytes` of the client. A stream receives the bytes as they arrive and is not ended; the download fails if it
 * would have to start over. `exists` determines the handling of an existing file; by default, the new one is renamed
 * (`name-2.stl`).
 */
export type DownloadTarget =
  | { to: 'buffer'; maxBytes?: number }
  | { to: 'stream'; stream: Writable }
  | { to: 'file'; folder: string; filename?: string; exists?: 'rename' | 'overwrite' | 'fail' };

/**
 * A downloaded file with `path` or `data`, depending on the target. `filename` is a base name that is valid on every
 * operating system. `isVerified` is true if the service sent the length or a digest, which then matches.
 */
export interface DownloadedFile {
  fileId: string;
  filename: string;
  size: number;
  isVerified: boolean;
  path?: string;
  data?: Buffer;
}

/** The ids of the unfinished operations that the removal of their input cancelled. */
export interface RemovedFile {
  cancelledOperations: string[];
}

/** The lists of an account, and their entries. */
export interface ListRecords {
  operations: OperationRecord;
  files: FileRecord;
}

/** The options of a list. `pageSize`: the number of entries per request, 1 to 1000. Default: that of the service. */
export interface ListOptions extends CallOptions {
  pageSize?: number;
}

/**
 * The name, version and supported formats of a service. Missing values are `undefined` or empty. Formats are listed by
 * id (`stl`, `3mf`), units by name (`mm`).
 */
export interface ServiceDescription {
  name: string | undefined;
  version: string | undefined;
  importFormats: string[];
  exportFormats: string[];
  measurementUnits: string[];
}

/** The options of `start`. */
export interface StartOptions extends CallOptions {
  /**
   * Replaces the delay before the next attempt, in ms, after the service refused all attempts because its queue was full.
   * If it rejects, the start ends with this error. `signal` is aborted with the call.
   */
  onQueueFull?: ((delayMs: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/**
 * Calls the API with one account. Every call has timeouts, accepts a signal, and throws only `ClientError`, or a
 * `TypeError` for a mistake of the caller.
 */
export interface Client {
  /** Uploads a file. Files are streamed, so memory use does not grow with their size. */
  upload(source: UploadSource, options?: UploadOptions): Promise<UploadResult>;
  /**
   * Starts an operation. If the reply is lost, throws `OUTCOME_UNKNOWN` instead of a retry, unless an idempotency key
   * was sent (option `idempotencyKeys`).
   */
  start(operation: string, parameters: Record<string, unknown>, options?: StartOptions): Promise<OperationHandle>;
  /** Reads the status of an operation. */
  status(operationId: string, options?: CallOptions): Promise<OperationStatus>;
  /** Reads the result of a completed operation. */
  result(operationId: string, operation: string, options?: CallOptions): Promise<OperationResult>;
  /**
   * Polls an operation until it has completed, then reads its result. Continues through transient failures until the
   * deadline, then throws `WAIT_TIMEOUT`. Throws `OPERATION_FAILED` if the operation failed, and `NOT_FOUND` or
   * `REFUSED` if the service refuses the polls repeatedly. If `operation` is undefined, the type is read from the
   * status record; throws `OPERATION_UNKNOWN` if that does not contain it.
   */
  wait(operationId: string, operation: string | undefined, options?: WaitOptions): Promise<CompletedOperation>;
  /** Downloads a file. On disk it appears under its final name only once it is complete. */
  download(fileId: string, target: DownloadTarget, options?: TransferOptions): Promise<DownloadedFile>;
  /**
   * Cancels an operation and reads its status: a waiting one never starts, a running one ends, a completed one does not
   * change. Waits for it in this client end at once. Throws `REFUSED` if the service does not support it.
   */
  cancel(operationId: string, options?: CallOptions): Promise<OperationStatus>;
  /**
   * Deletes a file or a model, and cancels the unfinished operations on it. Succeeds also if it is deleted already.
   * Throws `REFUSED` if the service does not support it.
   */
  remove(id: string, options?: CallOptions): Promise<RemovedFile>;
  /**
   * Reads the operations of the account, or its files and models, newest first, one page after the other as the loop
   * proceeds. The loop throws `REFUSED` if the service does not support it. Throws a `TypeError` for an invalid
   * `pageSize`.
   */
  list<K extends keyof ListRecords>(kind: K, options?: ListOptions): AsyncIterable<ListRecords[K]>;
  /** Reads the description of the service. Succeeds only if the service accepts the account. */
  describe(options?: CallOptions): Promise<ServiceDescription>;
  /**
   * Reads the extensions of the files that the service imports, such as `stl`, in one attempt. Empty if the service does
   * not list them, or recognizes files by their content.
   */
  importExtensions(options?: CallOptions): Promise<string[]>;
  /**
   * Reads the names of the operations that the service has, such as `repair`, in one attempt. Empty if the service does not
   * list them.
   */
  operationNames(options?: CallOptions): Promise<string[]>;
  /** Ends all calls with `ABORTED`. Resolves when all timers and connections are closed. */
  close(): Promise<void>;
}

/** Provides valid access tokens for one account. Concurrent callers share one token request. */
export interface TokenSource {
  /** Returns a token that has not expired. `staleToken`: a token that the service refused with 401. */
  token(options?: { signal?: AbortSignal; staleToken?: string }): Promise<string>;
  /**
   * The remaining time in which the account must not send requests, in ms, else 0. Applies to all clients of the
   * source.
   */
  readonly pauseMs: number;
  /** Extends the pause to `ms` from now, as requested by the service (Retry-After). */
  pause(ms: number): void;
  /** Ends all token requests with `ABORTED` and discards the tokens. */
  close(): void;
}
