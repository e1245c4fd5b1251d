export { createIdempotencyKey, type IdempotencyKey } from './calls/idempotency-key.js';
export { ClientError, type ErrorCode } from './client-error.js';
export { CLIENT_DEFAULTS, type ClientLimits } from './client-limits.js';
export type { ClientOptions, ClientProxy, ClientTls, ConnectionOptions } from './client-options.js';
export { createClient } from './create-client.js';
export { createTokenSource } from './tokens/token-source.js';
export type {
  Account,
  CallbackSource,
  CallOptions,
  Client,
  CompletedOperation,
  DownloadedFile,
  DownloadTarget,
  ListOptions,
  ListRecords,
  OperationResult,
  RemovedFile,
  ServiceDescription,
  StartOptions,
  TokenSource,
  TransferOptions,
  UploadOptions,
  UploadResult,
  UploadSource,
  WaitOptions,
} from './types.js';
export { createPollScheduler, type PollScheduler, type PollTicket } from './waiting/poll-scheduler.js';
