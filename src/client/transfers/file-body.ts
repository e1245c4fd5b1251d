import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ClientError } from '../client-error.js';
import { CHUNK_BYTES, enforceExactSize } from './enforce-exact-size.js';
import { type IdleLimit, limitIdle, waitForSource } from './limit-idle.js';
import type { UploadBody } from './upload-body.js';
import { assertUploadSize } from './upload-checks.js';

interface FileBodyOptions {
  name?: string;
  open?: (() => Promise<FileHandle>) | undefined;
  limit: IdleLimit;
}

/**
 * Opens a regular file as the body of an upload. Bytes that are appended later are not sent; if the file shrinks, the
 * upload fails. `name` is used in errors, by default the path; `open` replaces the opening of the path. Throws
 * `FILE_UNREADABLE` if the file is missing, not regular, empty or not readable, and `TIMEOUT` if its disk does not react.
 */
export async function createFileBody(
  file: string,
  filename: string,
  { name = file, open: openSource = () => openFile(file), limit }: FileBodyOptions,
): Promise<UploadBody> {
  const handle = await openWithin(openSource(), name, limit);
  try {
    const stat = await waitForSource(handle.stat(), name, limit);
    if (!stat.isFile()) throw new ClientError('FILE_UNREADABLE', `Could not read ${name}: it is not a regular file.`);
    const size = assertUploadSize(stat.size, name);
    return {
      filename,
      size,
      open: (onSize) => enforceExactSize(limitIdle(readChunks(handle, size, name), name, limit), size, name, onSize),
      readVersion: () => readVersion(handle, name),
      canOpen: () => true,
      dispose: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openWithin(opening: Promise<FileHandle>, name: string, limit: IdleLimit): Promise<FileHandle> {
  try {
    return await waitForSource(opening, name, limit);
  } catch (error) {
    // The file may be opened later.
    opening.then((handle) => handle.close()).catch(() => {});
    throw error;
  }
}

// A program that rewrites a file changes at least its modification time.
async function readVersion(handle: FileHandle, name: string): Promise<string> {
  const { size, mtimeNs } = await handle.stat({ bigint: true }).catch((error: unknown) => {
    throw toReadError(name, error);
  });
  return `${size} ${mtimeNs}`;
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    // Without this flag, opening a pipe blocks until another process opens it for writing. Windows does not have it.
    return await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw toReadError(file, error);
  }
}

async function* readChunks(handle: FileHandle, size: number, name: string): AsyncGenerator<Buffer> {
  const buffers = [0, 1].map(() => Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size)));
  for (let offset = 0, turn = 0; offset < size; turn = 1 - turn) {
    // A chunk is valid until the chunk after next is requested, so its buffer can be reused then.
    const buffer = (buffers[turn] ?? Buffer.alloc(0)).subarray(0, size - offset);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset).catch((error: unknown) => {
      throw toReadError(name, error);
    });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    offset += bytesRead;
  }
}

function toReadError(name: string, error: unknown): ClientError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new ClientError('FILE_UNREADABLE', `Could not read ${name} (${code}).`);
}
