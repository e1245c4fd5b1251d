import type { IncomingMessage } from 'node:http';
import type { BlobDigest } from '../blobs/digest.js';
import { createFileWriter, type FileWriter } from '../machine/file-writer.js';
import { ServiceError } from '../service-error.js';
import { parseContentDisposition, sanitizeFilename } from './filename.js';
import { MultipartReader, type PartListener, parseBoundary } from './multipart-reader.js';

/** A completely received file. */
export interface ReceivedFile {
  filename: string;
  digest: BlobDigest;
}

/** The destination of an upload and its size limit. */
export interface UploadTarget {
  /** The path of a new file. */
  file: string;
  maxBytes: number;
}

/** Returns the error for a file of more than `maxBytes`, found from its Content-Length or while receiving it. */
export function uploadTooLargeError(maxBytes: number): ServiceError {
  return new ServiceError('UPLOAD_TOO_LARGE', `File too large: the limit is ${maxBytes} bytes.`);
}

/**
 * Creates a listener that writes the one part that has a filename and ignores all others. Throws `SECOND_FILE` for
 * another one.
 */
function createSingleFileListener(
  writer: FileWriter,
  maxBytes: number,
): PartListener & { filename(): string | undefined } {
  let filename: string | undefined;
  let current: string | undefined;
  return {
    filename: () => filename,
    onPart(headers) {
      current = sanitizeFilename(parseContentDisposition(headers.get('content-disposition') ?? ''));
      if (current !== undefined && filename !== undefined) {
        throw new ServiceError('SECOND_FILE', 'The body contains more than one file. Send one file per upload.');
      }
      filename ??= current;
    },
    onData(bytes) {
      if (current === undefined) return;
      writer.write(bytes);
      if (writer.size > maxBytes) throw uploadTooLargeError(maxBytes);
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
 * Streams the one file of a multipart body to a new file, which is not synced. Tolerates all variants that clients of
 * this API send: no `name` parameter, parameter names in any case, a disposition other than form-data, a quoted
 * boundary. Throws `ServiceError` for an invalid body. The partial file then remains, and the rest of the body is not
 * read.
 */
export async function receiveUpload(request: IncomingMessage, target: UploadTarget): Promise<ReceivedFile> {
  const boundary = parseBoundary(request.headers['content-type'] ?? '');
  const writer = await createFileWriter(target.file);
  try {
    const listener = createSingleFileListener(writer, target.maxBytes);
    const reader = new MultipartReader(boundary, listener);
    for await (const chunk of readChunks(request)) {
      reader.push(chunk);
      await writer.drained();
    }
    reader.end();
    const filename = listener.filename();
    if (filename === undefined) {
      const message = 'Missing filename. Send a filename with the file: its extension determines the format.';
      throw new ServiceError('FILENAME_MISSING', message);
    }
    request.socket.setTimeout(0); // no bytes move while the disk writes; the next request sets the timeout again
    return { filename, digest: await writer.finish() };
  } finally {
    await writer.close();
  }
}
