import type { Readable } from 'node:stream';
import { readPositive } from '../client-limits.js';
import type { UploadSource } from '../types.js';
import { CHUNK_BYTES, enforceExactSize } from './enforce-exact-size.js';
import { createFileBody } from './file-body.js';
import { type IdleLimit, limitIdle } from './limit-idle.js';
import { createSpooledBody } from './spooled-body.js';
import type { UploadBody } from './upload-body.js';
import { assertUploadFilename, assertUploadSize } from './upload-checks.js';

/**
 * Opens a source as the body of an upload. A path must refer to a regular file, of which the current size is sent. A
 * stream of unknown length is first written to a temporary file, since Content-Length precedes the body. Throws
 * `FILE_UNREADABLE` if the source cannot be read, `TIMEOUT` if it provides no data, `INPUT_INVALID` if the filename has no
 * extension, and a `TypeError` for an invalid `size`.
 */
export async function openUploadBody(
  source: UploadSource,
  options: IdleLimit & { tempDir?: string | undefined },
): Promise<UploadBody> {
  if ('path' in source) {
    const filename = assertUploadFilename(source.filename ?? source.path);
    return createFileBody(source.path, filename, { open: source.open, limit: options });
  }
  const filename = assertUploadFilename(source.filename);
  if ('data' in source) return createDataBody(source.data, filename);
  if (source.size === undefined) return createSpooledBody(source.stream, filename, options);
  // A size of 0 is an empty file, which is a `ClientError`. Other invalid sizes are a mistake of the caller.
  const size = source.size === 0 ? 0 : readPositive(source.size, 'size');
  return createStreamBody(source.stream, assertUploadSize(size, filename), filename, options);
}

function createDataBody(data: Uint8Array, filename: string): UploadBody {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const chunks = function* () {
    for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES)
      yield bytes.subarray(offset, offset + CHUNK_BYTES);
  };
  return {
    filename,
    size: assertUploadSize(bytes.length, filename),
    open: (onSize) => enforceExactSize(chunks(), bytes.length, filename, onSize),
    canOpen: () => true,
    dispose: () => Promise.resolve(),
  };
}

function createStreamBody(stream: Readable, size: number, filename: string, limit: IdleLimit): UploadBody {
  let isOpened: boolean = false;
  return {
    filename,
    size,
    open: (onSize) => {
      isOpened = true;
      return enforceExactSize(limitIdle(stream, `the stream of ${filename}`, limit), size, filename, onSize);
    },
    canOpen: () => !isOpened && !stream.destroyed,
    dispose: () => {
      stream.destroy();
      return Promise.resolve();
    },
  };
}
