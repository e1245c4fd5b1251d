import type { IncomingMessage } from 'node:http';
import { createFileWriter, type FileWriter } from '../machine/file-writer.js';
import { ServiceError } from '../service-error.js';
import { parseContentDisposition, sanitizeFilename } from './filename.js';
import { MultipartReader, type PartListener, parseBoundary } from './multipart-reader.js';

/** A file that arrived whole. */
export interface ReceivedFile {
  filename: string;
  size: number;
}

/** Where an upload goes, and how much of it. */
export interface UploadTarget {
  /** The path of a new file. */
  file: string;
  maxBytes: number;
}

/** The refusal of a file of more than `maxBytes`, announced or found while it arrives. */
export function uploadTooLargeError(maxBytes: number): ServiceError {
  return new ServiceError('UPLOAD_TOO_LARGE', `the file is larger than the ${maxBytes} bytes that this service takes`);
}

/** Takes the one part that carries a filename; the others are passed over. */
function createSingleFileListener(
  writer: FileWriter,
  maxBytes: number,
): PartListener & { filename(): string | undefined } {
  let readName: string | undefined;
  let current: string | undefined;
  return {
    filename: () => readName,
    onPart(headers) {
      current = sanitizeFilename(parseContentDisposition(headers.get('content-disposition') ?? ''));
      if (current !== undefined && readName !== undefined) {
        throw new ServiceError('SECOND_FILE', 'the body holds a second file: send one file with each upload');
      }
      readName ??= current;
    },
    onData(bytes) {
      if (current === undefined) return;
      writer.write(bytes);
      if (writer.size > maxBytes) throw uploadTooLargeError(maxBytes);
    },
  };
}

/** The chunks of a body, up to its end. Throws `UPLOAD_INCOMPLETE` where the client goes away before. */
async function* readChunks(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    // Without an encoding set, a request gives Buffers. What reads it decides whether the connection stays open, not this loop.
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new ServiceError('UPLOAD_INCOMPLETE', 'the connection ended before the file did', { cause });
  }
}

/**
 * Streams the one file of a multipart body to a new file, which is not synced. Takes every shape that clients of this
 * API send: `name` missing, parameter names in any case, a disposition that is not form-data, a quoted boundary. Throws `ServiceError` for
 * a body that it cannot take; then nothing is written any more, what was written stays, and the rest of the body is not read.
 */
export async function receiveUpload(request: IncomingMessage, target: UploadTarget): Promise<ReceivedFile> {
  const boundary = parseBoundary(request.headers['content-type'] ?? '');
  const writer = await createFileWriter(target.file);
  try {
    const taker = createSingleFileListener(writer, target.maxBytes);
    const reader = new MultipartReader(boundary, taker);
    for await (const chunk of readChunks(request)) {
      reader.push(chunk);
      await writer.drained();
    }
    reader.end();
    const filename = taker.filename();
    if (filename === undefined) {
      const message = 'no part of the body carries a filename: its extension tells the format of the file';
      throw new ServiceError('FILENAME_MISSING', message);
    }
    request.socket.setTimeout(0); // nothing moves while the disk takes its time; the next request sets it again
    await writer.finish();
    return { filename, size: writer.size };
  } finally {
    await writer.close();
  }
}
