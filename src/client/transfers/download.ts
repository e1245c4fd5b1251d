import path from 'node:path';
import { assertId } from '../calls/operations.js';
import type { CallSpec, Session } from '../calls/session.js';
import { ClientError } from '../client-error.js';
import { type ClientLimits, readPositive } from '../client-limits.js';
import { AttemptFailure } from '../transport/attempt-failure.js';
import type { Reply } from '../transport/transport.js';
import type { DownloadedFile, DownloadTarget, TransferOptions } from '../types.js';
import { parseDispositionFilename } from './content-disposition.js';
import { BufferSink, type DownloadSink } from './download-sink.js';
import { PartFile } from './part-file.js';
import { assertNameFree, publishFile } from './publish-file.js';
import { safeFilename } from './safe-filename.js';

/** So many more bytes make an attempt one that got further: a line that breaks off all the time may still bring a file, a byte each time not. */
const PROGRESS_BYTES = 64 << 10;

type Options = Pick<TransferOptions, 'onProgress'> & { signal: AbortSignal };

/** Fetches a file, going on where an earlier try broke off if the service can promise that it is still the same file. */
export async function downloadFile(
  session: Session,
  fileId: string,
  target: DownloadTarget,
  limits: ClientLimits,
  options: Options,
): Promise<DownloadedFile> {
  assertId(fileId, 'download the file');
  const fetched = (sink: DownloadSink) => {
    const fetching = new DownloadAttempts(fileId, sink, limits, options.onProgress);
    return session.call(fetching.spec, options.signal);
  };
  if (target.to === 'file') return toFile(fileId, target, fetched);
  if (target.maxBytes !== undefined) readPositive(target.maxBytes, 'maxBytes');
  const sink = new BufferSink(Math.min(target.maxBytes ?? limits.maxBufferBytes, limits.maxBufferBytes));
  const { filename, isVerified } = await fetched(sink);
  return { fileId, filename: filename ?? fileId, size: sink.size, isVerified, data: sink.take() };
}

async function toFile(
  fileId: string,
  target: DownloadTarget & { to: 'file' },
  fetched: (sink: DownloadSink) => Promise<FetchedFile>,
): Promise<DownloadedFile> {
  const { folder, exists = 'rename' } = target;
  const wanted = target.filename === undefined ? undefined : safeFilename(target.filename);
  if (target.filename !== undefined && wanted === undefined) {
    throw new ClientError('INPUT_INVALID', `Could not download file ${fileId}: its filename cannot be used.`);
  }
  if (wanted !== undefined && exists === 'fail') await assertNameFree(folder, wanted);
  const part = await PartFile.create(folder);
  try {
    const { filename, isVerified } = await fetched(part);
    await part.finish();
    const file = await publishFile(part.path, folder, wanted ?? filename ?? fileId, exists);
    return { fileId, filename: path.basename(file), size: part.size, isVerified, path: file };
  } finally {
    await part.discard();
  }
}

interface FetchedFile {
  filename: string | undefined;
  /** Was the length announced? It was right, else the try would have failed. */
  isVerified: boolean;
}

/**
 * The tries of one download. The first asks for all of it. Where the service gave a strong ETag, a later one asks for the
 * rest on condition that the tag still holds, and takes the reply only if it begins where we are and the whole is as long as
 * before; every other reply with the file in it starts over.
 */
class DownloadAttempts {
  readonly spec: CallSpec<FetchedFile>;
  readonly #sink: DownloadSink;
  readonly #onProgress: TransferOptions['onProgress'];
  #etag: string | undefined;
  #total: number | undefined;
  #filename: string | undefined;
  /** The size at the end of the last attempt that got further. */
  #progressBytes = 0;

  constructor(fileId: string, sink: DownloadSink, limits: ClientLimits, onProgress: TransferOptions['onProgress']) {
    this.#sink = sink;
    this.#onProgress = onProgress;
    this.spec = {
      action: `download file ${fileId}`,
      method: 'GET',
      path: `/web-api/operation/file/${fileId}`,
      lane: 'bulk',
      times: { connectMs: limits.connectTimeoutMs, idleMs: limits.idleTimeoutMs, replyMs: limits.replyTimeoutMs },
      isIdempotent: true,
      hasProgressed: () => this.#hasProgressed(),
      prepare: () => Promise.resolve({ headers: this.#rangeHeaders() }),
      successStatuses: [200, 206, 416],
      read: (reply) => this.#read(reply),
    };
  }

  #hasProgressed(): boolean {
    if (this.#sink.size < this.#progressBytes + PROGRESS_BYTES) return false;
    this.#progressBytes = this.#sink.size;
    return true;
  }

  #rangeHeaders(): Record<string, string> {
    if (this.#sink.size === 0 || this.#etag === undefined) return {};
    return { Range: `bytes=${this.#sink.size}-`, 'If-Range': this.#etag };
  }

  async #read(reply: Reply): Promise<FetchedFile> {
    const { headers } = reply;
    const encoding = headers['content-encoding'];
    if (encoding && encoding !== 'identity') throw badReply(`the file comes encoded as ${encoding.slice(0, 40)}`);
    if (reply.status === 200) await this.#startOver(reply);
    else if (!this.#isContinuation(reply)) {
      await this.#sink.restart();
      this.#etag = undefined;
      throw new AttemptFailure('lost', 'BAD_REPLY', `the service did not go on with the file (${reply.status})`);
    }
    await this.#sink.append(reply.body, (size) => this.#onProgress?.(size, this.#total));
    if (this.#total !== undefined && this.#sink.size !== this.#total) {
      const sizes = `${this.#sink.size} of ${this.#total} bytes`;
      if (this.#sink.size > this.#total) await this.#sink.restart();
      throw new AttemptFailure('lost', 'CONNECTION_FAILED', `the file broke off after ${sizes}`);
    }
    return { filename: this.#filename, isVerified: this.#total !== undefined };
  }

  async #startOver({ headers }: Reply): Promise<void> {
    await this.#sink.restart();
    const length = headers['content-length'];
    this.#total = length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
    // A weak tag promises the same meaning, not the same bytes (RFC 9110, section 13.1.5).
    this.#etag = headers.etag?.startsWith('"') ? headers.etag : undefined;
    this.#filename = safeFilename(parseDispositionFilename(headers['content-disposition']) ?? '');
  }

  #isContinuation({ status, headers }: Reply): boolean {
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '');
    return status === 206 && Number(range?.[1]) === this.#sink.size && Number(range?.[3]) === this.#total;
  }
}

function badReply(detail: string): AttemptFailure {
  return new AttemptFailure('garbled', 'BAD_REPLY', detail);
}
