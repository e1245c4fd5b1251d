export { ClientError, type ErrorCode } from './client-error.js';
export type {
  Account,
  CallOptions,
  Client,
  DownloadedFile,
  DownloadTarget,
  OperationResult,
  TokenSource,
  TransferOptions,
  UploadSource,
  WaitOptions,
} from './types.js';
