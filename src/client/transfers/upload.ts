import type { UploadedFile } from '../../api/index.js';
import type { CallSpec, Sending, Session } from '../calls/session.js';
import { ClientError } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import { readUploadedFile } from '../replies/read-replies.js';
import { parseReplyJson, readReplyText } from '../replies/reply-body.js';
import type { TransferOptions, UploadSource } from '../types.js';
import { FormBody } from './form-body.js';
import { openUploadBody, type UploadBody } from './upload-body.js';

/** Sends a file. Sent again from its start where that may help: a file that arrives twice does no harm. */
export async function uploadFile(
  session: Session,
  source: UploadSource,
  limits: ClientLimits,
  options: Pick<TransferOptions, 'onProgress'> & { tempDir?: string | undefined; signal: AbortSignal },
): Promise<UploadedFile> {
  const body = await openUploadBody(source, options);
  try {
    return await session.call(uploadSpec(body, limits, options.onProgress), options.signal);
  } finally {
    await body.dispose();
  }
}

function uploadSpec(
  body: UploadBody,
  limits: ClientLimits,
  onProgress: TransferOptions['onProgress'],
): CallSpec<UploadedFile> {
  return {
    what: `upload ${body.filename}`,
    method: 'POST',
    path: '/web-api/operation/file',
    lane: 'bulk',
    times: {
      connectMs: limits.connectTimeoutMs,
      idleMs: limits.idleTimeoutMs,
      replyMs: limits.uploadReplyTimeoutMs,
    },
    isIdempotent: true,
    canPrepareAgain: () => body.canOpen(),
    prepare: () => Promise.resolve(sendingOf(body, onProgress)),
    read: async (reply) => readUploadedFile(parseReplyJson(await readReplyText(reply, limits.maxReplyBytes))),
  };
}

function sendingOf(body: UploadBody, onProgress: TransferOptions['onProgress']): Sending {
  const { filename, size } = body;
  const contentType = /\.stl$/i.test(filename) ? 'model/stl' : 'application/octet-stream';
  const pieces = body.open((byteCount) => onProgress?.(byteCount, size));
  const form = new FormBody({ filename, contentType, size }, pieces);
  let failure: ClientError | undefined;
  form.once('error', (error) => {
    failure = error instanceof ClientError ? error : unreadable(filename);
  });
  return {
    headers: { ...form.headers, Accept: 'application/json' },
    body: form,
    failure: () => failure,
    dispose: () => form.destroy(),
  };
}

function unreadable(filename: string): ClientError {
  return new ClientError('FILE_UNREADABLE', `Could not read ${filename} to its end.`);
}
