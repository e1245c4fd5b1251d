import { createHash, type Hash } from 'node:crypto';
import path from 'node:path';
import { assertId } from '../calls/operations.js';
import type { CallSpec, Session } from '../calls/session.js';
import { ClientError } from '../client-error.js';
import { type ClientLimits, readPositive } from '../client-limits.js';
import { AttemptFailure } from '../transport/attempt-failure.js';
import type { Reply } from '../transport/transport.js';
import type { DownloadedFile, DownloadTarget, TransferOptions } from '../types.js';
import { parseDispositionFilename } from './content-disposition.js';
import { BufferSink, type DownloadSink, StreamSink, toBuffer } from './download-sink.js';
import { PartFile } from './part-file.js';
import { assertNameFree, publishFile } from './publish-file.js';
import { parseReprDigest } from './repr-digest.js';
import { safeFilename } from './safe-filename.js';

/**
 * The bytes that an attempt must add to count as progress, which resets the number of attempts. An unreliable
 * connection can then still complete a file, but not one byte at a time.
 */
const MIN_PROGRESS_BYTES = 64 << 10;

type Options = Pick<TransferOptions, 'onProgress'> & { signal: AbortSignal };

/**
 * Downloads a file. A retry continues where the previous attempt ended if a strong ETag proves that the file is
 * unchanged. If the service sent a digest and the bytes differ, downloads them once more, then throws `BAD_REPLY`.
 * Throws `INPUT_INVALID`, `FILE_EXISTS`, `FILE_UNWRITABLE`, `DISK_FULL` and the errors of a call.
 */
export async function downloadFile(
  session: Session,
  fileId: string,
  target: DownloadTarget,
  limits: ClientLimits,
  options: Options,
): Promise<DownloadedFile> {
  assertId(fileId, 'download the file');
  const fetchInto = (sink: DownloadSink) => {
    const attempts = new DownloadAttempts(fileId, sink, limits, options.onProgress);
    return session.call(attempts.spec, options.signal);
  };
  if (target.to === 'file') return downloadToFolder(fileId, target, fetchInto);
  if (target.to === 'stream') {
    const sink = new StreamSink(target.stream);
    const { filename, isVerified } = await fetchInto(sink);
    return { fileId, filename: filename ?? fileId, size: sink.size, isVerified };
  }
  if (target.maxBytes !== undefined) readPositive(target.maxBytes, 'maxBytes');
  const sink = new BufferSink(Math.min(target.maxBytes ?? limits.maxBufferBytes, limits.maxBufferBytes));
  const { filename, isVerified } = await fetchInto(sink);
  return { fileId, filename: filename ?? fileId, size: sink.size, isVerified, data: sink.take() };
}

async function downloadToFolder(
  fileId: string,
  target: DownloadTarget & { to: 'file' },
  fetchInto: (sink: DownloadSink) => Promise<FetchedFile>,
): Promise<DownloadedFile> {
  const { folder, exists = 'rename' } = target;
  const chosenName = target.filename === undefined ? undefined : safeFilename(target.filename);
  if (target.filename !== undefined && chosenName === undefined) {
    const reason = `the filename ${JSON.stringify(target.filename.slice(0, 80))} is invalid`;
    throw new ClientError('INPUT_INVALID', `Could not download file ${fileId}: ${reason}. Use a different filename.`);
  }
  if (chosenName !== undefined && exists === 'fail') await assertNameFree(folder, chosenName);
  const part = await PartFile.create(folder);
  try {
    const { filename, isVerified } = await fetchInto(part);
    await part.finish();
    const file = await publishFile(part.path, folder, chosenName ?? filename ?? fileId, exists);
    return { fileId, filename: path.basename(file), size: part.size, isVerified, path: file };
  } finally {
    await part.discard();
  }
}

interface FetchedFile {
  filename: string | undefined;
  /** Whether the service sent the length or a digest. If one of them is wrong, the attempt fails. */
  isVerified: boolean;
}

