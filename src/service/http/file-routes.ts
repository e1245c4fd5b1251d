import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { importFormatOf } from '../../mesh/formats/registry.js';
import type { BlobStore, SpaceReserver } from '../blobs/blob-store.js';
import { BlockBuffers } from '../blobs/block-buffers.js';
import type { Quotas } from '../blobs/quotas.js';
import type { Limits } from '../defaults.js';
import type { FaultPlan } from '../fault-injection/fault-plan.js';
import { injectDownloadFaults } from '../fault-injection/inject-download-faults.js';
import type { DamageRecorder } from '../integrity/damage-recorder.js';
import { ServiceError } from '../service-error.js';
import { createFileRow } from '../store/file-row.js';
import type { Files } from '../store/files.js';
import { type RequestKey, UPLOAD_ROUTE } from '../store/idempotency-keys.js';
import type { FileRow } from '../store/schema.js';
import { formatCreationDate } from './creation-date.js';
import { formatDigestHeader } from './digest-header.js';
import { formatContentDisposition } from './filename.js';
import { fileDamagedError, findInput } from './find-input.js';
import { createClaim, findEarlier, type KeyDependencies, readRequestKey } from './idempotency-key.js';
import { clientBaseUrl, type PublicAddress } from './public-address.js';
import { receiveUpload, uploadTooLargeError } from './receive-upload.js';
import { createUploadFingerprint, findFirstFile, receiveRepeatedUpload } from './repeated-upload.js';
import { sendContinue } from './send-continue.js';
import { createStoredFileReader } from './stored-file-reader.js';
import { streamReply } from './stream-reply.js';
import { createUserSlots } from './user-slots.js';

/** The dependencies of uploads and downloads. */
export interface FileRouteDependencies extends KeyDependencies, PublicAddress {
  files: Files;
  blobs: BlobStore;
  storageQuota: Quotas;
  damage: DamageRecorder;
  limits: Limits;
  /** Default: no fault injection. */
  faults?: FaultPlan | undefined;
  now: () => number;
  createId: () => string;
}

// Each takes 2 MiB while it makes progress. Others wait for their turn, while the system sends what they have read.
const MAX_READING_DOWNLOADS = 16;

/** The first and last byte to send (inclusive), or `unsatisfiable` if the range is outside of the file. */
type ByteRange = { start: number; end: number } | 'unsatisfiable';

/**
 * Parses a `Range` header for a file of `size` bytes (RFC 9110, section 14). Returns `undefined` if the whole file is
 * to be sent: the header is missing, invalid, or lists several ranges.
 */
function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '');
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const start = Math.max(0, size - Number(last));
    return Number(last) === 0 || size === 0 ? 'unsatisfiable' : { start, end: size - 1 };
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return 'unsatisfiable';
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Returns the Content-Length. Throws `LENGTH_MISSING` or `UPLOAD_TOO_LARGE` before any byte of the body is read. */
function readContentLength(request: FastifyRequest, limits: Limits): number {
  const header = request.headers['content-length'];
  if (header === undefined) {
    throw new ServiceError(
      'LENGTH_MISSING',
      'Missing header Content-Length. Send the size of the body with each upload.',
    );
  }
  const size = Number(header);
  if (size > limits.uploadBytes + limits.multipartOverheadBytes) {
    throw uploadTooLargeError(limits.uploadBytes);
  }
  return size;
}

function mediaTypeOf(filename: string): string {
  return importFormatOf(filename)?.mediaType ?? 'application/octet-stream';
}

/**
 * Stores the file of an upload. Resolves with its row, or with that of an earlier file if a concurrent request with the
 * same key stored one. Nothing remains of it after an error.
 */
async function storeUpload(
  request: FastifyRequest,
  key: RequestKey | undefined,
  reserve: SpaceReserver,
  dependencies: FileRouteDependencies,
): Promise<FileRow> {
  const { files, blobs, limits, clock, now, createId } = dependencies;
  const id = createId();
  const sink = await blobs.write(id, reserve, request.userId);
  try {
    const received = await receiveUpload(request.raw, { sink, maxBytes: limits.uploadBytes });
    const { filename, digest } = received;
    const fingerprint = key ? createUploadFingerprint(received) : '';
    const record = {
      id,
      owner: request.userId,
      kind: 'file',
      filename,
      mediaType: mediaTypeOf(filename),
      createdAt: now(),
      operationId: null,
      ...digest,
      request: key && { key: key.key, fingerprint },
    } as const;
    const blobKey = await sink.commit(record);
    const file = createFileRow(record, clock.now(), blobKey);
    const first = await files.add(file, key && createClaim(key, fingerprint, dependencies));
    if (!first) return file;
    await sink.abort();
    await blobs.remove([id]);
    return await findFirstFile(first, fingerprint, files);
  } catch (error) {
    await sink.abort();
    await blobs.remove([id]);
    throw error;
  }
}

