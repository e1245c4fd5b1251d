import type { CallSpec, PreparedRequest } from '../calls/session.js';
import { ClientError } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import { readUploadedFile } from '../replies/read-replies.js';
import { parseReplyJson, readReplyText } from '../replies/reply-body.js';
import { AttemptFailure } from '../transport/attempt-failure.js';
import type { Reply } from '../transport/transport.js';
import type { TransferOptions, UploadOptions, UploadResult, UploadSource } from '../types.js';
import { createMultipartBody } from './multipart-body.js';
import { openUploadBody } from './open-upload-body.js';
import type { UploadBody } from './upload-body.js';

/**
 * The size above which an upload uses `Expect: 100-continue`, so that a refused file is not transferred. On loopback
 * the additional round trip is not measurable: medians of 60 uploads are 5.7 ms for 1,024 KiB without it, and 4.0 ms
 * for 1,025 KiB with it.
 */
const EXPECT_CONTINUE_BYTES = 1 << 20;

/** The API specifies 200. Other success statuses are accepted, since sending the file again would not change them. */
const SUCCESS_STATUSES = [200, 201, 202, 204];

/**
 * Uploads a file. A failed attempt is repeated from the start: storing a file twice is harmless. `call` makes it. Throws
 * `INPUT_INVALID`, `FILE_UNREADABLE`, `FILE_UNWRITABLE`, `DISK_FULL` and the errors of a call.
 */
export async function uploadFile(
  call: <T>(spec: CallSpec<T>, signal: AbortSignal) => Promise<T>,
  source: UploadSource,
  limits: ClientLimits,
  options: UploadOptions & { tempDir?: string | undefined; signal: AbortSignal },
): Promise<UploadResult> {
  const body = await openUploadBody(source, { ...options, idleMs: limits.idleTimeoutMs });
  try {
    return await call(createUploadSpec(body, limits, options), options.signal);
  } finally {
    await dispose(body);
  }
}

/** How long the end of an upload may be delayed by closing its file, such as one on a disk that hangs. */
const DISPOSE_TIMEOUT_MS = 1_000;

async function dispose(body: UploadBody): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DISPOSE_TIMEOUT_MS);
  });
  try {
    await Promise.race([body.dispose(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function createUploadSpec(
  body: UploadBody,
  limits: ClientLimits,
  { onProgress, idempotencyKey }: UploadOptions,
): CallSpec<UploadResult> {
  return {
    action: `upload ${body.filename}`,
    method: 'POST',
    path: '/web-api/operation/file',
    lane: 'bulk',
    times: {
      connectMs: limits.connectTimeoutMs,
      idleMs: limits.idleTimeoutMs,
      replyMs: limits.uploadReplyTimeoutMs,
    },
    expectContinue: body.size > EXPECT_CONTINUE_BYTES,
    isIdempotent: true,
    idempotencyKey,
    canPrepareAgain: () => body.canOpen(),
    prepare: async () => {
      const version = await body.readVersion?.();
      return { ...prepareUpload(body, onProgress), version };
    },
    successStatuses: SUCCESS_STATUSES,
    read: (reply) => readReply(reply, limits),
  };
}

/**
 * Reads the reply. A complete but malformed reply is final: the service has the file and would reply the same again.
 */
async function readReply(reply: Reply, limits: ClientLimits): Promise<UploadResult> {
  try {
    return readUploadedFile(parseReplyJson(await readReplyText(reply, limits.maxReplyBytes)));
  } catch (error) {
    if (!(error instanceof AttemptFailure && error.kind === 'garbled')) throw error;
    throw new AttemptFailure('final', error.code, error.message, { statusCode: reply.status });
  }
}

function prepareUpload(body: UploadBody, onProgress: TransferOptions['onProgress']): PreparedRequest {
  const { filename, size } = body;
  const contentType = /\.stl$/i.test(filename) ? 'model/stl' : 'application/octet-stream';
  const chunks = body.open((byteCount) => onProgress?.(byteCount, size));
  const form = createMultipartBody({ filename, contentType, size }, chunks);
  let failure: ClientError | undefined;
  form.body.once('error', (error) => {
    failure = error instanceof ClientError ? error : unreadableError(filename);
  });
  return {
    headers: { ...form.headers, Accept: 'application/json' },
    body: form.body,
    failure: () => failure,
    dispose: () => form.body.destroy(),
  };
}

function unreadableError(filename: string): ClientError {
  return new ClientError('FILE_UNREADABLE', `Could not read ${filename}: the stream failed.`);
}
