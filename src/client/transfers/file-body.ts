import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ClientError } from '../client-error.js';
import { CHUNK_BYTES, enforceExactSize } from './enforce-exact-size.js';
import type { UploadBody } from './upload-body.js';
import { assertUploadSize } from './upload-checks.js';

/**
 * The body of a regular file. What is added to the file from now on is left out; if it shrinks, the upload fails. Errors call it
 * `name`; default: its path.
 */
export async function fileBody(file: string, filename: string, name = file): Promise<UploadBody> {
  const handle = await openFile(file);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new ClientError('FILE_UNREADABLE', `Could not read ${name}: it is no regular file.`);
    const size = assertUploadSize(stat.size, name);
    return {
      filename,
      size,
      open: (onSize) => enforceExactSize(readChunks(handle, size, name), size, name, onSize),
      canOpen: () => true,
      dispose: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    // Not to block: the opening of a pipe would wait for somebody to write into it. Windows has no such flag.
    return await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function* readChunks(handle: FileHandle, size: number, name: string): AsyncGenerator<Buffer> {
  const buffers = [0, 1].map(() => Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size)));
  for (let offset = 0, turn = 0; offset < size; turn = 1 - turn) {
    // Who asks for this piece is through with the one before the last.
    const buffer = (buffers[turn] ?? Buffer.alloc(0)).subarray(0, size - offset);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset).catch((error: unknown) => {
      throw unreadable(name, error);
    });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    offset += bytesRead;
  }
}

function unreadable(name: string, error: unknown): ClientError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new ClientError('FILE_UNREADABLE', `Could not read ${name} (${code}).`);
}
