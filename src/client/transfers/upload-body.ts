import type { Readable } from 'node:stream';
import { readPositive } from '../client-limits.js';
import type { Chunks } from '../transport/request-body.js';
import type { UploadSource } from '../types.js';
import { CHUNK_BYTES, enforceExactSize, type OnSize } from './enforce-exact-size.js';
import { fileBody } from './file-body.js';
import { spooledBody } from './spooled-body.js';
import { assertUploadFilename, assertUploadSize } from './upload-checks.js';

/** The bytes of one upload. */
export interface UploadBody {
  filename: string;
  size: number;
  /** The bytes from their start, exactly that many. `onSize` is told how many have gone. */
  open(onSize: OnSize): Chunks;
  /** Can they be had (again)? A stream that is sent as it comes can be had once. */
  canOpen(): boolean;
  /** Closes and removes what was opened and made for this body. */
  dispose(): Promise<void>;
}

/**
 * Makes a body of a source. A path must lead to a regular file, which is sent at its size of now. A stream of unknown length
 * is first kept in a file, since the service must be told the length before the first byte.
 * `FILE_UNREADABLE` for what cannot be read, `INPUT_INVALID` where no filename with an extension is given.
 */
export async function openUploadBody(
  source: UploadSource,
  options: { tempDir?: string | undefined; signal: AbortSignal },
): Promise<UploadBody> {
  if ('path' in source) return fileBody(source.path, assertUploadFilename(source.filename ?? source.path));
  const filename = assertUploadFilename(source.filename);
  if ('data' in source) return dataBody(source.data, filename);
  if (source.size === undefined) return spooledBody(source.stream, filename, options);
  // An empty stream is a fault of the file, every other size that makes no sense one of the caller.
  const size = source.size === 0 ? 0 : readPositive(source.size, 'size');
  return streamBody(source.stream, assertUploadSize(size, filename), filename);
}

function dataBody(data: Uint8Array, filename: string): UploadBody {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const pieces = function* () {
    for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES)
      yield bytes.subarray(offset, offset + CHUNK_BYTES);
  };
  return {
    filename,
    size: assertUploadSize(bytes.length, filename),
    open: (onSize) => enforceExactSize(pieces(), bytes.length, filename, onSize),
    canOpen: () => true,
    dispose: () => Promise.resolve(),
  };
}

function streamBody(stream: Readable, size: number, filename: string): UploadBody {
  let isOpened: boolean = false;
  return {
    filename,
    size,
    open: (onSize) => {
      isOpened = true;
      return enforceExactSize(stream, size, filename, onSize);
    },
    canOpen: () => !isOpened && !stream.destroyed,
    dispose: () => {
      stream.destroy();
      return Promise.resolve();
    },
  };
}
