import type { IncomingMessage } from 'node:http';
import type { ByteSink } from '../blobs/blob-store.js';
import type { BlobDigest } from '../blobs/digest.js';
import { ServiceError } from '../service-error.js';
import { parseDigestHeader } from './digest-header.js';
import { parseContentDisposition, sanitizeFilename } from './filename.js';
import { MultipartReader, type PartListener, parseBoundary } from './multipart-reader.js';

/** A completely received file. */
export interface ReceivedFile {
  filename: string;
  digest: BlobDigest;
}

/** The destination of an upload and its size limit. */
export interface UploadTarget {
  /** Gets the bytes of the file, and is finished at the end. */
  sink: ByteSink;
  maxBytes: number;
}

/** Returns the error for a file of more than `maxBytes`, found from its Content-Length or while receiving it. */
export function uploadTooLargeError(maxBytes: number): ServiceError {
  return new ServiceError('UPLOAD_TOO_LARGE', `File too large: the limit is ${maxBytes} bytes.`);
}

/** The headers of the part that contains the file. */
interface FilePart {
  filename: string;
  /** The SHA-256 of its digest headers in hexadecimal. */
  digests: string[];
}

function readDigests(headers: ReadonlyMap<string, string>): string[] {
  const names = ['content-digest', 'repr-digest']; // equal for a part, which has no Content-Encoding (RFC 9530)
  return names.map((name) => parseDigestHeader(headers.get(name) ?? '')).filter((digest) => digest !== undefined);
}

/**
 * Creates a listener that writes the one part that has a filename and ignores all others. Throws `SECOND_FILE` for
 * another one.
 */
function createSingleFileListener({ sink, maxBytes }: UploadTarget): PartListener & { part(): FilePart | undefined } {
  let part: FilePart | undefined;
  let current: string | undefined;
  return {
    part: () => part,
    onPart(headers) {
      current = sanitizeFilename(parseContentDisposition(headers.get('content-disposition') ?? ''));
      if (current === undefined) return;
      if (part !== undefined) {
        throw new ServiceError('SECOND_FILE', 'The body contains more than one file. Send one file per upload.');
      }
      part = { filename: current, digests: readDigests(headers) };
    },
    onData(bytes) {
      if (current === undefined) return;
      sink.write(bytes);
      if (sink.size > maxBytes) throw uploadTooLargeError(maxBytes);
    },
  };
}

/** Yields the chunks of a request body. Throws `UPLOAD_INCOMPLETE` if the connection closes before its end. */
async function* readChunks(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    // A request without an encoding yields Buffers. The error handler decides whether the connection stays open, not
    // this loop.
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new ServiceError(
      'UPLOAD_INCOMPLETE',
      'Upload incomplete: the connection closed before the end of the body.',
      { cause },
    );
  }
}

/**
 * Streams the one file of a multipart body to a sink. Tolerates all variants that clients of this API send: no `name`
 * parameter, parameter names in any case, a disposition other than form-data, a quoted boundary. Throws `ServiceError` for
 * an invalid body, or one that differs from the digest in the headers of its part, and the errors of the sink. The sink
 * then has a partial file, and the rest of the body is not read.
 */
export async function receiveUpload(request: IncomingMessage, target: UploadTarget): Promise<ReceivedFile> {
  const { sink } = target;
  const boundary = parseBoundary(request.headers['content-type'] ?? '');
  const listener = createSingleFileListener(target);
  const reader = new MultipartReader(boundary, listener);
  for await (const chunk of readChunks(request)) {
    reader.push(chunk);
    await sink.drained();
  }
  reader.end();
  const part = listener.part();
  if (part === undefined) {
    const message = 'Missing filename. Send a filename with the file: its extension determines the format.';
    throw new ServiceError('FILENAME_MISSING', message);
  }
  request.socket.setTimeout(0); // no bytes move while the disk writes; the next request sets the timeout again
  const digest = await sink.finish();
  if (part.digests.some((sha256) => sha256 !== digest.sha256)) {
    throw new ServiceError(
      'DIGEST_WRONG',
      `Wrong digest: the SHA-256 of ${part.filename} is not the one in the headers of its part. Send the file again.`,
    );
  }
  return { filename: part.filename, digest };
}
