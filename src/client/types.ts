import type { Readable } from 'node:stream';
import type { OperationHandle, OperationStatus, Report, UploadedFile, Verdict } from '../api/index.js';
import type { ClientError } from './client-error.js';

/** A service and who we are there. `baseUrl` is http or https; the API answers below it. */
export interface Account {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}

/** The bytes to upload. A file name with an extension is required: the service tells the format by it. */
export type UploadSource =
  | { path: string; filename?: string }
  | { data: Uint8Array; filename: string }
  | { stream: Readable; filename: string; size?: number };

/** What every call takes: `signal` ends it at once with code `ABORTED`. */
export interface CallOptions {
  signal?: AbortSignal;
}

export interface TransferOptions extends CallOptions {
  /** Told as bytes move: how many so far, and of how many (`undefined` where nobody said). */
  onProgress?: (bytes: number, total: number | undefined) => void;
}

export interface WaitOptions extends CallOptions {
  /** How long to wait before `WAIT_TIMEOUT`, in ms. Default: the client's `waitTimeoutMs`. */
  timeoutMs?: number;
  /** The type of the operation, where neither the caller nor the status record says it. */
  defaultOperation?: string | undefined;
  /** Told of each status record that was read. */
  onStatus?: (status: OperationStatus) => void;
  /** Told of each poll that failed, while the wait goes on. */
  onFailure?: (error: ClientError) => void;
  /** Where callbacks for this operation arrive, if it was started with a `callbackUrl`. Default: it is looked at, and that is all. */
  callbacks?: CallbackSource | undefined;
}

/** What a wait ends with. */
export interface CompletedOperation {
  operation: string;
  status: OperationStatus;
  result: OperationResult;
}

/** What a service says of an uploaded file: its id in any case. */
export type UploadResult = Pick<UploadedFile, 'fileId'> & Partial<UploadedFile>;

/** Tells of the callbacks for one operation. One is a hint to look at the operation now, never the truth about it. */
export interface CallbackSource {
  /** Whether a callback is to be expected: then the operation is looked at only now and then without one. Asked before each pause. */
  isExpected(): boolean;
  /** Calls back for each callback; at once, if one has come already. Answers how to stop that. */
  listen(onCallback: () => void): () => void;
}

/** The result record of an operation: `operationId`, and `resultId`, `fileId` or the operation's own fields. */
export type OperationResult = {
  operationId: string;
  resultId?: string;
  fileId?: string;
  report?: Report;
  verdict?: Verdict;
} & Record<string, unknown>;

/**
 * Where a download goes. `maxBytes`: a larger file is refused; default, and at most, the client's `maxBufferBytes`. `exists` says what
 * happens to a file of that name: default `rename` (`name-2.stl`).
 */
export type DownloadTarget =
  | { to: 'buffer'; maxBytes?: number }
  | { to: 'file'; folder: string; filename?: string; exists?: 'rename' | 'overwrite' | 'fail' };

/** `filename` is a safe base name. `path` and `data` as the target asked. `isVerified`: the length was announced and is right. */
export interface DownloadedFile {
  fileId: string;
  filename: string;
  size: number;
  isVerified: boolean;
  path?: string;
  data?: Buffer;
}

/** What a service says of itself; what it does not say is `undefined` or empty. Formats by their ids (`stl`, `3mf`), units by
 * their names (`mm`). */
export interface ServiceDescription {
  name: string | undefined;
  version: string | undefined;
  importFormats: string[];
  exportFormats: string[];
  measurementUnits: string[];
}

/**
 * Speaks the API with one account. Every call has a deadline, takes a signal and throws `ClientError` only
 * (`TypeError` for a caller's mistake).
 */
export interface Client {
  /** Sends a file; memory stays flat with its size. */
  upload(source: UploadSource, options?: TransferOptions): Promise<UploadResult>;
  /** Starts an operation. Never repeated when the reply was lost: then `OUTCOME_UNKNOWN`. */
  start(operation: string, parameters: Record<string, unknown>, options?: CallOptions): Promise<OperationHandle>;
  status(operationId: string, options?: CallOptions): Promise<OperationStatus>;
  result(operationId: string, operation: string, options?: CallOptions): Promise<OperationResult>;
  /**
   * Polls until the operation is completed, then reads its result. Goes on through every failure that may pass until its deadline, then
   * `WAIT_TIMEOUT`. `OPERATION_FAILED` where the operation failed, `NOT_FOUND` or `REFUSED` where the service keeps refusing to know it.
   * Without an `operation` its type is read from the status record; `OPERATION_UNKNOWN` where that does not say it.
   */
  wait(operationId: string, operation: string | undefined, options?: WaitOptions): Promise<CompletedOperation>;
  /** Fetches a file. On disk it appears under its name only when whole. */
  download(fileId: string, target: DownloadTarget, options?: TransferOptions): Promise<DownloadedFile>;
  /** Asks the service what it is. When it returns, the account was accepted. */
  describe(options?: CallOptions): Promise<ServiceDescription>;
  /** Ends every call with `ABORTED` and leaves no timer or socket. */
  close(): Promise<void>;
}

/** Always has a usable token; one request at a time, however many wait. */
export interface TokenSource {
  /** A token that is not known to be expired. `staleToken`: the one that was answered with 401. */
  token(options?: { signal?: AbortSignal; staleToken?: string }): Promise<string>;
  /** How long the service still asks the account to leave it alone, in ms; 0 where it does not. All clients of a source keep it. */
  readonly pauseMs: number;
  /** The service asked for a pause of so many ms. */
  pause(ms: number): void;
  close(): void;
}
