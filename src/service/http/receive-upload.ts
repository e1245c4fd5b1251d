import type { IncomingMessage } from 'node:http';
import { Form, type Part } from 'multiparty';
import { writeStream } from '../machine/write-stream.js';
import { ServiceError } from '../service-error.js';
import { cleanFilename, readExtendedFilename } from './filename.js';

/** A file that arrived whole. */
export interface ReceivedFile {
  filename: string;
  size: number;
}

const filenameOf = (part: Part): string | undefined => {
  const disposition = String(part.headers['content-disposition'] ?? '');
  const plain: unknown = part.filename; // its type promises a text, but a part without a filename has none
  return cleanFilename(readExtendedFilename(disposition) ?? (typeof plain === 'string' ? plain : ''));
};

const tooLarge = (mostBytes: number) => (): ServiceError =>
  new ServiceError('UPLOAD_TOO_LARGE', `the file is larger than the ${mostBytes} bytes that this service takes`);

const malformed = (cause: unknown): Error => {
  if (cause instanceof ServiceError) return cause;
  const reason = cause instanceof Error ? cause.message : 'unknown';
  const message = `the body is no multipart/form-data with one whole file: ${reason}`;
  return new ServiceError('MULTIPART_MALFORMED', message, { cause });
};

/**
 * Streams the one file of a multipart body to a new file on the disk. Takes every shape that clients of this API send: `name` missing,
 * parameter names in any case, a disposition that is not form-data, a quoted boundary. Throws `ServiceError` for a body that it cannot
 * take; then nothing is written any more, what was written stays, and the rest of the body is not read.
 */
export const receiveUpload = async (
  request: IncomingMessage,
  file: string,
  mostBytes: number,
): Promise<ReceivedFile> => {
  const form = new Form();
  let part: Part | undefined;
  let writing: Promise<ReceivedFile> | undefined;

  const reading = new Promise<void>((resolve, reject) => {
    form.on('error', (error) => reject(malformed(error)));
    form.on('close', resolve);
    // A client that goes away closes the request before its end.
    request.once('close', () => {
      if (!request.complete) reject(new ServiceError('UPLOAD_INCOMPLETE', 'the connection ended before the file did'));
    });
    form.on('part', (next) => {
      next.on('error', () => undefined); // the form tells the same error
      const filename = filenameOf(next);
      if (filename === undefined) {
        next.resume();
      } else if (part) {
        reject(new ServiceError('SECOND_FILE', 'the body holds a second file: send one file with each upload'));
      } else {
        part = next;
        writing = writeStream(next, file, mostBytes, tooLarge(mostBytes)).then((size) => ({ filename, size }));
        writing.catch(reject);
      }
    });
    form.parse(request);
  });

  try {
    await reading;
  } catch (error) {
    request.unpipe();
    part?.destroy(); // ends the writing
    await writing?.catch(() => undefined); // what failed first is what counts
    throw error;
  }
  if (!writing) {
    const message = 'no part of the body carries a filename: its extension tells the format of the file';
    throw new ServiceError('FILENAME_MISSING', message);
  }
  return writing;
};