async function upload(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: FileRouteDependencies,
): Promise<FileRow> {
  const { storageQuota, limits } = dependencies;
  const length = readContentLength(request, limits);
  const key = readRequestKey(request, UPLOAD_ROUTE);
  const earlier = await findEarlier(key, dependencies);
  if (earlier) return receiveRepeatedUpload(request, reply, earlier, dependencies);
  const reservation = await storageQuota.open(request.userId, length);
  try {
    sendContinue(request, reply);
    return await storeUpload(request, key, reservation.grow, dependencies);
  } finally {
    await reservation.release();
  }
}

/** Throws `FILE_DAMAGED` if the bytes of a stored file are missing, and records that. */
export async function checkExistence(
  file: FileRow,
  { blobs, damage }: Pick<FileRouteDependencies, 'blobs' | 'damage'>,
): Promise<void> {
  if ((await blobs.readIdentity(file.id)) !== undefined) return;
  await damage.record(file, new Error('The file is missing.'));
  throw fileDamagedError(file);
}

/**
 * Sends a stored file, or the requested range of it (RFC 9110, section 14). The bytes of a file never change, so its id
 * is a strong entity tag. Sends no altered bytes: replies with `FILE_DAMAGED`, or closes the connection if the reply has
 * begun.
 */
async function download(
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileRow,
  dependencies: FileRouteDependencies,
  buffers: BlockBuffers,
): Promise<unknown> {
  const { faults } = dependencies;
  const tag = `"${file.id}"`;
  if (request.method === 'HEAD' || file.size === 0) await checkExistence(file, dependencies);
  reply.headers({
    etag: tag,
    'accept-ranges': 'bytes',
    'content-disposition': formatContentDisposition(file.filename),
    'content-security-policy': 'sandbox', // a browser that shows it runs no script of it
  });
  const cachedTags = request.headers['if-none-match'];
  if (cachedTags?.split(',').some((entry) => ['*', tag].includes(entry.trim().replace(/^W\//, '')))) {
    return reply.code(304).send();
  }
  const condition = request.headers['if-range'];
  const isSame = condition === undefined || condition === tag;
  const range = isSame ? parseRange(request.headers.range, file.size) : undefined;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`);
    throw new ServiceError('RANGE_WRONG', `Invalid range: the file has ${file.size} bytes.`);
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`);
  reply.header('content-type', file.media_type).header('content-length', String(end - start + 1));
  if (file.sha256 !== null) reply.header('repr-digest', formatDigestHeader(file.sha256));
  if (request.method === 'HEAD' || file.size === 0) return reply.send('');
  const reader = createStoredFileReader(file, end, dependencies, faults ? new BlockBuffers() : buffers);
  const { readFrom } = reader;
  try {
    if (faults) return await streamReply(reply, injectDownloadFaults(readFrom(start), request, faults));
    return await streamReply(reply, readFrom(start), { start, end, readFrom, buffers });
  } finally {
    await reader.close();
  }
}

// The connection of an upload that ends makes room at once.
const RETRY_AFTER_S = 1;

function tooManyUploadsError({ limits: { maxUploadsPerUser } }: FileRouteDependencies): ServiceError {
  const count = `${maxUploadsPerUser} of this user are being received`;
  const message = `Too many uploads: ${count}. Retry later, or send fewer at a time.`;
  return new ServiceError('TOO_MANY_UPLOADS', message, { retryAfterS: RETRY_AFTER_S });
}

// The size is checked before the body is read. Its duration is not limited: a stalled one ends by the idle timeout.
const UPLOAD_OPTIONS = { bodyLimit: Number.MAX_SAFE_INTEGER, config: { hasLongBody: true } };

/** Registers `POST /web-api/operation/file` and `GET /web-api/operation/file/{id}`. */
export function registerFileRoutes(app: FastifyInstance, dependencies: FileRouteDependencies): void {
  app.removeAllContentTypeParsers();
  const buffers = new BlockBuffers(MAX_READING_DOWNLOADS);
  const acquireSlot = createUserSlots(dependencies.limits.maxUploadsPerUser, () => tooManyUploadsError(dependencies));
  app.addContentTypeParser('*', (_request, _payload, done) => done(null)); // the handler reads the body itself

  app.post('/web-api/operation/file', UPLOAD_OPTIONS, async (request, reply) => {
    if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) {
      throw new ServiceError('MEDIA_TYPE_WRONG', 'Invalid Content-Type: expected multipart/form-data with a boundary.');
    }
    const releaseSlot = acquireSlot(request.userId);
    const file = await upload(request, reply, dependencies).finally(releaseSlot);
    return {
      fileId: file.id,
      creationDate: formatCreationDate(file.created_at),
      sha256: file.sha256,
      fileUrl: `${clientBaseUrl(request, dependencies)}/web-api/operation/file/${file.id}`,
    };
  });

  app.route<{ Params: { id: string } }>({
    method: ['GET', 'HEAD'],
    url: '/web-api/operation/file/:id',
    config: { isDownload: true },
    handler: async (request, reply) => {
      const file = await findInput(dependencies.files, request.params.id, request.userId, 'file');
      await dependencies.files.recordRead(file, dependencies.clock.now());
      return download(request, reply, file, dependencies, buffers);
    },
  });
}