/**
 * The attempts of one download.
 * - The first attempt requests the whole file.
 * - If the service sent a strong ETag, further attempts request the remaining range with If-Range (RFC 9110, sections
 *   13.1.5 and 14.2). A 206 is accepted only if it starts at the current offset and the total length is the same.
 * - A 200 contains the whole file again and starts over. Any other reply fails the attempt, and the next one starts
 *   over.
 * - If the service sent a digest with the whole file, the bytes of all attempts must match it. If they do not, another
 *   attempt starts over, but only once.
 */
class DownloadAttempts {
  readonly spec: CallSpec<FetchedFile>;
  readonly #sink: DownloadSink;
  readonly #onProgress: TransferOptions['onProgress'];
  #etag: string | undefined;
  #total: number | undefined;
  #filename: string | undefined;
  #digest: Buffer | undefined;
  /** The hash of the bytes in the sink. Undefined if there is no digest to compare it with. */
  #hash: Hash | undefined;
  #differenceCount = 0;
  /** The size at the end of the last attempt that made progress. */
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
    if (this.#sink.size < this.#progressBytes + MIN_PROGRESS_BYTES) return false;
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
    if (encoding && encoding !== 'identity') throw badReply(`unsupported Content-Encoding ${encoding.slice(0, 40)}`);
    if (reply.status === 200) await this.#startOver(reply);
    else if (!this.#isContinuation(reply)) {
      await this.#restart();
      this.#etag = undefined;
      throw new AttemptFailure('lost', 'BAD_REPLY', `the service did not send the requested range (${reply.status})`);
    }
    const bytes = this.#hash ? withHash(reply.body, this.#hash) : reply.body;
    await this.#sink.append(bytes, (size) => this.#onProgress?.(size, this.#total));
    if (this.#total !== undefined && this.#sink.size !== this.#total) {
      const sizes = `${this.#sink.size} of ${this.#total} bytes`;
      if (this.#sink.size > this.#total) await this.#restart();
      throw new AttemptFailure('lost', 'CONNECTION_FAILED', `the download ended after ${sizes}`);
    }
    await this.#verifyDigest();
    return { filename: this.#filename, isVerified: this.#total !== undefined || this.#digest !== undefined };
  }

  async #verifyDigest(): Promise<void> {
    if (!this.#digest || this.#hash?.digest().equals(this.#digest)) return;
    await this.#restart();
    this.#differenceCount += 1;
    // A complete transfer is progress, whatever its size: the other attempt is made also after a failed one.
    this.#progressBytes = -MIN_PROGRESS_BYTES;
    const kind = this.#differenceCount > 1 ? 'final' : 'garbled';
    throw new AttemptFailure(kind, 'BAD_REPLY', 'the bytes do not match the SHA-256 that the service sent');
  }

  async #restart(): Promise<void> {
    await this.#sink.restart();
    this.#hash = this.#digest && createHash('sha256');
  }

  async #startOver({ headers }: Reply): Promise<void> {
    this.#digest = parseReprDigest(String(headers['repr-digest'] ?? ''));
    await this.#restart();
    const length = headers['content-length'];
    this.#total = length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
    // Equal weak tags do not guarantee equal bytes (RFC 9110, section 8.8.1).
    this.#etag = headers.etag?.startsWith('"') ? headers.etag : undefined;
    this.#filename = safeFilename(parseDispositionFilename(headers['content-disposition']) ?? '');
  }

  #isContinuation({ status, headers }: Reply): boolean {
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '');
    return status === 206 && Number(range?.[1]) === this.#sink.size && Number(range?.[3]) === this.#total;
  }
}

async function* withHash(bytes: AsyncIterable<unknown>, hash: Hash): AsyncGenerator<unknown> {
  for await (const chunk of bytes) {
    hash.update(toBuffer(chunk));
    yield chunk;
  }
}

function badReply(detail: string): AttemptFailure {
  return new AttemptFailure('garbled', 'BAD_REPLY', detail);
}
